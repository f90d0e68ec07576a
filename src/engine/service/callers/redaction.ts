import { isObject } from 'spec-served-document/pointer'
import { keyForm } from './api-key.ts'

/** Runs of the characters of tokens, as they are or percent-encoded. None is shorter than the least token. */
const runs = /[\w.%-]{20,}/g
/** A character that is percent-encoded, once or several times over (RFC 3986, section 2.1). */
const encoded = /%(?:25)*(?!25)([\da-f]{2})/gi
/** The beginning of a token: `{"` in base64url. */
const beginning = 'eyJ'

/**
 * Returns a function that removes everything that has the form of a service's API key or of a JSON Web Token from a text, such
 * as a log line. Callers may put a credential anywhere.
 * @param name of the service
 */
export function redactor(name: string): (text: string) => string {
  const { redact } = keyForm(name)
  return text => {
    if (!text.includes(beginning) && !text.includes('%')) return redact(text)
    return redact(text).replace(runs, run => (holdsToken(run) ? '[redacted token]' : run))
  }
}

/** Whether a run holds a token in compact form (RFC 7519, section 3): a JOSE header, a dot, and more. It may be cut. */
function holdsToken(run: string): boolean {
  const text = run.replace(encoded, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  const parts = text.split('.').slice(0, -1)
  return parts.some(part => part.includes(beginning) && isHeader(part.slice(part.indexOf(beginning))))
}

function isHeader(part: string): boolean {
  try {
    return isObject(JSON.parse(Buffer.from(part, 'base64url').toString()))
  } catch {
    return false
  }
}
