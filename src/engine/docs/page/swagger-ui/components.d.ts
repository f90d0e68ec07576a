import type { ReactElement, ReactNode } from 'react'
import type {
  ListedValue,
  Operation,
  Parameter,
  RequestBody,
  Response,
  Schema,
  SecurityScheme,
  TaggedOperations,
} from '../document/types.d.ts'
import type {
  GetConfigs,
  GetSampleSchema,
  ImmutableList,
  ImmutableMap,
  OperationState,
  PathAndMethod,
  Reply,
  ReplyState,
  SpecActions,
  SpecSelectors,
} from './types.d.ts'

/** The components that are used by name, with their properties. */
export interface Components extends PageComponents, SwaggerComponents {}

type None = Record<never, never>

/** The components of the page, by the file that draws each. */
interface PageComponents {
  // code/box.js
  Code: {
    text: string
    /** what the button copies instead of the text */
    copied?: string
    label: string
    language?: string
    /** stands beside the buttons */
    head?: ReactNode
    /** the name of a download */
    fileName?: string | undefined
  }
  // code/tabs.js
  Tabs: {
    label: string
    tabs: { name: string; title: string; className?: string }[]
    selected: string | undefined
    select(name: string): void
    /** the `id` of what the tabs change */
    controls?: string
  }
  // code/samples.js
  Samples: { operation: Operation }
  // contents/
  Navigation: { close(): void }
  Search: None
  Results: { close(): void }
  // frame/links.js
  Links: None
  // guide/
  Guide: None
  Agents: None
  Changes: None
  ErrorCodes: None
  CommonHeaders: None
  Plans: None
  Lifetimes: None
  // key/
  Access: None
  KeyField: {
    name: string
    scheme: SecurityScheme
    /** whether a reply says that the given one is wrong */
    isRefused?: boolean | undefined
    place?: 'page' | 'chapter' | 'dialog'
  }
  KeyFields: { operation: Operation; isRefused?: boolean }
  KeyState: None
  Quota: None
  // fields/body-form.js
  BodyForm: { text: string; change(text: string): void; children?: ReactNode }
  BodyInput: { schema: Schema; at: string[] }
  // operation/controls.js
  Named: { name: string | undefined; isJson?: boolean; className?: string; children?: ReactNode }
  // fields/fields.js
  Fields: {
    schema: Schema
    isRequest?: boolean
    depth?: number
    /** the address of the value on the page; those of its fields begin with it */
    address?: string | undefined
    /** the place of the value in the body that a form edits */
    at?: string[] | undefined
  }
  Values: { listed: ListedValue[] | undefined }
  // operation/rules.js
  Rules: { path: string; method: string }
  // operation/row.js
  Place: { tag: string; operation: Operation }
  // reply/answer.js
  Answer: {
    reply: Reply
    operation: Operation
    /** whether the form has another request by now */
    isEarlier?: boolean
    /** whether the field for the key stands beside it */
    hasKeyField?: boolean
  }
  TryItHint: { operation: Operation }
  // reply/replies.js
  Examples: { response: Response; status: string; operation: Operation; label?: string }
  // sections/
  Introduction: None
  FirstCall: None
  OperationTag: TaggedOperations & { level?: 2 | 3 }
  Webhooks: None
  // theme/colour-scheme.js
  ColourScheme: None
}

/** Swagger UI's own components, as far as the page uses, replaces or wraps them. */
interface SwaggerComponents {
  BaseLayout: None
  SvgAssets: None
  errors: None
  operations: None
  Models: None
  ServersContainer: None
  Markdown: { source: string; getConfigs?: GetConfigs }
  DeepLink: { text: ReactNode }
  Collapse: { isOpened: boolean; children?: ReactNode }
  ArrowUpIcon: { className: string }
  ArrowDownIcon: { className: string }
  CopyToClipboardBtn: { textToCopy: string }
  HighlightCode: { children?: ReactNode; language?: string; downloadable?: boolean; fileName?: string }

  OperationContainer: OperationStateProps
  OperationSummary: {
    operationProps: ImmutableMap<{ path: string; method: string }>
    isShown: boolean
    toggleShown(): void
  }
  TryItOutButton: { hasUserEditedBody: boolean; onResetClick(): void }
  execute: {
    path: string
    method: string
    specActions: SpecActions
    onExecute?: (() => void) | undefined
  }

  parameters: { parameters: ImmutableList<Parameter>; pathMethod: PathAndMethod }
  parameterRow: {
    /** as the document has it */
    rawParam: ImmutableMap<Parameter>
    param: ImmutableMap<Parameter>
    pathMethod: PathAndMethod
    specSelectors: SpecSelectors
    isExecute: boolean
    onChange(parameter: ImmutableMap<Parameter>, value: unknown): void
  }
  ParameterIncludeEmpty: {
    isIncluded: boolean
    isIncludedOptions?: { shouldDispatchInit: boolean; defaultValue: boolean }
    isDisabled: boolean
    onChange(isIncluded: boolean): void
  }
  JsonSchemaForm: { schema?: ImmutableMap<Schema>; description?: string; required?: boolean }
  Select: {
    allowedValues: Iterable<unknown>
    allowEmptyValue?: boolean
    className?: string
    disabled?: boolean
    multiple?: boolean
    value?: unknown
    onChange(value: string | string[]): void
  }
  JsonSchema_string: object
  JsonSchema_string_binary: object
  JsonSchema_integer_int64: object
  TextArea: {
    value?: unknown
    spellCheck?: boolean
    'aria-invalid'?: boolean
    'aria-describedby'?: string | undefined
  }
  RequestBody: {
    specPath: { toArray(): string[] }
    contentType?: string
    requestBody: ImmutableMap<RequestBody>
    fn: { getSampleSchema: GetSampleSchema }
  }
  modelExample: {
    schema: ImmutableMap<Schema> | Schema
    includeWriteOnly?: boolean
    isExecute?: boolean
    specPath: ImmutableList<string> | string[]
    /** Swagger UI's editor of the body, or of a value of a form */
    example?: ReactElement<{ value?: unknown; onChange(text: string): void }>
  }

  responses: OfReplies
  responseBody: {
    content: string
    contentType: string | string[] | undefined
    url: string
    headers: object
    getConfigs: GetConfigs
    getComponent: unknown
  }

  authorizeBtn: { isAuthorized: boolean; showPopup: boolean; onClick(): void; getComponent: unknown }
  LockAuthIcon: None
  UnlockAuthIcon: None
  LockAuthOperationIcon: None
  UnlockAuthOperationIcon: None
  authorizationPopup: None
  /** by the names of their schemes */
  auths: { definitions: ImmutableMap<Record<string, SecurityScheme>> }
  AuthItem: { name: string }
}

interface OperationStateProps {
  tag: string
  op: ImmutableMap<OperationState>
  path: string
  method: string
  specPath: ImmutableList<string> | undefined
}

interface OfReplies {
  path: string
  method: string
  tryItOutResponse?: ImmutableMap<ReplyState>
  getConfigs: GetConfigs
}
