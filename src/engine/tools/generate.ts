import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { Misuse } from 'spec-served/internal/command/arguments'
import { ownDirectory, ownDocument, packageName, version } from 'spec-served/internal/command/project'
import { DocumentRefused, formatFaults } from 'spec-served-document/reading/fault'
import { makeFrom, writeFiles } from './generate/made.ts'
import { wiringNotes } from './generate/write.ts'
import { differenceOf } from './readme/difference.ts'

async function firstDifference(files: ReadonlyMap<string, string>): Promise<string | undefined> {
  for (const [path, due] of files) {
    const file = relative('.', path)
    const is = await readFile(file, 'utf8').catch(() => undefined)
    if (is === undefined) return `${file} is missing`
    if (is !== due) return differenceOf(file, is, due, 'the document says')
  }
  return undefined
}

/** Says what another version of the generator makes otherwise; nothing where it is the same one. */
async function updateOf(files: ReadonlyMap<string, string>): Promise<string[]> {
  const madeBy = (text: string) => new RegExp(`\\) by ${packageName} (\\S+)\\.$`, 'm').exec(text)?.[1]
  const bodyOf = (text: string) => text.replace(/^\/\/ Generated from .*$/m, '')
  const old = new Map<string, string>()
  for (const path of files.keys()) {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text !== undefined && path.startsWith(ownDirectory)) old.set(path, text)
  }
  const [earlier] = [...old.values()].flatMap(text => madeBy(text) ?? [])
  if (earlier === undefined || earlier === version) return []
  const changed = [...old].filter(([path, text]) => bodyOf(text) !== bodyOf(files.get(path) ?? ''))
  const names = changed.map(([path]) => path).join(', ')
  return [
    `${packageName} ${earlier} made ${ownDirectory} before, ${version} does now: ${names ? `${names} changed, and the compiler names what that means for handlers` : 'nothing changed for handlers'}.`,
  ]
}

export async function run({
  check,
  spec,
  overlay,
  out,
}: {
  check: boolean
  spec: string
  overlay: string[] | undefined
  out: string | undefined
}): Promise<number> {
  const isOurs = relative('.', spec) === ownDocument
  if (out === undefined && !isOurs)
    throw new Misuse(`--spec needs --out: ${ownDirectory} is made from ${ownDocument}`)
  try {
    const { model, files: others, types, wiring, notes, isHeld } = await makeFrom(spec, out, overlay)
    const files = new Map([...(await types()), ...others])
    if (!isHeld)
      console.log(`${spec} has no x-rate-limits: the rules for documents with limits were not applied`)
    if (notes.length > 0) console.log(formatFaults(notes.slice(0, 20)))
    if (check) {
      const difference = await firstDifference(files)
      if (difference === undefined) return 0
      console.error(`${difference}\nRun \`npm run generate\`.`)
      return 1
    }
    const update = out === undefined ? await updateOf(files) : []
    await writeFiles(files)
    console.log(`wrote ${[...files.keys()].join(' and ')}`)
    const messages = [...update, ...(wiring ? wiringNotes(wiring, model) : [])]
    if (messages.length > 0) console.log(messages.join('\n'))
    return 0
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error
    const count = error.faults.length
    console.error(`${error.message}\n${count} fault${count > 1 ? 's' : ''}; nothing was written`)
    return 1
  }
}
