/** A request as samples of code show it. */
export interface PlainRequest {
  method: string
  url: string
  headers: [name: string, value: string][]
  /** the body as a text */
  text: string | undefined
  /** a body that is a file */
  file: { name: string } | undefined
  /** the parts of a form, texts or files */
  form: [name: string, value: string | { name: string }][] | undefined
  /** whether the body is JSON */
  isJson: boolean
  /** whether a reply is JSON */
  hasReply: boolean
}

export function curlSnippet(request: PlainRequest): string
export function javascriptSnippet(request: PlainRequest): string
export function pythonSnippet(request: PlainRequest): string
