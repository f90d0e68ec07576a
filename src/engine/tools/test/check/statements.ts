import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'

/** A place of the check that can name a fault. */
export interface Statement {
  /** below the folder of the tools */
  file: string
  /** its first and its last line */
  lines: readonly [from: number, to: number]
  /** its text in one line, as far as it tells it from others */
  text: string
  /** the message of the fault, where the statement has it itself and does not report it */
  message?: RegExp
}

/** The functions that assert something, or report a fault. */
const asserting = /^(hold(Of|Same|Status|Success|Taken|Refusal|Error)?|add)$/
/** The objects whose `add` reports a fault: that of a set or a list of the probe does not. */
const reporters = /^(session|report|list\.session)$/

/** @param root the folder of the tools */
export async function statementsIn(root: string): Promise<Statement[]> {
  const probes = (await readdir(join(root, 'check/probes')))
    .filter(name => name.endsWith('.ts'))
    .map(name => `check/probes/${name}`)
  const invariants = (await readdir(join(root, 'check/invariants'))).map(name => `check/invariants/${name}`)
  const files = [...probes, ...invariants, 'records/model.ts', 'records/effects.ts']
  const all = await Promise.all(
    files.map(async file => statementsOf(file, await readFile(join(root, file), 'utf8'))),
  )
  return all.flat()
}

function statementsOf(file: string, source: string): Statement[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line + 1
  const found: Statement[] = []
  const visit = (node: ts.Node): void => {
    const message = messageOf(node)
    if (message || isAssertion(node, file)) {
      const lines = [lineOf(node.getStart()), lineOf(node.getEnd())] as const
      // However the lines are broken.
      const text = node
        .getText()
        .replace(/\s+/g, ' ')
        .replace(/([([{]) |,? ([)\]}])/g, '$1$2')
        .slice(0, 110)
      found.push({ file, lines, text, ...(message && { message }) })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

function isAssertion(node: ts.Node, file: string): boolean {
  if (!ts.isCallExpression(node) || !file.startsWith('check/probes/')) return false
  const { expression } = node
  if (ts.isIdentifier(expression)) return asserting.test(expression.text) && expression.text !== 'add'
  if (!ts.isPropertyAccessExpression(expression) || !asserting.test(expression.name.text)) return false
  // The hold of a database keeps queries back, and asserts nothing.
  if (/\bdatabase$/.test(expression.expression.getText())) return false
  return expression.name.text !== 'add' || reporters.test(expression.expression.getText())
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The message of a fault that an invariant yields or takes up. */
function messageOf(node: ts.Node): RegExp | undefined {
  const value = ts.isYieldExpression(node) && !node.asteriskToken ? node.expression : pushed(node)
  if (value && ts.isTemplateExpression(value)) {
    const parts = [value.head.text, ...value.templateSpans.map(({ literal }) => literal.text)]
    return new RegExp(parts.map(escaped).join('[^]*'))
  }
  return value && ts.isStringLiteralLike(value) ? new RegExp(escaped(value.text)) : undefined
}

const pushed = (node: ts.Node) =>
  ts.isCallExpression(node) && /^(faults\.push|add)$/.test(node.expression.getText())
    ? node.arguments[0]
    : undefined

/** The places in the stack of a call, as `file:line` below the folder of the tools. */
export const placesIn = (stack: string, root: string): string[] =>
  [...stack.matchAll(/([^\s()]+\.ts):(\d+):\d+/g)].flatMap(([, path = '', line]) => {
    const begin = path.indexOf(root)
    return begin < 0 ? [] : [`${path.slice(begin + root.length + 1)}:${line}`]
  })

/** Lists all statements in lines, each with whether it has named a fault. */
export function listed(
  statements: readonly Statement[],
  places: ReadonlySet<string>,
  messages: readonly string[],
): string {
  const hasNamed = ({ file, lines: [from, to], message }: Statement) =>
    message
      ? messages.some(text => message.test(text))
      : Array.from({ length: to - from + 1 }, (_, index) => `${file}:${from + index}`).some(place =>
          places.has(place),
        )
  const lines = statements.map(
    statement => `${hasNamed(statement) ? 'seen  ' : 'never '} ${statement.file}: ${statement.text}`,
  )
  return `${lines.toSorted((one, other) => one.slice(7).localeCompare(other.slice(7))).join('\n')}\n`
}
