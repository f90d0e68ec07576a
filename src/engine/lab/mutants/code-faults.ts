import ts from 'typescript'

/** A small fault that is put into code. */
export interface CodeFault {
  file: string
  /** from 1 */
  line: number
  /** the text of the part, and what takes its place */
  was: string
  is: string
  /** where the part begins in the file */
  start: number
}

const { SyntaxKind } = ts

/** The operators and words that take each other's place. */
const swapped: Partial<Record<ts.SyntaxKind, string>> = {
  [SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [SyntaxKind.LessThanToken]: '<=',
  [SyntaxKind.LessThanEqualsToken]: '<',
  [SyntaxKind.GreaterThanToken]: '>=',
  [SyntaxKind.GreaterThanEqualsToken]: '>',
  [SyntaxKind.AmpersandAmpersandToken]: '||',
  [SyntaxKind.BarBarToken]: '&&',
  [SyntaxKind.PlusToken]: '-',
  [SyntaxKind.MinusToken]: '+',
  [SyntaxKind.AsteriskToken]: '/',
  [SyntaxKind.PlusEqualsToken]: '-=',
  [SyntaxKind.TrueKeyword]: 'false',
  [SyntaxKind.FalseKeyword]: 'true',
}

/** Returns all faults that may be put into a file, in the order of its lines. */
export function faultsIn(file: string, text: string): CodeFault[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const faults: CodeFault[] = []
  const add = (node: ts.Node, is: string) => {
    const start = node.getStart(source)
    const line = source.getLineAndCharacterOfPosition(start).line + 1
    faults.push({ file, line, was: node.getText(source), is, start })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    const other = swapped[node.kind]
    if (other !== undefined) add(node, other)
    else if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
      add(node, node.operand.getText(source))
    else if (ts.isNumericLiteral(node)) add(node, `(${node.text} + 1)`)
    else if (ts.isConditionalExpression(node)) add(node.condition, `!(${node.condition.getText(source)})`)
    else if (ts.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.QuestionQuestionToken) {
      add(node, node.right.getText(source))
      add(node, node.left.getText(source))
    } else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) add(node, ';')
    ts.forEachChild(node, visit)
  }
  visit(source)
  return faults
}

/** Returns a text with a fault in it. */
export const withFault = (text: string, { start, was, is }: CodeFault): string =>
  text.slice(0, start) + is + text.slice(start + was.length)

/** Returns some of a list, each once: the same for the same seed. */
export function someOf<T>(all: readonly T[], count: number, seed: number): T[] {
  const left = [...all]
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  random()
  return Array.from({ length: Math.min(count, all.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat()
}
