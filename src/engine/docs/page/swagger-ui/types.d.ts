/** The plugin API of Swagger UI 5, as far as the page uses it: swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api */
import type { ComponentType, FunctionComponent } from 'react'
import type { OpenApi, Operation, OperationObject, Parameter, SecurityScheme } from '../document/types.d.ts'
import type { Components } from './components.d.ts'

/** A plugin: what it replaces, puts around others, and holds. */
export interface Part {
  components?: { [Name in keyof Components]?: FunctionComponent<Components[Name]> }
  wrapComponents?: {
    [Name in keyof Components]?: (
      original: ComponentType<Components[Name]>,
    ) => FunctionComponent<Components[Name]>
  }
  statePlugins?: Record<string, StatePlugin>
  fn?: Partial<Functions>
}

type Callable = (...values: never[]) => unknown

interface StatePlugin {
  actions?: Record<string, Callable>
  reducers?: Record<string, Callable>
  selectors?: Record<string, Callable>
  wrapActions?: Record<string, (original: never) => Callable>
  wrapSelectors?: Record<string, (original: never) => Callable>
}

/** The system of Swagger UI with all parts of the page. */
export interface System {
  /** version 18, which Swagger UI brings */
  React: typeof import('react')
  /** the system as it is now: a plugin gets one that lacks later plugins */
  getSystem(): System
  getComponent: GetComponent
  getConfigs: GetConfigs
  getState(): unknown
  getStore(): { dispatch(action: Action): void }
  fn: Functions
  errActions: { newThrownErr(error: Error): void }
  specActions: SpecActions
  specSelectors: SpecSelectors
  oas3Selectors: {
    requestBodyValue(path: string, method: string): string | FormValues | File | null
    requestContentType(path: string, method: string): string | null
    selectedServer(): string | null
    serverVariables(server: string): ImmutableMap<Record<string, string>> | null
  }
  layoutActions: {
    show(key: readonly string[], isShown: boolean): void
    updateFilter(search: string): void
  }
  layoutSelectors: {
    currentFilter(): unknown
    isShown(key: readonly string[], otherwise?: boolean): boolean
  }
  authActions: {
    /** Opens the dialog for these, or closes it. */
    showDefinitions(definitions: unknown): void
    authorizeWithPersistOption(credentials: Record<string, object>): void
    logoutWithPersistOption(names: readonly string[]): void
    restoreAuthorization(kept: { authorized: unknown }): void
  }
  authSelectors: {
    authorized(): ImmutableMap<Credentials>
    definitionsForRequirements(requirements: unknown): unknown
    definitionsToAuthorize(): unknown
    shownDefinitions(): unknown
  }
  /** see `key/access.js` */
  keyActions: { note(state: KeyState): void }
  keySelectors: { state(): KeyState }
  /** see `key/quota.js` */
  quotaActions: { observe(quota: Quota): void }
  quotaSelectors: { latest(): Partial<Quota> }
}

export type GetComponent = <Name extends keyof Components>(
  name: Name,
  isContainer?: boolean,
) => ComponentType<Components[Name]>

export type GetConfigs = () => unknown

interface Action {
  type: string
  payload?: unknown
}

export interface Functions {
  opId(operation: OperationObject, path: string, method: string): string | null
  buildRequest(options: object): { url: string; headers: Record<string, unknown>; body?: unknown }
  getSampleSchema: GetSampleSchema
  /** see `guide/changes.js` */
  noteVisit(): void
  /** see `operation/try-it.js` */
  requestSent(operation: Operation): string | undefined
  requestNow(operation: Operation): string | undefined
}

export type GetSampleSchema = (schema: unknown, mediaType: string, ...options: unknown[]) => unknown

export interface SpecActions {
  updateLoadingStatus(status: 'loading' | 'success' | 'failed'): void
  updateJsonSpec(document: unknown): void
  execute(request: unknown): void
  changeParamByIdentity(key: PathAndMethod, parameter: ImmutableMap<Parameter>, value: unknown): void
}

export interface SpecSelectors {
  loadingStatus(): string | undefined
  specJson(): ImmutableMap<OpenApi>
  specResolvedSubtree(at: readonly string[]): ImmutableMap<object> | undefined
  security(): unknown
  securityDefinitions(): ImmutableMap<Record<string, SecurityScheme>>
  operations(): ImmutableList<OperationState>
  /** the values in the form, by `place.name`, or by name */
  parameterValues(key: PathAndMethod): ImmutableMap<Record<string, unknown>>
  parameterWithMetaByIdentity(
    key: PathAndMethod,
    parameter: ImmutableMap<Parameter>,
  ): ImmutableMap<ParameterState> | undefined
  mutatedRequestFor(path: string, method: string): ImmutableMap<{ url: string }> | undefined
}

export type PathAndMethod = readonly [path: string, method: string]

/** An operation in Swagger UI's state. */
export interface OperationState {
  path: string
  method: string
  specPath: readonly string[]
}

/** A parameter with what the reader wrote into its field. */
export interface ParameterState extends Parameter {
  value?: unknown
}

/** The fields of a form for a body, by name. */
export interface FormValues {
  readonly size: number
  map(change: (entry: FormValue) => unknown): FormValues
  filter(isKept: (value: unknown) => boolean): FormValues
  toJS(): unknown
}

/** A value, or a map that holds it. */
type FormValue = { get?: (name: 'value') => unknown } | undefined

/** Credentials by the names of their schemes. */
export type Credentials = Record<string, Credential>

export interface Credential {
  name: string
  schema: SecurityScheme
  value?: string | { username?: string; password?: string }
  token?: { access_token?: string }
}

/** The reply of the operation that describes its caller: `status` is 0 if there is none, and undefined before it comes. */
export interface KeyState {
  asked: boolean
  status?: number | undefined
  body?: unknown
  retryAfter?: string | null
}

/** `reset` is in Unix seconds. */
export interface Quota {
  limit: number
  remaining: number
  reset: number
}

/** A reply to a request from the page. */
export interface Reply {
  url: string
  /** undefined: there is none */
  status?: number | undefined
  headers: Record<string, string | string[]>
  text?: string | undefined
  /** in ms */
  duration?: number | undefined
  /** why there is none */
  message?: string | undefined
}

/** A reply as Swagger UI keeps it. */
export type ReplyState = Partial<Omit<Reply, 'url'>>

/** A value as Immutable.js 3 holds it, which Swagger UI keeps its state in. */
export type Immutable<Plain> = Plain extends readonly (infer Item)[]
  ? ImmutableList<Item>
  : Plain extends object
    ? ImmutableMap<Plain>
    : Plain

export interface ImmutableMap<Plain> {
  readonly size: number
  get<Name extends keyof Plain>(name: Name): Immutable<Plain[Name]> | undefined
  getIn(path: readonly string[]): ImmutableMap<object> | undefined
  set(name: keyof Plain, value: unknown): ImmutableMap<Plain>
  delete(name: string): ImmutableMap<Plain>
  update<Name extends keyof Plain>(
    name: Name,
    change: (value: Immutable<Plain[Name]> | undefined) => unknown,
  ): ImmutableMap<Plain>
  merge(others: Partial<Plain>): ImmutableMap<Plain>
  clear(): ImmutableMap<Plain>
  map(change: (value: Immutable<Plain[keyof Plain]>, name: keyof Plain) => unknown): ImmutableMap<Plain>
  keySeq(): { first(): keyof Plain | undefined }
  toObject(): Plain
  toJS(): Plain
}

export interface ImmutableList<Item> extends Iterable<Immutable<Item>> {
  find(isWanted: (item: Immutable<Item>) => boolean): Immutable<Item> | undefined
  toArray(): Immutable<Item>[]
}
