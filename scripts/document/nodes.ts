import { type Model, type OperationModel, schemaKeywords } from '../../src/document/model.ts'
import type { Reference, Response, Schema } from '../../src/document/types.ts'

/** A schema and all that it is made of, references followed; each schema once, itself first. */
export function* schemasWithin(
  model: Pick<Model, 'resolve'>,
  schema: Schema | Reference,
  seen = new Set<object>(),
): Generator<Schema> {
  const target = model.resolve(schema)
  if (seen.has(target)) return
  seen.add(target)
  yield target
  for (const child of subschemasOf(target)) yield* schemasWithin(model, child, seen)
}

/** Whether an operation can't be called without a credential. */
export function isSecured({ security }: OperationModel): boolean {
  return security.length > 0 && security.every(requirement => Object.keys(requirement).length > 0)
}

/** The schemas that stand under a schema's own keywords. */
function subschemasOf(schema: Schema): (Schema | Reference)[] {
  const below = [
    ...schemaKeywords.one.map(keyword => schema[keyword]),
    ...[...schemaKeywords.list, ...schemaKeywords.map].flatMap(keyword =>
      Object.values(schema[keyword] ?? {}),
    ),
  ]
  return below.filter((one): one is Schema | Reference => typeof one === 'object') // a plain boolean has nothing below
}

/** An extension's text; whoever else uses its name may mean something else by it. */
export function textOf(node: object, name: `x-${string}`): string | undefined {
  const value: unknown = name in node ? node[name as keyof typeof node] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The codes of the errors that a response can carry: its `x-codes`. */
export function codesOf(response: Response): readonly string[] {
  const codes: unknown = 'x-codes' in response ? response['x-codes'] : undefined
  return Array.isArray(codes) ? codes.filter(code => typeof code === 'string') : []
}
