import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../replies/api-error.ts'
import { excerpt } from '../requests/faults.ts'
import { pathOf } from './operation.ts'

/** A path of the server, as its routes tell of it. */
interface KnownPath {
  segments: readonly string[]
  /** HEAD last */
  methods: readonly string[]
}

/** Adds what a browser asks before it sends a request to another origin. */
export type AnswerPreflight = (request: FastifyRequest, reply: FastifyReply, methods: string) => void

/** Answers where there is no operation. */
export type AnswerUnknown = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Where the router finds nothing: the path is unknown, or it is known but lacks the method. OPTIONS asks for the methods
 * of a path, and with `*` for those of the server (RFC 9110, section 9.3.7).
 * Knows each route that is registered later on, so that Allow is true of the docs as well.
 * @returns the answer; as a hook calls it before a body is read, it throws ApiError
 */
export function registerNotFound(app: FastifyInstance, answerPreflight: AnswerPreflight): AnswerUnknown {
  const urls = new Set<string>()
  const verbs = new Set<string>()
  app.addHook('onRoute', ({ method, url }) => {
    urls.add(url)
    for (const verb of [method].flat()) verbs.add(verb.toUpperCase())
  })
  let known: KnownPath[] = []
  app.addHook('onReady', async () => {
    const ordered = [...verbs].sort((a, b) => Number(a === 'HEAD') - Number(b === 'HEAD'))
    known = [...urls].map(url => ({
      segments: url.split('/'),
      // The router knows better than the hook, which is not told of each method of `/docs/`.
      methods: ordered.filter(method => app.hasRoute({ method, url })),
    }))
  })

  const answer: AnswerUnknown = (request, reply) => {
    const path = pathOf(request.url)
    const methods = methodsAt(known, path)
    if (!methods || methods.includes(request.method))
      throw new ApiError('not_found', `There is nothing at ${excerpt(request.url.split('?', 1)[0] ?? '')}.`)
    const allow = [...methods, 'OPTIONS'].join(', ')
    if (request.method !== 'OPTIONS')
      throw new ApiError('method_not_allowed', `This path takes ${allow}.`, {
        headers: { Allow: allow },
      })
    if (path !== '*') answerPreflight(request, reply, allow)
    return reply.code(204).header('Allow', allow).send()
  }
  app.setNotFoundHandler(answer)
  return answer
}

/** The methods of a path, or undefined when nothing is there; those of the path with the earliest literal segment. */
function methodsAt(known: readonly KnownPath[], path: string): readonly string[] | undefined {
  if (path === '*') return [...new Set(known.flatMap(({ methods }) => methods))]
  const segments = path.split('/')
  const matching = known.filter(candidate => matches(candidate.segments, segments))
  const [first] = matching.sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))
  return first?.methods
}

const isParameter = (segment: string) => segment.startsWith(':')

function matches(template: readonly string[], segments: readonly string[]): boolean {
  const isOpen = template.at(-1) === '*'
  if (isOpen ? segments.length < template.length : segments.length !== template.length) return false
  return template.every(
    (own, i) => own === '*' || (isParameter(own) ? segments[i] !== '' : own === segments[i]),
  )
}

/** Sorts literal segments before parameters, and those before wildcards. */
const rankOf = ({ segments }: KnownPath) =>
  segments.map(segment => (segment === '*' ? '2' : isParameter(segment) ? '1' : '0')).join('')
