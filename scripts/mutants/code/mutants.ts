import { readFile } from 'node:fs/promises'
import ts from 'typescript'
import { type CodeEdit, codeEdits } from './edits.ts'
import { areaOf, codeFiles, provenElsewhere } from './files.ts'

/** The service's code with one small change of what it does. */
export interface CodeMutant {
  /** stable, unique: file, function, kind and text; no numbers of lines */
  id: string
  kind: string
  /** the file, from the root of the project */
  file: string
  area: string
  /** for people: file and line, the line as it was, and as it is */
  at: string
  change: string
  /** the file's whole text */
  text: string
}

/** Mutants of the code that answers requests, and how many stand where the check does not come, by who proves those. */
export interface CodeMutants {
  mutants: CodeMutant[]
  elsewhere: Map<string, number>
}

/** Every mutant of the code, in a stable order. */
export async function codeMutants(): Promise<CodeMutants> {
  const mutants: CodeMutant[] = []
  const elsewhere = new Map<string, number>()
  for (const file of await codeFiles())
    for (const { within, ...mutant } of mutantsOfFile(file, await readFile(file, 'utf8'))) {
      const reason = provenElsewhere(file, within)
      if (reason === undefined) mutants.push(mutant)
      else elsewhere.set(reason, (elsewhere.get(reason) ?? 0) + 1)
    }
  return { mutants, elsewhere }
}

/** The mutants of one file; `within` names the function, outermost first. */
export function* mutantsOfFile(file: string, text: string): Generator<CodeMutant & { within: string }> {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const counts = new Map<string, number>()
  const texts = new Set<string>()
  for (const edit of codeEdits(source)) {
    const changed = text.slice(0, edit.start) + edit.text + text.slice(edit.end)
    if (texts.has(changed)) continue
    texts.add(changed)
    const within = functionAt(source, edit.start)
    const name = `${file} ${within}: ${edit.kind}: ${short(text.slice(edit.start, edit.end))} → ${short(edit.text)}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const { line } = source.getLineAndCharacterOfPosition(edit.start)
    yield {
      id: count === 1 ? name : `${name} (${count})`,
      kind: edit.kind,
      file,
      area: areaOf(file),
      at: `${file}:${line + 1}`,
      change: lineChange(text, changed, edit),
      text: changed,
      within,
    }
  }
}

/** In one line, and not too long to read; different texts may look the same, which the count after them tells apart. */
function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim() || '(nothing)'
  return line.length > 90 ? `${line.slice(0, 60)} … ${line.slice(-25)}` : line
}

/** The lines of an edit, as they were and as they are. */
function lineChange(text: string, changed: string, { start, end, text: inserted }: CodeEdit): string {
  const lines = (whole: string, from: number, to: number) => {
    const after = whole.indexOf('\n', to)
    return whole.slice(whole.lastIndexOf('\n', from - 1) + 1, after < 0 ? undefined : after)
  }
  const marked = (mark: string, block: string) =>
    block
      .split('\n')
      .slice(0, 4)
      .map(line => `${mark} ${line.trim()}`)
      .join('\n')
  return `${marked('-', lines(text, start, end))}\n${marked('+', lines(changed, start, start + inserted.length))}`
}

/** The names of the functions around a place, outermost first; `module` outside of all. */
function functionAt(source: ts.SourceFile, position: number): string {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    if (position < node.getStart(source) || position >= node.getEnd()) return
    const isOutermost = ts.isVariableDeclaration(node) && node.parent.parent.parent === source
    const isFunction =
      ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      (ts.isVariableDeclaration(node) && node.initializer && ts.isFunctionLike(node.initializer))
    if (isOutermost || isFunction) names.push(node.name?.getText(source) ?? '')
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names.join('.') || 'module'
}
