import type { ReactNode } from 'react'
import type {
  ListedValue,
  Operation,
  Parameter,
  RequestBody,
  Schema,
  SecurityScheme,
  TaggedOperations,
} from '../document/types.d.ts'
import type {
  Credentials,
  GetConfigs,
  GetSampleSchema,
  ImmutableList,
  ImmutableMap,
  OperationState,
  PathAndMethod,
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
  Rules: None
  Lifetimes: None
  // key/
  Access: None
  KeyFields: { operation: Operation }
  KeyState: None
  Quota: None
  // operation/controls.js
  Named: { name: string | undefined; isJson?: boolean; className?: string; children?: ReactNode }
  // operation/fields.js
  Fields: { schema: Schema; isRequest?: boolean; depth?: number }
  Values: { listed: ListedValue[] | undefined }
  // operation/row.js
  Place: { tag: string; operation: Operation }
  // reply/answer.js
  Answer: OfReplies & { operation: Operation; response: ImmutableMap<ReplyState> }
  TryItHint: { operation: Operation }
  // sections/
  Introduction: None
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

  parameters: { parameters: ImmutableList<Parameter> }
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
    example?: ReactNode
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
  authorizeOperationBtn: { isAuthorized: boolean; onClick(): void }
  authorizationPopup: None
  AuthItem: { name: string }
  apiKeyAuth: {
    name: string
    schema: ImmutableMap<SecurityScheme>
    authorized?: ImmutableMap<Credentials>
    onChange(credential: { name: string; schema: ImmutableMap<SecurityScheme>; value: string }): void
  }
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
