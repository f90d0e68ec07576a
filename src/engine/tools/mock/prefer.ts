import { longestDelayMs } from './disturbance.ts'

/** A client's preferences for a mock's reply, as Prism's users know them. */
export interface Preferences {
  /** the status of the reply */
  code?: string | undefined
  /** the name of the example */
  example?: string | undefined
  /** Whether values are drawn from the schema even where there are examples. */
  dynamic: boolean
  /** the wait before the reply, in ms */
  delay?: number | undefined
}

/**
 * Reads a Prefer field (RFC 7240, section 2). The first of each preference counts, and names have no case. Parameters
 * of a preference and unknown preferences are passed over.
 */
export function preferencesIn(field: string | undefined): Preferences {
  const said = new Map<string, string>()
  for (const [, name = '', quoted, plain] of (field ?? '').matchAll(preference)) {
    const key = name.toLowerCase()
    if (!said.has(key)) said.set(key, quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '')
  }
  const delay = said.get('delay') ?? ''
  return {
    code: said.get('code'),
    example: said.get('example'),
    dynamic: said.get('dynamic') === 'true',
    ...(/^\d{1,9}$/.test(delay) && { delay: Math.min(Number(delay), longestDelayMs) }),
  }
}

const token = "[\\w!#$%&'*+.^`|~-]+"
const preference = new RegExp(
  `(?:^|,)\\s*(${token})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token})))?(?:\\s*;[^,]*)?(?=\\s*(?:,|$))`,
  'g',
)

/** The same as a Preference-Applied field (RFC 7240, section 3); undefined where nothing was preferred. */
export function applied({ code, example, dynamic, delay }: Preferences): string | undefined {
  const isToken = new RegExp(`^${token}$`)
  const said = Object.entries({
    code,
    example,
    dynamic: dynamic ? 'true' : undefined,
    delay: delay?.toString(),
  }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${isToken.test(value) ? value : JSON.stringify(value)}`,
  )
  return said.length > 0 ? said.join(', ') : undefined
}
