import type { Kysely, Transaction } from 'kysely'
import type { Caller, WindowState } from './callers/caller.ts'
import type { Keys } from './callers/keys.ts'
import type { FreeTools as AnyFreeTools, Tools as AnyTools } from './context.ts'
import type { Refusal } from './errors/api-error.ts'
import type { replyFields } from './errors/refusals.ts'
import type { Versions } from './replies/etag.ts'

/** The types from which handler types are derived: a document's generated types, and the tables. */
export interface Types {
  /** `operations` of `src/generated/schema.ts` */
  operations: object
  /** `typeof operations` of `src/generated/operations.ts` */
  facts: object
  /** `components` of `src/generated/schema.ts` */
  components: object
  /** columns by table, as Kysely has them */
  tables: object
}

/** Every operationId of the document, except for webhooks and callbacks, which the service does not serve. */
export type OperationIdOf<T extends Types> = keyof T['operations'] & keyof T['facts'] & string

/** The type of a property, if there is one. */
type In<Of, Name extends PropertyKey> = Name extends keyof Of ? Of[Name] : never

/** Headers that the engine's stages set. A handler can't set them. */
type PipelineHeader =
  | (typeof replyFields)[number]
  | 'WWW-Authenticate'
  | 'Idempotent-Replayed'
  | 'Deprecation'
  | 'Sunset'
  | 'X-Stability'

type OrNone<Parameters> = [NonNullable<Parameters>] extends [never]
  ? Record<never, never>
  : NonNullable<Parameters>

type ParametersIn<Operation, Place extends 'path' | 'query' | 'header' | 'cookie'> = OrNone<
  In<In<Operation, 'parameters'>, Place>
>

/** Parameters as the handler receives them. Those with a default are always present. */
type Sent<
  Operation,
  Facts,
  Place extends 'query' | 'header' | 'cookie',
  All = ParametersIn<Operation, Place>,
  Usual = keyof In<In<Facts, 'defaults'>, Place> & keyof All,
> = Omit<All, Usual & keyof All> & Required<Pick<All, Usual & keyof All>>

/** An optional body may be undefined. */
type Body<Operation, Facts> = Operation extends { requestBody: { content: infer Content } }
  ? Complete<Content[keyof Content], In<Facts, 'whenLeftOut'>>
  : Operation extends { requestBody?: infer OptionalBody }
    ? NonNullable<OptionalBody> extends { content: infer Content }
      ? Complete<Content[keyof Content], In<Facts, 'whenLeftOut'>> | undefined
      : undefined
    : undefined

/** A replacement as the handler receives it. Properties left out have their default, or null. */
type Complete<Given, LeftOut> = [keyof LeftOut] extends [never]
  ? Given
  : Omit<Given, keyof LeftOut> & {
      [Name in keyof LeftOut & keyof Given]-?: Exclude<Given[Name], undefined> | LeftOut[Name]
    }

type InLowerCase<Fields> = { [Name in keyof Fields as Lowercase<Name & string>]: Fields[Name] }

interface InputFor<Operation, Facts> {
  path: ParametersIn<Operation, 'path'>
  query: Sent<Operation, Facts, 'query'>
  /** the header parameters, by their names in lower case */
  headers: InLowerCase<Sent<Operation, Facts, 'header'>>
  cookie: Sent<Operation, Facts, 'cookie'>
  body: Body<Operation, Facts>
  /** the versions in If-Match */
  ifMatch?: Versions
}

/** The validated input of an operation, as the document declares it. */
export type Input<T extends Types, Id extends OperationIdOf<T>> = InputFor<
  T['operations'][Id],
  T['facts'][Id]
>

/** Drops the index signature that openapi-typescript adds to every response's headers. */
type Declared<Headers> = { [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] }
type OwnHeaders<Headers, Content> = Omit<Declared<Headers>, PipelineHeader> & MediaTypeOf<Content>
type HeadersOf<Headers, Content> =
  Record<never, never> extends OwnHeaders<Headers, Content>
    ? { headers?: OwnHeaders<Headers, Content> }
    : { headers: OwnHeaders<Headers, Content> }
/** The media type of a reply, if it is not the one that the document declares first. */
type MediaTypeOf<Content> = [Content] extends [undefined]
  ? unknown
  : { 'Content-Type'?: { [Type in keyof Content]: Within<Type> }[keyof Content] }
/** The media types within a declared range, and those with parameters. */
type Within<Type> = Type extends '*/*'
  ? string
  : Type extends `${infer Main}/*`
    ? `${Main}/${string}`
    : Type extends string
      ? Type | `${Type};${string}`
      : never
type BodyOf<Content> = [Content] extends [undefined]
  ? { body?: never }
  : { body: { [Type in keyof Content]: Content[Type] | ItemsOf<Type, Content[Type]> }[keyof Content] }

/** The alternative to a list for a sequence of items: an iterable that yields items as they come. */
type ItemsOf<Type, Whole> = Type extends
  | `text/event-stream${string}`
  | `application/${string}${'jsonl' | 'ndjson' | 'json-seq'}${string}`
  ? Whole extends readonly (infer Item)[]
    ? AsyncIterable<Item>
    : never
  : never

/** The statuses of a response: one, or for a range or `default` any status without a response of its own. */
type StatusOf<Key> = Key extends number ? Key : Key extends 'default' | `${number}XX` ? number : never

type ResponsesOf<T extends Types, Id extends OperationIdOf<T>> = In<T['operations'][Id], 'responses'>

type PartsFor<Status, Response> = Response extends { headers: infer Headers; content?: infer Content }
  ? { status: StatusOf<Status> } & HeadersOf<Headers, Content> & BodyOf<Content>
  : never
type PartsOf<
  T extends Types,
  Id extends OperationIdOf<T>,
  Status extends keyof ResponsesOf<T, Id>,
> = PartsFor<Status, ResponsesOf<T, Id>[Status]>

/** An operation's reply with a declared status. The compiler shows it by this name, and not in full. */
export type ReplyWith<
  T extends Types,
  Id extends OperationIdOf<T>,
  Status extends keyof ResponsesOf<T, Id>,
> = { [Part in keyof PartsOf<T, Id, Status>]: PartsOf<T, Id, Status>[Part] }

/** One of an operation's declared replies. Its status, headers and body belong together. */
export type Reply<T extends Types, Id extends OperationIdOf<T>> = {
  [Status in keyof ResponsesOf<T, Id>]: ReplyWith<T, Id, Status>
}[keyof ResponsesOf<T, Id>]

/**
 * The refusal of an operation whose responses name no codes (`x-codes`), which is none: its handler returns
 * `{ status: 404, body }`. The compiler shows the name.
 */
export interface ReturnStatusAndBody extends Refusal<never> {}

/** The result of an operation: one of its replies, or a refusal by a code that its responses name. */
export type Answer<T extends Types, Id extends OperationIdOf<T>> =
  | Reply<T, Id>
  | RefusalBy<keyof In<T['facts'][Id], 'codes'> & string>

/** A refusal by one of some codes. The compiler shows the codes. */
type RefusalBy<Codes extends string> = [Codes] extends [never] ? ReturnStatusAndBody : Refusal<Codes>

/** The values of a document's text enumeration, or any text if the schema is none. */
type TextsOf<Components, Name extends string> = Components extends {
  schemas: Record<Name, infer Texts extends string>
}
  ? Texts
  : string

/** A plan of a document that has the schema `Plan`. */
type PlanOf<Components> = TextsOf<Components, 'Plan'>

/** A scope of a document that has the schema `Scope`. */
type ScopeOf<Components> = TextsOf<Components, 'Scope'>

/** The name of a window of limits in a document that has the schema `Window` with a `name`. */
type WindowNameOf<Components> = Components extends {
  schemas: { Window: { name: infer Texts extends string } }
}
  ? Texts
  : string

/** The engine's tools with a document's names of plans, scopes and windows. */
export type ToolsOf<T extends Types> = Narrowed<T, AnyTools>
type Narrowed<T extends Types, Some extends AnyTools> = Omit<Some, 'caller' | 'limits' | 'keys'> & {
  caller: Caller & { plan: PlanOf<T['components']>; scopes?: readonly ScopeOf<T['components']>[] }
  keys: Keys<{
    plan: PlanOf<T['components']>
    scope: ScopeOf<T['components']>
    window: WindowNameOf<T['components']>
  }>
} & (Some extends AnyFreeTools
    ? { limits(): Promise<readonly (WindowState & { name: WindowNameOf<T['components']> })[]> }
    : unknown)

/** The tools of an operation's handler. A repeatable operation has a transaction. */
type AllOf<T extends Types, Id extends OperationIdOf<T>> =
  In<T['facts'][Id], 'repeatable'> extends true
    ? Narrowed<T, AnyTools> & { db: Transaction<T['tables']> }
    : Narrowed<T, AnyFreeTools> & { db: Kysely<T['tables']> }

/** The names of an operation's tools. */
export type ToolName<T extends Types, Id extends OperationIdOf<T>> = keyof AllOf<T, Id>

/** The tools of a handler that uses some of them. The compiler shows them by this name, and not in full. */
export type Tools<T extends Types, Id extends OperationIdOf<T>, Uses extends ToolName<T, Id>> = {
  [Name in Uses | ('db' & ToolName<T, Id>)]: AllOf<T, Id>[Name]
}

/**
 * Handles one operation. It knows nothing of HTTP except the declared statuses.
 * With `Uses`, such as `'limits' | 'caller'`, it uses those tools beside the database. Its callers need no others.
 */
export type Handler<
  T extends Types,
  Id extends OperationIdOf<T>,
  Uses extends ToolName<T, Id> = ToolName<T, Id>,
> = (input: Input<T, Id>, context: Tools<T, Id, Uses>) => Promise<Answer<T, Id>>

/** One handler for each operation of the document, no more and no fewer. */
export type Handlers<T extends Types> = { [Id in OperationIdOf<T>]: Handler<T, Id> }

/**
 * Marks a handler whose writes are one statement. A request without an Idempotency-Key then needs no transaction
 * around it. With that key, it may run a second time from its beginning, after a rollback: where a row that it needs is
 * locked.
 */
export function inOneStatement<H extends object>(handler: H): H & { isOneStatement: true } {
  return Object.assign(handler, { isOneStatement: true as const })
}

/**
 * Stands in for the handler of an operation until it is written. `npm run dev` answers the operation from the document.
 * While there is a stub, `npm start` does not start and `npm run check` fails.
 */
export function stub(operation: string): (() => Promise<never>) & { isNotWritten: true } {
  const throwing = () => Promise.reject(new Error(`${operation} is not written yet`))
  return Object.assign(throwing, { isNotWritten: true as const })
}
