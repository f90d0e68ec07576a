import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A block of README that tells a reader what to do. */
export interface Step {
  kind: 'sh' | 'diff'
  text: string
  /** of README; counts from 1 */
  line: number
  /** the headings above it */
  heading: string
}

/** The commands and the changes that a text in Markdown tells its reader, in its order. */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = []
  let heading = ''
  let open: (Step & { indent: number; isKept: boolean }) | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, spaces = '', kind] = /^( *)```(\w*)$/.exec(line) ?? []
    if (open && kind === '') {
      if (open.isKept) steps.push({ kind: open.kind, text: open.text, line: open.line, heading })
      open = undefined
    } else if (open) open.text += `${line.slice(open.indent)}\n`
    else if (kind !== undefined)
      open = {
        kind: kind === 'diff' ? 'diff' : 'sh',
        isKept: kind === 'diff' || kind === 'sh',
        indent: spaces.length,
        text: '',
        line: index + 1,
        heading,
      }
    else if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '')
  }
  return steps
}

/** The commands of a block, without what they are said about. */
export const commandsOf = ({ text }: Step): string[] =>
  text
    .split('\n')
    .map(line => line.replace(/\s+#.*$/, '').trim())
    .filter(line => line !== '')

/** A line without what may stand before its words. */
const beginning = (line: string) => line.trim().replace(/^export /, '')

/** How many lines a block has a reader write. */
export const writtenIn = ({ text }: Step): number =>
  text.split('\n').filter(line => line.startsWith('+') && line.trim() !== '+').length

/**
 * Makes the changes of a block in a copy of the project, as a reader would. `@@ file, place @@` says where: below the
 * first line that begins with the text after the comma. Lines with `+` are new, and lines with `-` go.
 * @throws Error where the project has no such place
 */
export async function apply({ text, line }: Step, directory: string): Promise<void> {
  for (const part of text.split(/^(?=@@ )/m)) {
    const [head = '', ...lines] = part.replace(/\n$/, '').split('\n')
    const [, name = '', place] = /^@@ (\S+?)(?:, (.+))? @@$/.exec(head) ?? []
    if (name === '') throw new Error(`README.md:${line} has a change of no file: ${head}`)
    const file = join(directory, name)
    const shown = lines.filter(candidate => !candidate.startsWith('+')).map(item => item.slice(1))
    const due = lines.filter(candidate => !candidate.startsWith('-')).map(item => item.slice(1))
    const current = shown.length === 0 ? undefined : (await readFile(file, 'utf8')).split('\n')
    await mkdir(dirname(file), { recursive: true })
    if (!current) await writeFile(file, `${due.join('\n')}\n`)
    else {
      const from =
        place === undefined ? 0 : current.findIndex(candidate => beginning(candidate).startsWith(place))
      const start = current.findIndex(
        (_, index) =>
          from >= 0 &&
          index >= from &&
          shown.every((expected, offset) => current[index + offset] === expected),
      )
      if (start < 0) throw new Error(`README.md:${line} changes ${name}, which has no such place:\n${part}`)
      await writeFile(file, current.toSpliced(start, shown.length, ...due).join('\n'))
    }
  }
}
