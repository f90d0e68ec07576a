import openapiTS, { type OpenAPI3, stringToAST } from 'openapi-typescript'
import { follow } from 'spec-served-document/model'
import { dataFields, grammar } from 'spec-served-document/reading/grammar'
import { walk } from 'spec-served-document/reading/walk'
import type { Header, OpenApi, Parameter, Response, Schema } from 'spec-served-document/types'
import { exactNumbers } from 'spec-served-document/values/exact-keywords'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import ts from 'typescript'
import { writeDiscriminators } from '../lint/discriminators.ts'
import { markBytes, matterOf, matterTypes, type Side } from './byte-types.ts'
import { nameOf, putBack, setAside } from './method-types.ts'
import { splitWays } from './read-write.ts'
import { bigintTextOf, typeTextOf, type ValueTypes } from './value-types.ts'

/** Names that mean something else in the file that is written, or that no type may have. */
const reserved = new Set(
  `paths webhooks components operations $defs Record Array ReadonlyArray WithRequired OneOf XOR Without
  Blob Buffer ArrayBuffer Uint8Array any unknown never void object string number boolean bigint symbol undefined null true false this
  abstract as asserts async await break case catch class const continue debugger declare default delete do else enum
  export extends finally for from function get if implements import in infer instanceof interface is keyof let module
  namespace new of package private protected public readonly require return set static super switch throw try type
  typeof unique using var while with yield arguments eval`.split(/\s+/),
)
/** A text of which clients know some values: a type that names them and takes all others. */
const openEnum = 'x-open-enum'
const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

/** A name for each schema that a type can have: its own where that is possible. */
function typeNames(schemas: readonly string[]): Map<string, string> {
  const isFree = (name: string) => identifier.test(name) && !reserved.has(name)
  const taken = new Set(schemas.filter(isFree))
  return new Map(
    schemas.map(schema => {
      if (isFree(schema)) return [schema, schema]
      const cleaned = schema.replace(/[^\p{ID_Continue}$]/gu, '_')
      const base = `${/^[\p{ID_Start}$_]/u.test(cleaned) ? '' : '_'}${cleaned}_`
      let name = base
      for (let count = 2; taken.has(name); count++) name = `${base}${count}`
      taken.add(name)
      return [schema, name]
    }),
  )
}

/**
 * Returns the types of a normalised document: `paths`, `operations` and `components` as openapi-typescript writes
 * them. Each schema has a type of its own, so that schemas may be made of one another in any way.
 * @param side whose bytes are sent and answered
 * @param types of values that are no plain JSON
 */
export async function schemaTypes(document: OpenApi, side: Side, types: ValueTypes = {}): Promise<string> {
  const source = forTypes(document)
  const names = typeNames(Object.keys(source.components?.schemas ?? {}))
  const further = setAside(source)
  const textOfType = side === 'handlers' ? bigintTextOf : typeTextOf
  // Its types are narrower than 3.0 documents are.
  const written = await openapiTS(withMarks(source) as OpenAPI3, {
    defaultNonNullable: false,
    emptyObjectsUnknown: true, // an object of which nothing is said takes any property
    silent: true,
    transform(schema) {
      if (side === 'clients' && openEnum in schema && schema.enum?.every(value => typeof value === 'string'))
        return typeNode([...schema.enum.map(value => JSON.stringify(value)), '(string & {})'].join(' | '))
      const matter = matterOf(schema)
      const text = matter ? matterTypes[side][matter] : textOfType(schema as Schema, types) // Redocly's type of one
      return text === undefined ? fixedType(schema as Schema) : typeNode(text)
    },
  })
  const nodes = written.map(node => ts.transform(node, [withoutMarks, withOthers]).transformed[0] ?? node)
  const aliases: ts.Node[] = []
  const renamed = nodes.map(node => {
    const whole = further.size > 0 ? putBack(node, further) : node
    const named = ts.transform(whole, [replaceReferences(names)]).transformed[0] ?? whole
    return isComponents(named) ? withAliases(named, names, aliases) : named
  })
  // openapi-typescript's own helper takes no property that a schema only demands of others.
  return (
    print([...renamed.filter(node => !isHelper(node)), ...aliases]) +
    (nodes.some(isHelper) ? withRequired : '')
  )
}

/** Returns the types that openapi-typescript has no words for: nothing but null, and an object without a property. */
function fixedType(schema: Schema): ts.TypeNode | undefined {
  if ('const' in schema && schema.const === null) return typeNode('null')
  const { type, properties = {}, additionalProperties, unevaluatedProperties } = schema
  const { patternProperties, allOf, anyOf, oneOf } = schema
  const isClosed = additionalProperties === false || unevaluatedProperties === false
  const isMore = patternProperties ?? allOf ?? anyOf ?? oneOf
  if (type !== 'object' || !isClosed || isMore || Object.keys(properties).length > 0) return undefined
  return typeNode('Record<string, never>')
}

/**
 * Makes one type of an object's properties and its others. openapi-typescript demands the type of the others of each
 * property as well, so that no value fits.
 */
const withOthers: ts.TransformerFactory<ts.Node> = context => root => {
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, context)
    return ts.isIntersectionTypeNode(visited) ? (joined(visited.types) ?? visited) : visited
  }
  return ts.visitNode(root, visit)
}

function joined([first, others, ...more]: readonly ts.TypeNode[]): ts.TypeNode | undefined {
  if (!first || !others || more.length > 0) return undefined
  if (!ts.isTypeLiteralNode(first) || !ts.isTypeLiteralNode(others)) return undefined
  const [index] = others.members
  if (others.members.length !== 1 || !index || !ts.isIndexSignatureDeclaration(index)) return undefined
  if (index.type.kind === ts.SyntaxKind.UnknownKeyword) return undefined
  const { factory } = ts
  const properties = first.members.filter(ts.isPropertySignature)
  const types = properties.flatMap(({ type }) => type ?? [])
  const left = properties.some(({ questionToken }) => questionToken)
    ? [factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword)]
    : []
  const any = factory.createUnionTypeNode([index.type, ...types, ...left])
  const widened = factory.updateIndexSignature(index, index.modifiers, index.parameters, any)
  return factory.createTypeLiteralNode([...first.members, widened])
}

/** @param text of a type */
function typeNode(text: string): ts.TypeNode {
  const [declaration] = stringToAST(`type T = ${text}`) as ts.TypeAliasDeclaration[] // what the text is
  return declaration?.type ?? ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword)
}

const withRequired = `type WithRequired<T, K extends PropertyKey> = T & {
    [P in Extract<K, keyof T>]-?: T[P];
};
`

/** Stands before names that Redocly, which reads documents for openapi-typescript, would find in Object.prototype. */
const mark = '\ue000'
const marked = (name: string) => (name in Object.prototype ? `${mark}${name}` : name)

/** A copy of a part of a document with marked names: of its members, and where it names these. */
function withMarks(node: unknown, key = ''): unknown {
  if (Array.isArray(node))
    return node.map(item => (key === 'required' && typeof item === 'string' ? marked(item) : withMarks(item)))
  if (typeof node === 'string') {
    return key === '$ref' ? node.split('/').map(marked).join('/') : node
  }
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([name, child]) => [marked(name), withMarks(child, name)]),
  )
}

const withoutMarks: ts.TransformerFactory<ts.Node> = context => root => {
  const visit = (node: ts.Node): ts.Node =>
    ts.isStringLiteral(node) && node.text.startsWith(mark)
      ? ts.factory.createStringLiteral(node.text.slice(mark.length))
      : ts.visitEachChild(node, visit, context)
  return ts.visitNode(root, visit)
}

const isHelper = (node: ts.Node) => ts.isTypeAliasDeclaration(node) && node.name.text === 'WithRequired'

/** `components["schemas"]["Pet"]` as `Pet`. */
function replaceReferences(names: ReadonlyMap<string, string>): ts.TransformerFactory<ts.Node> {
  return context => root => {
    const visit = (node: ts.Node): ts.Node => {
      const name = schemaNamed(node)
      const alias = name === undefined ? undefined : names.get(name)
      if (alias !== undefined) return ts.factory.createTypeReferenceNode(alias)
      return ts.visitEachChild(node, visit, context)
    }
    return ts.visitNode(root, visit)
  }
}

function schemaNamed(node: ts.Node): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return undefined
  const { objectType, indexType: group } = node.objectType
  const isSchemas =
    ts.isTypeReferenceNode(objectType) &&
    ts.isIdentifier(objectType.typeName) &&
    objectType.typeName.text === 'components' &&
    textOf(group) === 'schemas'
  return isSchemas ? textOf(node.indexType) : undefined
}

function textOf(node: ts.Node): string | undefined {
  return ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) ? node.literal.text : undefined
}

const isComponents = (node: ts.Node): node is ts.InterfaceDeclaration =>
  ts.isInterfaceDeclaration(node) && node.name.text === 'components'

/** Moves the type of each schema out of `components`, and leaves its name there. */
function withAliases(
  components: ts.InterfaceDeclaration,
  names: ReadonlyMap<string, string>,
  aliases: ts.Node[],
): ts.Node {
  const members = components.members.map(member => {
    const isSchemas =
      ts.isPropertySignature(member) &&
      member.type &&
      nameOf(member) === 'schemas' &&
      ts.isTypeLiteralNode(member.type)
    if (!isSchemas || !member.type || !ts.isTypeLiteralNode(member.type)) return member
    const schemas = member.type.members.map(schema => {
      const name = names.get(nameOf(schema) ?? '')
      if (name === undefined || !ts.isPropertySignature(schema) || !schema.type) return schema
      const alias = ts.factory.createTypeAliasDeclaration(
        [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)],
        name,
        undefined,
        schema.type,
      )
      aliases.push(ts.setSyntheticLeadingComments(alias, ts.getSyntheticLeadingComments(schema)))
      return ts.factory.createPropertySignature(
        undefined,
        schema.name,
        schema.questionToken,
        ts.factory.createTypeReferenceNode(name),
      )
    })
    return ts.factory.updatePropertySignature(
      member,
      member.modifiers,
      member.name,
      member.questionToken,
      ts.factory.createTypeLiteralNode(schemas),
    )
  })
  return ts.factory.updateInterfaceDeclaration(
    components,
    components.modifiers,
    components.name,
    components.typeParameters,
    components.heritageClauses,
    members,
  )
}

function print(nodes: readonly ts.Node[]): string {
  const file = ts.createSourceFile('schema.ts', '', ts.ScriptTarget.Latest, false, ts.ScriptKind.TS)
  const printer = ts.createPrinter({ newLine: ts.NewLineKind.LineFeed })
  return nodes.map(node => `${printer.printNode(ts.EmitHint.Unspecified, node, file)}\n`).join('')
}

/**
 * Returns the document in a form that openapi-typescript reads rightly. It takes every referenced header for a
 * required one. It follows what looks like a reference in data. It knows one type of a discriminator, and no ways.
 */
function forTypes(original: OpenApi): OpenApi {
  const document = structuredClone(original)
  for (const { kind, node, isReference } of [...walk(document)]) {
    if (isReference) continue
    for (const name of dataFields)
      if (name in node && Object.hasOwn(grammar[kind].fields, name)) clearReferences(Reflect.get(node, name))
    for (const name of Object.keys(node))
      if (
        name.startsWith('x-') &&
        ![openEnum, exactNumbers].includes(name) &&
        grammar[kind].others === undefined
      )
        Reflect.deleteProperty(node, name)
      else if ((name === 'example' || name === 'examples') && Object.hasOwn(grammar[kind].fields, name))
        if (name === 'examples' || holdsReference(Reflect.get(node, name))) Reflect.deleteProperty(node, name)
    // They are of these kinds, and no references.
    if (kind === 'schema') describeRequired(node as Schema)
    if (kind === 'parameter') readContent(node as Parameter)
    if (kind !== 'response') continue
    const { headers = {} } = node as Response // of this kind, and no reference
    for (const [name, header] of Object.entries(headers)) {
      const inline = follow<Header>(document, header)
      if (inline) headers[name] = inline
    }
  }
  delete document.components?.examples
  clearReferences(document, false) // of extensions in maps
  writeDiscriminators(document)
  markBytes(document)
  splitWays(document)
  return document
}

/** Gives a parameter of JSON the schema of its content. openapi-typescript takes it for a text. */
function readContent(parameter: Parameter): void {
  const [[type = '', { schema = {} }] = ['', {}]] = Object.entries(parameter.content ?? {})
  if (isJson(parseMediaType(type))) parameter.schema = schema
}

/** Describes the properties that an object demands and does not describe. openapi-typescript passes them over. */
function describeRequired(schema: Schema): void {
  const { properties, required, additionalProperties: others = {} } = schema
  if (!properties || !Array.isArray(required) || others === false) return
  for (const name of required)
    if (!Object.hasOwn(properties, name)) properties[name] = others === true ? {} : others
}

/** Removes what looks like a reference and is data: openapi-typescript would follow it, over the network too. */
function clearReferences(data: unknown, isData = true): void {
  if (typeof data !== 'object' || data === null) return
  const { $ref } = data as { $ref?: unknown } // absent of most
  if ($ref !== undefined && (isData || (typeof $ref === 'string' && !$ref.startsWith('#/components/'))))
    Reflect.deleteProperty(data, '$ref')
  for (const child of Object.values(data)) clearReferences(child, isData)
}

function holdsReference(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false
  return '$ref' in data || Object.values(data).some(holdsReference)
}
