import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../src/document/pointer.ts'
import { changedByUse } from '../conventions.ts'

/** A record as one reply has it. */
interface Shown {
  body: unknown
  tag: string | undefined
  /** those that the document declares for this reply */
  properties: ReadonlySet<string>
}

/** Whether a record was used between two looks at it: a time has come, or a later one. */
const isUsedBetween = (one: unknown, other: unknown) =>
  typeof other === 'string' && (one === undefined || (typeof one === 'string' && one < other))

/** What of a record as its write has answered it is not as it is read afterwards. */
export function* recordFaults(written: Shown, read: Shown, url: string): Generator<string> {
  const [one, other] = [written.body, read.body]
  let isUsed = false
  if (isObject(one) && isObject(other))
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      // One that a reply does not declare it need not have.
      if (!written.properties.has(name) || !read.properties.has(name)) continue
      if (isDeepStrictEqual(one[name], other[name])) continue
      if (changedByUse.has(name) && isUsedBetween(one[name], other[name])) isUsed = true
      else
        yield `its reply has ${name} as ${JSON.stringify(one[name])}, and GET ${url} then as ${JSON.stringify(other[name])}`
    }
  if (!isUsed && written.tag !== undefined && read.tag !== undefined && written.tag !== read.tag)
    yield `its reply has the ETag ${written.tag}, and GET ${url} then ${read.tag}`
}
