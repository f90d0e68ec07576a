/** The server writes this module: see ../../page.ts. */
export const served: Served

export interface Served {
  links: Links
  /** the rules between records: by operationId, a list of when and what */
  rules: Readonly<Record<string, readonly (readonly string[])[]>>
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
