import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { LRUCache } from 'lru-cache'
import type { Model, OperationModel } from 'spec-served-document/model'
import { lookUp, pathOf } from 'spec-served-document/pointer'
import type { AnyReply } from '../errors/api-error.ts'

/** The versions that a caller accepts; undefined accepts all. */
export type Versions = readonly number[] | undefined

const br = promisify(brotliCompress)
/** The content codings of replies (RFC 9110, section 8.4.1), in order of preference. */
const coders = {
  // The default quality, 11, takes 30 times as long.
  br: (bytes: Buffer) => br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: promisify(zstdCompress),
  gzip: promisify(gzip),
}
type Coding = keyof typeof coders
const codings = Object.keys(coders) as Coding[] // the keys of `coders`

/** The greatest number that a column of type integer holds. */
const lastVersion = 2 ** 31 - 1
/** A version, then the place and the form of its record, which older releases did not send, then a coding. */
const versionTag = new RegExp(
  `^"([1-9]\\d{0,9})(?:-([0-9a-f]{4})[0-9a-f]{8})?(?:-(?:${codings.join('|')}))?"$`,
)

/** The strong ETag of a record's version (RFC 9110, section 8.8.3). The engine adds its place and form. */
export function etagOf(version: number): string {
  return `"${version}"`
}

/**
 * Returns the functions for an operation's versions. A version's ETag also names the place and the form of the record: a
 * version belongs to one path, and a release that changes the schema changes the ETag (RFC 9110, section 8.8.1). Both are
 * those of the operation that reads the record, so that a write has the ETag of the read.
 */
export function versionsOf(model: Model, operation: OperationModel) {
  let cached: { place: string; form: string } | undefined
  const representation = () => {
    cached ??= placeAndForm(model, readFor(model, operation) ?? operation)
    return cached
  }
  return {
    /** Adds place and form to the ETag of a reply that has a version. */
    tagged(reply: AnyReply): AnyReply {
      for (const name in reply.headers) {
        if (name.length !== 4 || name.toLowerCase() !== 'etag') continue
        const tag = reply.headers[name]
        if (typeof tag !== 'string' || !/^"\d+"$/.test(tag)) continue
        const { place, form } = representation()
        return { ...reply, headers: { ...reply.headers, [name]: `${tag.slice(0, -1)}-${place}${form}"` } }
      }
      return reply
    },
    /**
     * Returns the versions that If-Match names, whatever their form and coding: the version alone says whether a change
     * would be lost. Weak tags never match (RFC 9110, 13.1.1).
     */
    namedIn(ifMatch: string | undefined): Versions {
      if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
      const versions = tagsIn(ifMatch).flatMap(tag => {
        const [, version, place = representation().place] = versionTag.exec(tag) ?? []
        return version !== undefined && place === representation().place ? [Number(version)] : []
      })
      return versions.filter(version => version <= lastVersion)
    },
  }
}

function placeAndForm({ document }: Model, { path, responses }: OperationModel) {
  const success = [...responses].find(([status]) => status.startsWith('2'))?.[1]
  const references = new Set<string>()
  const write = (node: unknown) =>
    JSON.stringify(node, (name, value) => {
      if (name === '$ref' && typeof value === 'string') references.add(value)
      return name === 'description' && typeof value === 'string' ? undefined : value
    })
  const texts = Object.values(success?.content ?? {}).map(({ schema }) => write(schema))
  // The set grows meanwhile.
  for (const reference of references) texts.push(write(lookUp(document, pathOf(reference.slice(1)) ?? [])))
  const begin = (text: string, length: number) => hash('sha256', text, 'hex').slice(0, length)
  return { place: begin(path.replace(/\{[^}]*\}/g, '{}'), 4), form: begin(texts.join(), 8) }
}

/** Returns the operation that reads an operation's record: for a POST one segment below, else at its path or above. */
function readFor({ operations }: Model, { method, path }: OperationModel): OperationModel | undefined {
  const reads = operations.filter(other => other.method === 'GET')
  const isBelow = (other: string) =>
    other.startsWith(`${path}/{`) && !other.slice(path.length + 1).includes('/')
  const below = method === 'POST' ? reads.find(other => isBelow(other.path)) : undefined
  if (below) return below
  for (let parent = path; parent !== ''; parent = parent.slice(0, parent.lastIndexOf('/'))) {
    const read = reads.find(other => other.path === parent)
    if (read) return read
  }
  return undefined
}

/** Whether If-None-Match names the tag, by weak comparison (RFC 9110, section 13.1.2). */
export function isNamedIn(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const opaque = (text: string) => text.replace(/^W\//, '')
  return tagsIn(ifNoneMatch).some(named => opaque(named) === opaque(tag))
}

const tagsIn = (list: string): string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? []

/** Returns a text for ETags. Other content practically never gets the same text. */
export const digest = (content: string | Buffer): string => hash('sha256', content, 'base64url')

/**
 * Sends replies in the client's preferred coding, or a declared 304 if the client has the content. A record has its own
 * strong ETag. Other content gets a weak ETag from its text.
 */
export const conditionalRequests = fp(async app => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { facts } = request.destination
    if (!facts || typeof payload !== 'string') return done(null, payload)
    const isConditional = facts.statuses.includes(304)
    if (reply.statusCode === 200 && isConditional && !reply.hasHeader('etag'))
      reply.header('etag', `W/"${digest(payload).slice(0, 16)}"`)
    const sent = sendSelected(request, reply, payload, isConditional)
    if (sent instanceof Promise) sent.then(content => done(null, content), done)
    else done(null, sent)
  })
})

/** Shortest content that is worth a coding, in bytes. Below it, compression saves less than a packet. */
const worthCoding = 1_024

/** The content of a reply. Null is none; HEAD takes an empty stream for it. */
type Content = string | Buffer | Readable | null

/**
 * Returns the content in the client's preferred coding, or 304 if the client has it (RFC 9110, 12.5.3 and 13.1.2). Only a
 * coding takes a promise.
 * @param isConditional whether If-None-Match counts
 * @param coded keeps compressed content whose ETag is its digest, so that it is compressed once
 */
export function sendSelected(
  request: FastifyRequest,
  reply: FastifyReply,
  content: string | Buffer,
  isConditional: boolean,
  coded?: LRUCache<string, Buffer>,
): Content | Promise<Content> {
  const { 'accept-encoding': accepted, 'if-none-match': ifNoneMatch } = request.headers
  if (accepted === undefined && ifNoneMatch === undefined) return content
  const isLong = Buffer.byteLength(content) >= worthCoding
  const coding = staysAsItIs(reply) ? null : preferredCoding(accepted, isLong)
  let tag = reply.getHeader('etag')
  if (typeof tag === 'string') {
    // A strong tag stands for bytes, so each coding of the content has its own (RFC 9110, section 8.8.3.3).
    if (coding && !tag.startsWith('W/')) tag = `${tag.slice(0, -1)}-${coding}"`
    reply.header('etag', tag)
    if (
      isConditional &&
      reply.statusCode === 200 &&
      ifNoneMatch !== undefined &&
      isNamedIn(ifNoneMatch, tag)
    ) {
      reply.code(304).removeHeader('content-type').removeHeader('content-length')
      // Fastify's HEAD can't take null, and gives every text a length. A 304 has none (RFC 9110, section 8.6).
      return request.method === 'HEAD' ? Readable.from([]) : null
    }
  }
  if (!coding) return content
  reply.header('content-encoding', coding)
  return inCoding(coding, content, `${tag}`, coded)
}

/**
 * Whether a reply has no other coding than its own: the bytes of a range (RFC 9110, 14.1.2: it counts those of the coding),
 * what has a coding already, what no intermediary may transform either (RFC 9111, 5.2.2.6), and a stream of events.
 */
function staysAsItIs(reply: FastifyReply): boolean {
  return (
    reply.hasHeader('content-range') ||
    reply.hasHeader('content-encoding') ||
    /\bno-transform\b/i.test(String(reply.getHeader('cache-control'))) ||
    /^(text\/event-stream|multipart\/byteranges)\b/i.test(String(reply.getHeader('content-type')))
  )
}

async function inCoding(
  coding: Coding,
  content: string | Buffer,
  tag: string,
  coded: LRUCache<string, Buffer> | undefined,
): Promise<Buffer> {
  const bytes = coded?.get(tag) ?? (await coders[coding](Buffer.from(content)))
  coded?.set(tag, bytes)
  return bytes
}

/**
 * Returns the client's preferred coding, by our order among equals; null for none (RFC 9110, 12.4.1 and 12.5.3).
 * @param isLong whether the content is worth a coding; shorter content gets one if the client refuses it without
 */
function preferredCoding(acceptEncoding = '', isLong = true): Coding | null {
  const members = acceptEncoding.toLowerCase().split(',')
  const weights = new Map(
    members.map(member => {
      const [name = '', ...parameters] = member.split(';').map(part => part.trim())
      const [, quality = '1'] = parameters.flatMap(text => /^q\s*=(.*)$/.exec(text) ?? [])
      const weight = Number(quality || Number.NaN)
      return [name.replace(/^x-gzip$/, 'gzip'), weight >= 0 && weight <= 1 ? weight : 0]
    }),
  )
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  if (!isLong && (weights.get('identity') ?? weights.get('*')) !== 0) return null
  const [best] = codings.toSorted((a, b) => weightOf(b) - weightOf(a))
  return best && weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null
}
