import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../src/document/references.ts'

/** A record as one reply has it. */
interface Shown {
  body: unknown
  tag: string | undefined
  /** those that the document declares for this reply */
  properties: ReadonlySet<string>
}

/** What of a record as its write has answered it is not as it is read afterwards. */
export function* recordFaults(written: Shown, read: Shown, url: string): Generator<string> {
  const [one, other] = [written.body, read.body]
  if (isObject(one) && isObject(other))
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      // One that a reply does not declare it need not have.
      if (!written.properties.has(name) || !read.properties.has(name)) continue
      if (!isDeepStrictEqual(one[name], other[name]))
        yield `its reply has ${name} as ${JSON.stringify(one[name])}, and GET ${url} then as ${JSON.stringify(other[name])}`
    }
  if (written.tag !== undefined && read.tag !== undefined && written.tag !== read.tag)
    yield `its reply has the ETag ${written.tag}, and GET ${url} then ${read.tag}`
}
