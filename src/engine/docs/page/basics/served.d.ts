/** The server writes this module: see ../../page.ts. */
export const served: Served

export interface Served {
  links: Links
  /** the versions of the released documents, the newest first */
  releases: readonly string[]
  /** the rules between records in sentences of Markdown, by operationId */
  rules: Readonly<Record<string, readonly string[]>>
  /** the security scheme of the keys that the engine makes, and what they begin with; absent: it makes none */
  key?: { scheme: string; prefix: string } | undefined
  /** bodies that fit, by operationId and media type, where the document has no example that does */
  bodies: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Paths at the service itself: a proxy may serve them below another one. */
export interface Links {
  page: string
  document: string
  json: string
  yaml: string
  changes?: string | undefined
  feed?: string | undefined
  sunsets?: string | undefined
  mcp?: string | undefined
}
