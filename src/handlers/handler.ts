import type { Context, RepeatableContext } from '../engine/context.ts'
import { ApiError } from '../engine/replies/api-error.ts'
import type { Versions } from '../engine/replies/etag.ts'
import type { operations as facts } from '../generated/operations.ts'
import type {
  ErrorCode,
  ErrorDetail,
  operations as Operations,
  Error as WireError,
} from '../generated/schema.ts'

/** Every operationId of the document. */
export type OperationId = keyof Operations

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

type Parameters<Id extends OperationId, Place extends 'path' | 'query' | 'header'> = [
  NonNullable<Operations[Id]['parameters'][Place]>,
] extends [never]
  ? Record<never, never>
  : NonNullable<Operations[Id]['parameters'][Place]>

/** Query parameters as the handler sees them: those with a default are always there. */
type Query<Id extends OperationId> = Omit<
  Parameters<Id, 'query'>,
  keyof (typeof facts)[Id]['queryDefaults']
> &
  Required<
    Pick<Parameters<Id, 'query'>, keyof (typeof facts)[Id]['queryDefaults'] & keyof Parameters<Id, 'query'>>
  >

type Body<Id extends OperationId> = Operations[Id] extends { requestBody: { content: infer Content } }
  ? Content[keyof Content]
  : undefined

/** What the document lets a caller send to an operation, validated. */
export interface Input<Id extends OperationId> {
  path: Parameters<Id, 'path'>
  query: Query<Id>
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
type BodyOf<Content> = [Content] extends [undefined] ? { body?: never } : { body: Content[keyof Content] }

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

/** Answers one operation; knows nothing of HTTP but the declared statuses. */
export type Handler<Id extends OperationId> = (input: Input<Id>, context: ContextOf<Id>) => Promise<Reply<Id>>

/** What an operation's handler may use: a transaction when its requests may be repeated. */
export type ContextOf<Id extends OperationId> = (typeof facts)[Id]['repeatable'] extends true
  ? RepeatableContext
  : Context

/** One handler for each operation of the document, no more and no fewer. */
export type Handlers = { [Id in OperationId]: Handler<Id> }

/**
 * A declared refusal: the business rule's answer, as opposed to a fault of the request's form.
 * @param details the fields that it is about
 */
export function refusal<Status extends number>(
  status: Status,
  code: ErrorCode,
  message: string,
  details?: ErrorDetail[],
): { status: Status; body: WireError } {
  return { status, body: new ApiError(status, code, message, details && { details }).toBody() }
}

/** The refusal of a change to a version that is not the present one any more. */
export function preconditionFailed() {
  return refusal(412, 'precondition_failed', 'The record has changed: its ETag is not in If-Match any more.')
}
