import { readFile, stat } from 'node:fs/promises'
import { isObject } from 'spec-served-document/pointer'
import type { State } from '../records/effects.ts'
import { recordLimits } from './records.ts'

/** Records by the name or path of their collection, as a file gives them. */
export type Seed = Readonly<Record<string, readonly State[]>>

/** Reads the records of a mock's start. @throws Error for a file that holds something else */
export async function readSeed(file: string): Promise<Seed> {
  const { size } = await stat(file)
  if (size > recordLimits.bytes)
    throw new Error(`${file} is larger than the ${recordLimits.bytes} bytes that a mock keeps`)
  const seed = parse(file, await readFile(file, 'utf8'))
  const lists = isObject(seed) ? Object.entries(seed) : []
  if (!isObject(seed)) throw new Error(`${file} holds no object of lists: write { "/pets": [{ "id": 1 }] }`)
  return Object.fromEntries(
    lists.map(([name, list]) => {
      const records = Array.isArray(list) ? list.filter(isObject) : undefined
      if (records && records.length === Object(list).length) return [name, records]
      throw new Error(`${file}: ${name} is no list of objects: write { "${name}": [{ "id": 1 }] }`)
    }),
  )
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(
      `${file} is no JSON: ${error instanceof Error ? error.message : error}. Correct it there.`,
      {
        cause: error,
      },
    )
  }
}
