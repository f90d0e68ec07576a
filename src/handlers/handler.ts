import type { Database, Trx } from '../database/tables.ts'
import type { Caller, WindowState } from '../engine/access/caller.ts'
import type { FreeTools as AnyFreeTools, Tools as AnyTools } from '../engine/context.ts'
import type { Refusal } from '../engine/replies/api-error.ts'
import type { Versions } from '../engine/replies/etag.ts'
import type { operations as facts } from '../generated/operations.ts'
import type { operations as Operations } from '../generated/schema.ts'
import type { Seal } from '../keys/seal.ts'
import type { Plan, Scope, WindowName } from '../vocabulary.ts'

/** Every operationId of the document, but for those of webhooks and callbacks, which nobody serves. */
export type OperationId = keyof Operations & keyof typeof facts

/** Headers that the request's path through the server sets; a handler neither can nor must. */
type PipelineHeader =
  | 'X-RateLimit-Limit'
  | 'X-RateLimit-Remaining'
  | 'X-RateLimit-Reset'
  | 'RateLimit-Policy'
  | 'RateLimit'
  | 'X-Request-Id'
  | 'Cache-Control'
  | 'X-Content-Type-Options'
  | 'WWW-Authenticate'
  | 'Idempotent-Replayed'
  | 'Deprecation'
  | 'Sunset'
  | 'X-Stability'

type Parameters<Id extends OperationId, Place extends 'path' | 'query' | 'header' | 'cookie'> = [
  NonNullable<Operations[Id]['parameters'][Place]>,
] extends [never]
  ? Record<never, never>
  : NonNullable<Operations[Id]['parameters'][Place]>

/** Parameters as the handler sees them: those with a default are always there. */
type Sent<
  Id extends OperationId,
  Place extends 'query' | 'header' | 'cookie',
  All = Parameters<Id, Place>,
  Usual = keyof (typeof facts)[Id]['defaults'][Place] & keyof All,
> = Omit<All, Usual & keyof All> & Required<Pick<All, Usual & keyof All>>

/** One that may be left out is undefined then. */
type Body<Id extends OperationId> = Operations[Id] extends { requestBody: { content: infer Content } }
  ? Complete<Content[keyof Content], (typeof facts)[Id]['whenLeftOut']>
  : Operations[Id] extends { requestBody?: infer Sent }
    ? NonNullable<Sent> extends { content: infer Content }
      ? Complete<Content[keyof Content], (typeof facts)[Id]['whenLeftOut']> | undefined
      : undefined
    : undefined

/** A replacement as the handler sees it: what it leaves out is there, as its default or as null. */
type Complete<Sent, LeftOut> = [keyof LeftOut] extends [never]
  ? Sent
  : Omit<Sent, keyof LeftOut> & {
      [Name in keyof LeftOut & keyof Sent]-?: Exclude<Sent[Name], undefined> | LeftOut[Name]
    }

/** What the document lets a caller send to an operation, validated. */
export interface Input<Id extends OperationId> {
  path: Parameters<Id, 'path'>
  query: Sent<Id, 'query'>
  /** those header fields that are parameters, by their names in lower case */
  headers: { [Name in keyof Sent<Id, 'header'> as Lowercase<Name & string>]: Sent<Id, 'header'>[Name] }
  cookie: Sent<Id, 'cookie'>
  body: Body<Id>
  /** the versions that If-Match asks for */
  ifMatch?: Versions
}

/** Drops the index signature that openapi-typescript adds to every response's headers. */
type Declared<Headers> = { [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] }
type OwnHeaders<Headers> = Omit<Declared<Headers>, PipelineHeader>
type HeadersOf<Headers> =
  Record<never, never> extends OwnHeaders<Headers>
    ? { headers?: OwnHeaders<Headers> }
    : { headers: OwnHeaders<Headers> }
type BodyOf<Content> = [Content] extends [undefined]
  ? { body?: never }
  : { body: { [Type in keyof Content]: Content[Type] | ItemsOf<Type, Content[Type]> }[keyof Content] }

/** What a sequence of items may be instead of a list: something that gives one after another, as they come. */
type ItemsOf<Type, Body> = Type extends
  | `text/event-stream${string}`
  | `application/${string}${'jsonl' | 'ndjson' | 'json-seq'}${string}`
  ? Body extends readonly (infer Item)[]
    ? AsyncIterable<Item>
    : never
  : never

/** The statuses that a response is declared for: one, or with a range or `default` any that has no response of its own. */
type StatusOf<Key> = Key extends number ? Key : Key extends 'default' | `${number}XX` ? number : never

/** One of the replies that the document declares for an operation: status, headers and body belong together. */
export type Reply<Id extends OperationId> = {
  [Status in keyof Operations[Id]['responses']]: Operations[Id]['responses'][Status] extends {
    headers: infer Headers
    content?: infer Content
  }
    ? { status: StatusOf<Status> } & HeadersOf<Headers> & BodyOf<Content>
    : never
}[keyof Operations[Id]['responses']]

/** The codes that an operation may be refused with: those that its responses name. */
type CodeOf<Id extends OperationId> = keyof (typeof facts)[Id]['codes'] & string

/** What an operation may answer: one of its replies, or a refusal, whose status follows from its code. */
export type Answer<Id extends OperationId> = Reply<Id> | Refusal<CodeOf<Id>>

/** The engine's tools as this document has them: plans and windows have its names. */
export type Tools = Narrowed<AnyTools>
type Narrowed<Some extends AnyTools> = Omit<Some, 'caller' | 'limits'> & {
  caller: Caller & { plan: Plan; scopes?: readonly Scope[] }
} & (Some extends AnyFreeTools
    ? { limits(): Promise<readonly (WindowState & { name: WindowName })[]> }
    : unknown)

/** What an operation's handler may use: a transaction when its requests may be repeated. */
type AllOf<Id extends OperationId> = (typeof facts)[Id]['repeatable'] extends true
  ? Narrowed<AnyTools> & { db: Trx }
  : Narrowed<AnyFreeTools> & { db: Database }

/** The store, and of the tools those that are named. */
export type ContextOf<Id extends OperationId, Uses extends keyof AllOf<Id> = keyof AllOf<Id>> = Pick<
  AllOf<Id>,
  Uses | 'db'
>

/**
 * Answers one operation; knows nothing of HTTP but the declared statuses.
 * `Handler<'getUsage', 'limits' | 'caller'>` uses those two tools, and who calls it needs no others.
 */
export type Handler<Id extends OperationId, Uses extends keyof AllOf<Id> = 'db'> = (
  input: Input<Id>,
  context: ContextOf<Id, Uses>,
) => Promise<Answer<Id>>

/** A handler that is made once it is known how keys are stored. */
export type SealedHandler<Id extends OperationId, Uses extends keyof AllOf<Id> = 'db'> = (
  seal: Seal,
) => Handler<Id, Uses>

/**
 * Says of a handler that all it writes is one statement: a request that is not to be repeated then needs no transaction
 * around it.
 */
export function inOneStatement<H extends object>(handler: H): H & { isOneStatement: true } {
  return Object.assign(handler, { isOneStatement: true as const })
}

/** One handler for each operation of the document, no more and no fewer. */
export type Handlers = { [Id in OperationId]: Handler<Id, keyof AllOf<Id>> }
