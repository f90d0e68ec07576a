import { parseSync } from 'rolldown/utils'

/** A node of the syntax tree (ESTree): where it stands in the text, and what is below it. */
interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

/** A part of the main module that stays or goes as a whole: a declaration, or a statement with an effect. */
interface Part {
  text: string
  declares: string[]
  /** what a variable begins with */
  value?: string
  /** names of other parts */
  names: Set<string>
  /** what it takes to stay, beside being named: one of the names it has its effect on; undefined for declarations */
  affects?: string[]
  /** numbers in it: those of modules among them */
  numbers: Set<number>
}

/**
 * What is left of a bundle that webpack made when other values stand for some declarations of its main module: parts and
 * modules that nothing leads to any more are dropped. A declaration counts as one without effects.
 * @param root the name of the declaration that everything begins with
 * @param values by the names of the declarations, or by how the text of their own values begins
 * @throws Error where the bundle is not as expected
 */
export function pruned(text: string, root: string, values: Readonly<Record<string, string>>): string {
  const { program, errors } = parseSync('bundle.js', text, { sourceType: 'script' })
  if (errors.length > 0) throw new Error(`The bundle can't be read: ${errors[0]?.message}`)
  const { modules, main } = findModules(program as unknown as Node) // ESTree's own types have no index
  const parts = nodesOf(main.body).flatMap(statement => partsOf(statement, text))
  for (const [key, value] of Object.entries(values)) {
    const found = parts.filter(({ declares, value: own }) => declares[0] === key || own?.startsWith(key))
    const [part] = found
    if (!part || found.length > 1) throw new Error(`The bundle has ${found.length} declarations of ${key}.`)
    Object.assign(part, { text: `const ${part.declares[0]}=${value}`, names: new Set(), numbers: new Set() })
  }
  const properties = new Map(
    nodesOf(modules.properties).map(node => [Number(text.slice(...keyOf(node))), node]),
  )
  const { isKept, kept } = reach(parts, properties, root)
  const left = [...properties]
    .filter(([id]) => kept.has(id))
    .map(([, { start, end }]) => text.slice(start, end))
  return [
    text.slice(0, modules.start),
    `{${left.join(',')}}`,
    text.slice(modules.end, main.start),
    `{${parts
      .filter(isKept)
      .map(part => part.text)
      .join(';')}}`,
    text.slice(main.end),
  ].join('')
}

/** The object of modules by number, and the body of the main module, which runs at last. */
function findModules(program: Node): { modules: Node; main: Node } {
  let modules: Node | undefined
  let main: Node | undefined
  const look = (node: Node) => {
    if (node.type === 'ObjectExpression' && !modules && nodesOf(node.properties).length > 50) {
      modules = node
      return
    }
    const isFunction = modules && node.type === 'ArrowFunctionExpression'
    const [first] = isFunction ? nodesOf((node.body as Node).body) : []
    if (first?.directive === 'use strict') main = node.body as Node
    else for (const child of childrenOf(node)) look(child)
  }
  look(program)
  if (!modules || !main) throw new Error('The bundle has no modules as webpack writes them.')
  return { modules, main }
}

function partsOf(statement: Node, text: string): Part[] {
  const source = ({ start, end }: Node) => text.slice(start, end)
  const part = (node: Node, declares: string[], written = source(node)): Part => {
    const numbers = new Set<number>()
    const { names } = scopeOf(node, numbers)
    return { text: written, declares, names, numbers }
  }
  if (statement.type === 'VariableDeclaration')
    return nodesOf(statement.declarations).map(node => ({
      ...part(node, boundIn(node.id as Node), `${statement.kind} ${source(node)}`),
      value: node.init ? source(node.init as Node) : '',
    }))
  if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration')
    return [part(statement, boundIn(statement.id as Node), `${source(statement)}\n`)]
  const expression = statement.expression as Node | undefined
  const effects =
    expression?.type === 'SequenceExpression' ? nodesOf(expression.expressions) : [expression ?? statement]
  return effects.map(effect => {
    const whole = part(effect, [])
    return { ...whole, affects: affectedBy(effect, whole, source) }
  })
}

/** What an effect is for: the object that it writes to, else whatever it names. */
function affectedBy(effect: Node, { names }: Part, source: (node: Node) => string): string[] {
  const target =
    effect.type === 'AssignmentExpression'
      ? (effect.left as Node)
      : // webpack's way to write the exports of a module
        effect.type === 'CallExpression' && /^__webpack_require__\.[rd]$/.test(source(effect.callee as Node))
        ? nodesOf(effect.arguments)[0]
        : undefined
  let object = target
  while (object?.type === 'MemberExpression') object = object.object as Node
  return object?.type === 'Identifier' ? [String(object.name)] : [...names]
}

/** All that a declaration leads to, and the effects on it. */
function reach(parts: Part[], modules: Map<number, Node>, root: string) {
  const declared = Map.groupBy(
    parts.flatMap(part => part.declares.map(name => ({ name, part }))),
    ({ name }) => name,
  )
  const affected = (part: Part) => part.affects?.filter(name => declared.has(name)) ?? []
  const effects = Map.groupBy(
    parts.flatMap(part => affected(part).map(name => ({ name, part }))),
    ({ name }) => name,
  )
  const seen = new Set<Part>()
  const kept = new Set<number>()
  const waiting: Pick<Part, 'declares' | 'names' | 'numbers'>[] = []
  const keep = (part: Part) => {
    if (!seen.has(part)) waiting.push(part)
    seen.add(part)
  }
  for (const { part } of declared.get(root) ?? []) keep(part)
  // What has an effect on nothing of the main module has it on the page.
  for (const part of parts) if (part.affects && affected(part).length === 0) keep(part)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const name of [...next.declares, ...next.names])
      for (const { part } of [...(declared.get(name) ?? []), ...(effects.get(name) ?? [])]) keep(part)
    for (const number of next.numbers) {
      const module = modules.get(number)
      if (!module || kept.has(number)) continue
      kept.add(number)
      const numbers = new Set<number>()
      scopeOf(module, numbers)
      waiting.push({ declares: [], names: new Set(), numbers })
    }
  }
  return { isKept: (part: Part) => seen.has(part), kept }
}

/** The fields of a node that hold a name which names nothing in scope. */
const bareNames: Record<string, string> = {
  MemberExpression: 'property',
  Property: 'key',
  MethodDefinition: 'key',
  PropertyDefinition: 'key',
  LabeledStatement: 'label',
  BreakStatement: 'label',
  ContinueStatement: 'label',
}

/** The names that a node takes from around it, and what it declares with `var`. Adds the numbers in it to `numbers`. */
function scopeOf(node: Node, numbers: Set<number>): { names: Set<string>; vars: Set<string> } {
  const names = new Set<string>()
  const vars = new Set<string>()
  if (node.type === 'Identifier') names.add(String(node.name))
  if (node.type === 'Literal' && typeof node.value === 'number') numbers.add(node.value)
  for (const child of childrenOf(node)) {
    if (!node.computed && child === node[bareNames[node.type] ?? '']) continue
    const inner = scopeOf(child, numbers)
    for (const name of inner.names) names.add(name)
    for (const name of inner.vars) vars.add(name)
  }
  if (node.type === 'VariableDeclaration' && node.kind === 'var')
    for (const { id } of nodesOf(node.declarations)) for (const name of boundIn(id as Node)) vars.add(name)
  const isFunction = /Function/.test(node.type)
  for (const name of [...lexicalIn(node), ...(isFunction ? vars : [])]) names.delete(name)
  return { names, vars: isFunction ? new Set() : vars }
}

/** The names that are known inside a node alone. */
function lexicalIn(node: Node): string[] {
  const { type } = node
  if (/Function/.test(type)) {
    const own = type === 'FunctionExpression' ? boundIn(node.id as Node | null) : []
    return ['arguments', ...own, ...nodesOf(node.params).flatMap(boundIn)]
  }
  if (type === 'ClassExpression') return boundIn(node.id as Node | null)
  if (type === 'BlockStatement' || type === 'StaticBlock') return declaredBy(nodesOf(node.body))
  if (type === 'SwitchStatement')
    return declaredBy(nodesOf(node.cases).flatMap(({ consequent }) => nodesOf(consequent)))
  if (type === 'CatchClause') return boundIn(node.param as Node | null)
  return /^For/.test(type) ? declaredBy(nodesOf([node.init ?? node.left])) : []
}

const declaredBy = (statements: Node[]): string[] =>
  statements.flatMap(({ type, kind, declarations, id }) =>
    type === 'VariableDeclaration' && kind !== 'var'
      ? nodesOf(declarations).flatMap(declaration => boundIn(declaration.id as Node))
      : type === 'ClassDeclaration' || type === 'FunctionDeclaration'
        ? boundIn(id as Node)
        : [],
  )

/** The names that a pattern binds. */
function boundIn(pattern: Node | null | undefined): string[] {
  if (!pattern) return []
  if (pattern.type === 'Identifier') return [String(pattern.name)]
  if (pattern.type === 'Property') return boundIn(pattern.value as Node)
  if (pattern.type === 'AssignmentPattern') return boundIn(pattern.left as Node)
  const inner = [pattern.argument, pattern.elements, pattern.properties].flatMap(nodesOf)
  return inner.flatMap(boundIn)
}

const keyOf = ({ key }: Node): [number, number] => [(key as Node).start, (key as Node).end]
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'
const nodesOf = (value: unknown): Node[] => [value].flat().filter(isNode)
const childrenOf = (node: Node): Node[] => Object.values(node).flatMap(nodesOf)
