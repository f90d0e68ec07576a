import type { Header, Reference } from '../../../src/document/types.ts'
import { type Change, gone, placed, type Severity } from '../change.ts'
import { isOver } from '../lifecycle.ts'
import { entries, type Located } from '../located.ts'
import type { Context } from '../schemas/difference.ts'
import { addedPart, compareRequired } from './required.ts'
import { compareWritten } from './written.ts'

type Headers = Located<Record<string, Header | Reference>> | undefined

/** Judges what changes in the headers of a reply; their names have no case. */
export function* compareHeaders(base: Headers, next: Headers, context: Context): Generator<Change> {
  const [before, after] = [byName(base), byName(next)]
  for (const [key, { name, header }] of before) {
    const same = after.get(key)?.header
    yield* placed(
      `header ${name}`,
      same ? compareHeader(header, same, context) : [removedHeader(header, context)],
    )
  }
  for (const [key, { name, header }] of after)
    if (!before.has(key)) yield* placed(`header ${name}`, [addedPart('header', header, context.reader)])
}

/** `Content-Type` is what the media types say. */
function byName(headers: Headers) {
  const named = entries(headers).filter(([name]) => !/^content-type$/i.test(name))
  return new Map(named.map(([name, header]) => [name.toLowerCase(), { name, header }]))
}

function removedHeader(header: Located<Header>, { reader, day }: Context): Change {
  const report = (severity: Severity, why: string) =>
    gone(severity, 'header-removed', header, 'the header is gone', why)
  if (isOver(header.node, day)) return report('info', 'its sunset has passed')
  return reader === 'request'
    ? report('warning', 'what clients send is not read any more')
    : report('breaking', 'clients that read it find nothing')
}

function* compareHeader(base: Located<Header>, next: Located<Header>, context: Context): Generator<Change> {
  yield* compareRequired('header', base, next, context.reader)
  yield* compareWritten(base, next, context)
}
