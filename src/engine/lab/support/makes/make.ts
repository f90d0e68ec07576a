/** A service of another make, as the papers of its framework write one. */
export interface Make {
  /** its document, as the framework writes it */
  document: object
  /** the credentials of its callers, as `--auth` has them */
  auth: readonly string[]
  /** each fault that it can have, and how the check names it */
  faults: Readonly<Record<string, RegExp>>
  /** Starts it, right or with a fault. @returns where it is */
  start(fault?: string): Promise<{ url: string; close(): void }>
}

const json = (schema: object) => ({ 'application/json': { schema } })

/** A reply of JSON. */
export const replies = (description: string, schema: object, headers?: object) => ({
  description,
  content: json(schema),
  ...(headers && { headers }),
})

/** A body of JSON that must be there. */
export const bodyOf = (schema: object) => ({ required: true, content: json(schema) })

export const inQuery = (name: string, schema: object) => ({ name, in: 'query', schema })
export const inPath = (name: string, schema: object) => ({ name, in: 'path', required: true, schema })

/** The value of a JSON text; undefined for what is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
