import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { Misuse } from 'spec-served/internal/command/arguments'
import { ownDirectory, ownDocument, packageName, version } from 'spec-served/internal/command/project'
import { DocumentRefused, formatFaults } from 'spec-served-document/reading/fault'
import { makeFrom, writeFiles } from './generate/made.ts'
import { unwrittenIn, wiringNotes } from './generate/write.ts'
import { differenceOf } from './readme/difference.ts'

const remedy = 'run `npm run generate`.'

/** The first line of a generated file names the document's hash, which is no news beside another change. */
const withoutHash = (text: string) => text.replace(/^\/\/ Generated from .*/, '')

/** Says in three lines at most what to do about files that are not as they must be; undefined where all are. */
async function differenceIn(files: ReadonlyMap<string, string>): Promise<string | undefined> {
  const changed: { file: string; text: string | undefined; wanted: string }[] = []
  for (const [path, wanted] of files) {
    const file = relative('.', path)
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text !== wanted) changed.push({ file, text, wanted })
  }
  const [first] = changed
  if (!first) return undefined
  const more = changed.length > 1 ? ` (${changed.length} files differ)` : ''
  const missing = changed.find(({ text }) => text === undefined)
  if (missing) return `${missing.file} is missing${more}: ${remedy}`
  for (const { file, text = '', wanted } of changed)
    if (withoutHash(text) !== withoutHash(wanted))
      return differenceOf(
        file,
        withoutHash(text),
        withoutHash(wanted),
        `is not what the document says${more}: ${remedy}`,
      )
  return `${first.file} was generated from another text of the document${more}: ${remedy}`
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
      const unwritten = wiring ? unwrittenIn(wiring) : []
      const difference =
        unwritten.length > 0
          ? `No handler is written in ${unwritten.join(', nor in ')}: restore it, or let \`npm run generate\` write a stub.`
          : await differenceIn(files)
      if (difference === undefined) return 0
      console.error(difference)
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
