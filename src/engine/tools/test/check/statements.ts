import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'

/** A place of the check that can name a fault. */
export interface Statement {
  /** below the folder of the tools */
  file: string
  /** the places, as `file:line:column`, at which a stack has it: that of its call, and where it is awaited */
  places: readonly string[]
  /** its text in one line, as far as it tells it from others */
  text: string
  /** the message of the fault, where the statement has it itself and does not report it */
  message?: RegExp
}

/** The folder of the check. */
const root = 'src/engine/tools'

/** The functions that assert something, or report a fault. */
const asserting = /^(hold(Of|Same|Status|Success|Taken|Refusal|Error)?|add)$/
/** The objects whose `add` reports a fault: that of a set or a list of the probe does not. */
const reporters = /^(session|report|list\.session)$/

async function statementsIn(): Promise<Statement[]> {
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
  const placeOf = (node: ts.Node) => {
    const { line, character } = tree.getLineAndCharacterOfPosition(node.getStart())
    return `${file}:${line + 1}:${character + 1}`
  }
  const found: Statement[] = []
  const visit = (node: ts.Node): void => {
    const message = messageOf(node)
    if (message || isAssertion(node, file)) {
      const called = ts.isCallExpression(node) ? node.expression : node
      const name = ts.isPropertyAccessExpression(called) ? called.name : called
      const awaited = ts.isAwaitExpression(node.parent) ? [placeOf(node.parent)] : []
      // However the lines are broken.
      const text = node
        .getText()
        .replace(/\s+/g, ' ')
        .replace(/([([{]) |,? ([)\]}])/g, '$1$2')
        .slice(0, 110)
      found.push({ file, places: [placeOf(name), ...awaited], text, ...(message && { message }) })
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

/** The places in the stack of a call, below the folder of the tools. */
const placesIn = (stack: string): string[] =>
  [...stack.matchAll(/([^\s()]+\.ts:\d+:\d+)/g)].flatMap(([, place = '']) => {
    const begin = place.indexOf(root)
    return begin < 0 ? [] : [place.slice(begin + root.length + 1)]
  })

/** Notes the statements that name a fault in the tests of one file. */
export function createNotes() {
  // As deep as a probe may lie below what it asserts by (documented by Node.js: Errors, Error.stackTraceLimit).
  Error.stackTraceLimit = 60
  const seenPlaces = new Set<string>()
  const messages: string[] = []
  const hasNamed = ({ places, message }: Statement) =>
    message ? messages.some(text => message.test(text)) : places.some(place => seenPlaces.has(place))
  return {
    /** Takes note of a fault, on the stack of what reports it. */
    note({ message }: { message: string }): void {
      messages.push(message)
      for (const place of placesIn(new Error().stack ?? '')) seenPlaces.add(place)
    },
    /** Lists the statements that have named a fault. */
    seen: async () => linesOf((await statementsIn()).filter(hasNamed)),
    /** Lists all statements, each with whether it has. @param elsewhere the lists of other files */
    async all(elsewhere: readonly string[]): Promise<string> {
      const others = new Set(elsewhere.flatMap(list => list.split('\n')))
      const stateOf = (statement: Statement) =>
        hasNamed(statement) ? 'seen  ' : others.has(lineOf(statement)) ? 'others' : 'never '
      return linesOf(await statementsIn(), stateOf)
    },
  }
}

const lineOf = ({ file, text }: Statement) => `${file}: ${text}`

function linesOf(statements: readonly Statement[], stateOf?: (statement: Statement) => string): string {
  const lines = statements
    .map(statement => ({ line: lineOf(statement), state: stateOf ? `${stateOf(statement)} ` : '' }))
    .toSorted((one, other) => one.line.localeCompare(other.line))
    .map(({ line, state }) => state + line)
  return `${lines.join('\n')}\n`
}
