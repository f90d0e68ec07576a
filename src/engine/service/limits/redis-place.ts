/** The place of a Redis or Valkey: one server, a Cluster, or the Sentinels that know it. */
export interface RedisPlace {
  kind: 'single' | 'cluster' | 'sentinel'
  /** the servers, or the Sentinels; none for a socket */
  nodes: { host: string; port: number }[]
  /** the path of a Unix socket */
  socket?: string | undefined
  username?: string | undefined
  password?: string | undefined
  /** the number of the database */
  db: number
  /** the name by which Sentinels know the server */
  master?: string | undefined
  /** those of the Sentinels, if they have some */
  sentinelUsername?: string | undefined
  sentinelPassword?: string | undefined
  hasTls: boolean
  /** the file of the authority that must have signed the certificates */
  authority?: string | undefined
}

const form = /^(redis|rediss|valkey|valkeys)(?:\+(sentinel|cluster))?:\/\//i
/** Credentials, an absolute path, and the number of the database. */
const socketForm =
  /^(?:unix|(?:redis|valkey)\+unix):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\/[^?#]+)(?:\?db=(\d{1,4}))?$/i
/** Whether a URL is that of a Unix socket. */
export const unixForm: RegExp = /^(?:(?:redis|valkey)\+)?unix:\/\//i
const defaultPorts = { single: 6_379, cluster: 6_379, sentinel: 26_379 }

/**
 * Reads a URL of Redis, or several separated by commas. Those after the first may be a host and a port alone:
 * `redis://host:6379/0`, `redis+cluster://host`, `redis+sentinel://a:26379,b:26379/NAME/0`, `unix:///run/redis.sock?db=0`, with
 * `rediss` for TLS, and `valkey` and `valkeys` in their place.
 * @throws Error whose message ends the sentence "REDIS_URL …"
 */
export function readRedisPlace(text: string): RedisPlace {
  const [, socketUser, socketPassword, socket, number = '0'] = socketForm.exec(text) ?? []
  if (socket !== undefined) {
    const credentials = { username: decoded(socketUser), password: decoded(socketPassword) }
    return { kind: 'single', nodes: [], socket, ...credentials, db: Number(number), hasTls: false }
  }
  if (unixForm.test(text)) throw new Error('must have a path from the root: unix:///run/redis.sock')
  const which = form.exec(text)?.[2]?.toLowerCase() as 'sentinel' | 'cluster' | undefined // the form has no others
  const urls = redisUrlsIn(text).map(url => new URL(url))
  const protocols = new Set(urls.map(({ protocol }) => protocol))
  if (protocols.size > 1) throw new Error('must have TLS at all of its URLs (rediss://) or at none')
  const hasTls = protocols.has('rediss:')
  const named = (name: string) => urls.map(url => url.searchParams.get(name)).find(value => value !== null)
  const authority = named('sslrootcert') ?? undefined
  if (!hasTls && authority !== undefined)
    throw new Error('must begin with rediss:// to have TLS, which sslrootcert asks for')
  const kind = which ?? (urls.length > 1 ? 'cluster' : 'single')
  const path = urls
    .map(({ pathname }) => pathname.split('/').filter(Boolean))
    .find(({ length }) => length > 0)
  const [first = '', second] = path ?? []
  const master = kind === 'sentinel' ? decoded(first) : undefined
  if (kind === 'sentinel' && !master)
    throw new Error(
      'must end with the name by which the Sentinels know Redis: redis+sentinel://HOST:26379/NAME',
    )
  const db = (kind === 'sentinel' ? second : first) || '0'
  if (!/^\d{1,4}$/.test(db)) throw new Error('must have the number of its database as a path: redis://HOST/0')
  const owner = urls.find(({ username, password }) => username !== '' || password !== '')
  return {
    ...{ kind, master, hasTls, authority, db: Number(db) },
    nodes: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port) || defaultPorts[kind],
    })),
    username: decoded(owner?.username),
    password: decoded(owner?.password),
    sentinelUsername: named('sentinelUsername') ?? undefined,
    sentinelPassword: named('sentinelPassword') ?? undefined,
  }
}

/** Returns the URLs of a list as those of Redis (`redis:` or `rediss:`), unchecked. */
export function redisUrlsIn(text: string): string[] {
  const first = form.exec(text)?.[0] ?? ''
  const inWords = (part: string) => (form.test(part) || part.includes('//') ? part : `${first}${part}`)
  const renamed = (_: string, scheme: string) =>
    /^(rediss|valkeys)$/i.test(scheme) ? 'rediss://' : 'redis://'
  return text.split(',').map(part => inWords(part).replace(form, renamed))
}

const decoded = (text: string | undefined) => (text ? decodeURIComponent(text) : undefined)
