import ts from 'typescript'
import { sqlEdits } from './sql-edits.ts'

/** A change of one place of a source file: the text from `start` to `end` gives way to another. */
export interface CodeEdit {
  kind: CodeKind
  start: number
  end: number
  text: string
}

export type CodeKind =
  | 'boundary'
  | 'comparison'
  | 'logic'
  | 'arithmetic'
  | 'negated condition'
  | 'constant'
  | 'pattern'
  | 'removed statement'
  | 'dropped call'
  | 'dropped await'
  | 'dropped header'
  | 'dropped property'
  | 'dropped element'
  | 'swapped properties'
  | 'swapped arguments'
  | 'fallback'
  | 'SQL'

/** What each operator becomes. */
const operators: Readonly<Record<string, [CodeKind, string]>> = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['comparison', '!=='],
  '!==': ['comparison', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
  '%': ['arithmetic', '*'],
  '+=': ['arithmetic', '-='],
  '-=': ['arithmetic', '+='],
}

/** What operators become that stand in texts, as the query builder takes them. */
const wordOperators: Readonly<Record<string, string>> = {
  '=': '!=',
  '!=': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  asc: 'desc',
  desc: 'asc',
}

/**
 * Small changes of what a source file does, in the order of the file. Types, imports, texts for people (those with a
 * space in them) and what is written to the log stay: no client can tell.
 */
export function* codeEdits(source: ts.SourceFile): Generator<CodeEdit> {
  yield* visit(source)

  function* visit(node: ts.Node): Generator<CodeEdit> {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || isLogging(node)) return
    yield* editsOf(node)
    const children: ts.Node[] = []
    ts.forEachChild(node, child => void children.push(child))
    for (const child of children) yield* visit(child)
  }

  function edit(kind: CodeKind, node: ts.Node, text: string): CodeEdit {
    return { kind, start: node.getStart(source), end: node.getEnd(), text }
  }

  function* editsOf(node: ts.Node): Generator<CodeEdit> {
    if (ts.isBinaryExpression(node)) yield* operatorEdits(node)
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      yield edit('negated condition', node, node.operand.getText(source))
    else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) yield* conditionEdits(node)
    else if (ts.isExpressionStatement(node)) yield edit(kindOfStatement(node), node, ';')
    else if (ts.isAwaitExpression(node)) yield edit('dropped await', node, node.expression.getText(source))
    else if (ts.isNumericLiteral(node)) yield edit('constant', node, String(Number(literal(node)) + 1))
    else if (node.kind === ts.SyntaxKind.TrueKeyword) yield edit('constant', node, 'false')
    else if (node.kind === ts.SyntaxKind.FalseKeyword) yield edit('constant', node, 'true')
    else if (ts.isStringLiteral(node)) yield* textEdits(node)
    else if (ts.isRegularExpressionLiteral(node)) yield* patternEdits(node)
    else if (ts.isObjectLiteralExpression(node)) yield* objectEdits(node)
    else if (ts.isArrayLiteralExpression(node)) for (const item of node.elements) yield without(node, item)
    else if (ts.isCallExpression(node)) yield* callEdits(node)
    else if (ts.isTaggedTemplateExpression(node) && node.tag.getText(source) === 'sql')
      yield* sqlEditsOf(node)
  }

  function* operatorEdits({ left, operatorToken, right }: ts.BinaryExpression): Generator<CodeEdit> {
    const found = operators[operatorToken.getText(source)]
    if (found) yield edit(found[0], operatorToken, found[1])
    if (operatorToken.kind !== ts.SyntaxKind.QuestionQuestionToken) return
    for (const side of [left, right]) yield edit('fallback', left.parent, side.getText(source))
  }

  function* conditionEdits(node: ts.IfStatement | ts.ConditionalExpression): Generator<CodeEdit> {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition
    // These are turned round by changes of their own.
    const isTurned =
      ts.isPrefixUnaryExpression(condition) ||
      (ts.isBinaryExpression(condition) &&
        operators[condition.operatorToken.getText(source)]?.[0] === 'comparison')
    if (!isTurned) yield edit('negated condition', condition, `!(${condition.getText(source)})`)
    if (ts.isIfStatement(node) && !node.elseStatement && !ts.isIfStatement(node.parent))
      yield edit('removed statement', node, ';')
  }

  function kindOfStatement({ expression }: ts.ExpressionStatement): CodeKind {
    const isHeader = /\.(header|headers|setHeader|removeHeader|vary)$/.test(calleeOf(expression) ?? '')
    return isHeader ? 'dropped header' : 'removed statement'
  }

  function calleeOf(node: ts.Node): string | undefined {
    return ts.isCallExpression(node) ? node.expression.getText(source) : undefined
  }

  function* textEdits(node: ts.StringLiteral): Generator<CodeEdit> {
    const { parent, text } = node
    if (/\s/.test(text) || isNameOf(node)) return
    const other = ts.isCallExpression(parent) ? wordOperators[text] : undefined
    if (other !== undefined) yield edit(/[<>]/.test(text) ? 'boundary' : 'comparison', node, `'${other}'`)
    else yield edit('constant', node, `${node.getText(source).slice(0, -1)}x'`)
  }

  function isNameOf(node: ts.StringLiteral): boolean {
    return ts.isPropertyAssignment(node.parent) && node.parent.name === node
  }

  function* patternEdits(node: ts.RegularExpressionLiteral): Generator<CodeEdit> {
    const text = node.getText(source)
    if (text.startsWith('/^')) yield edit('pattern', node, `/${text.slice(2)}`)
    const end = /\$(\/[a-z]*)$/.exec(text)
    if (end) yield edit('pattern', node, text.slice(0, end.index) + end[1])
  }

  function* objectEdits(node: ts.ObjectLiteralExpression): Generator<CodeEdit> {
    const isHeaders = ts.isPropertyAssignment(node.parent) && node.parent.name.getText(source) === 'headers'
    for (const [index, property] of node.properties.entries()) {
      const next = node.properties[index + 1]
      yield without(node, property, isHeaders ? 'dropped header' : 'dropped property')
      const [here, there] = [initialOf(property), next && initialOf(next)]
      if (!next || here === undefined || there === undefined || here === there) continue
      const names = [property, next].map(({ name }) => name?.getText(source))
      const between = source.text.slice(property.getEnd(), next.getStart(source))
      yield {
        kind: 'swapped properties',
        start: property.getStart(source),
        end: next.getEnd(),
        text: `${names[0]}: ${there}${between}${names[1]}: ${here}`,
      }
    }
  }

  function initialOf(property: ts.ObjectLiteralElementLike): string | undefined {
    if (ts.isPropertyAssignment(property)) return property.initializer.getText(source)
    return ts.isShorthandPropertyAssignment(property) ? property.name.getText(source) : undefined
  }

  /** A list without one of its items and the comma behind it. */
  function without(
    list: ts.ObjectLiteralExpression | ts.ArrayLiteralExpression,
    item: ts.Node,
    kind: CodeKind = 'dropped element',
  ): CodeEdit {
    const comma = /^\s*,/.exec(source.text.slice(item.getEnd(), list.getEnd()))?.[0] ?? ''
    return { kind, start: item.getStart(source), end: item.getEnd() + comma.length, text: '' }
  }

  function* callEdits(node: ts.CallExpression): Generator<CodeEdit> {
    for (const [index, argument] of node.arguments.entries()) {
      const next = node.arguments[index + 1]
      if (!next || ts.isSpreadElement(argument) || ts.isSpreadElement(next)) continue
      const [here, there] = [argument.getText(source), next.getText(source)]
      if (here === there) continue
      const between = source.text.slice(argument.getEnd(), next.getStart(source))
      yield {
        kind: 'swapped arguments',
        start: argument.getStart(source),
        end: next.getEnd(),
        text: `${there}${between}${here}`,
      }
    }
    const { expression, parent } = node
    if (ts.isPropertyAccessExpression(expression) && !ts.isExpressionStatement(parent))
      yield edit('dropped call', node, expression.expression.getText(source))
  }

  function* sqlEditsOf({ template }: ts.TaggedTemplateExpression): Generator<CodeEdit> {
    const start = template.getStart(source)
    // What is put in is code, and is changed as such: here it is one name.
    const text = blanked(template, start)
    for (const found of sqlEdits(text))
      yield {
        kind: 'SQL',
        start: start + found.start,
        end: start + found.end,
        text: found.text,
      }
  }

  /** A template's own text, of the same length, with `$` for all that is put in. */
  function blanked(template: ts.TemplateLiteral, start: number): string {
    let text = template.getText(source)
    if (ts.isTemplateExpression(template))
      for (const { expression } of template.templateSpans) {
        const [from, to] = [expression.getFullStart() - start - 2, expression.getEnd() - start + 1]
        text = text.slice(0, from) + '$'.repeat(to - from) + text.slice(to)
      }
    return text
  }

  function literal(node: ts.NumericLiteral): string {
    return node.getText(source).replaceAll('_', '')
  }

  function isLogging(node: ts.Node): boolean {
    return ts.isCallExpression(node) && /\blog\.(debug|info|warn|error)$/.test(calleeOf(node) ?? '')
  }
}
