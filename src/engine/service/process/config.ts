import { existsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { likest } from 'spec-served-document/spelling'
import type { TokenSettings } from '../callers/tokens.ts'
import type { DatabaseConfig } from '../database/connect.ts'
import * as reader from './setting-readers.ts'

/** How one environment variable is read. */
interface Setting<T> {
  /** the setting's text in the table of settings */
  description: string
  /** the text for an unset variable; absent: the setting is then undefined */
  fallback?: string
  /** Returns what may be shown of a secret, which may be in a file named by NAME_FILE; absent: no secret. */
  shown?(text: string): string | undefined
  /** @throws Error whose message ends the sentence "NAME …" */
  read(text: string): T
}

export const settings = {
  HOST: { description: 'Address to listen on.', fallback: '127.0.0.1', read: String },
  PORT: {
    description: 'Port to listen on; 0 takes a free one.',
    fallback: '3000',
    read: reader.integer(0, 65_535),
  },
  WORKERS: {
    description:
      'Processes that serve together on `PORT`, and count limits together in memory. More than one need `DATABASE_URL`. `auto`: with `DATABASE_URL` one for each core that this process may use, but no more than have 512 MiB of memory each and 97 connections to PostgreSQL together; otherwise, and with `DATABASE_REPLICA_URLS` without `REDIS_URL`, one.',
    fallback: 'auto',
    read: reader.workers,
  },
  DATABASE_URL: {
    description:
      'PostgreSQL 14 or newer (`postgres://…`; with TLS by `?sslmode=verify-full&sslrootcert=FILE`; a socket by `?host=/run/postgresql`). Several hosts are separated by commas (`postgres://user@a:5432,b:5432/name`): the service uses the one that takes writes. Unset: an embedded database in `DATA_DIR`.',
    read: reader.databaseUrl,
    shown: reader.withoutSecrets,
  },
  DATABASE_REPLICA_URLS: {
    description:
      'Replicas of that PostgreSQL for reads, separated by commas. Each caller sees its own writes. Several servers or workers need `REDIS_URL` for that. Unset: all reads go to the primary.',
    read: reader.list(reader.url('postgres:', 'postgresql:')),
    shown: reader.withoutSecrets,
  },
  DATA_DIR: {
    description:
      'Directory of the embedded database. The server replies to a write once the disk has it, so a power cut loses none that it acknowledged.',
    fallback: './data',
    read: String,
  },
  REDIS_URL: {
    description:
      'Redis or Valkey (`redis://…`, `valkey://…`) for exact limits over several servers; with TLS: `rediss://…?sslrootcert=FILE`. Sentinels: `redis+sentinel://HOST,HOST/NAME`. A Cluster: `redis+cluster://HOST`, or several URLs, separated by commas. A socket: `unix:///run/redis.sock`. Unset: each server counts limits in memory, for all of its workers.',
    read: reader.redisUrls,
    shown: reader.withoutSecrets,
  },
  API_KEY_PEPPER: {
    description:
      'A secret of 32 characters or more, which seals the hashes of API keys (HMAC-SHA-256). You can’t change it without replacing the keys.',
    read: reader.pepper,
    shown: () => undefined,
  },
  TOKEN_ISSUER: {
    description:
      'Issuer of tokens, as they name it in `iss` (`https://login.example.com`). The server checks JSON Web Tokens for the document’s schemes `http bearer`, `oauth2` and `openIdConnect`, unless the project has a checker of its own. Unset: no tokens.',
    read: reader.secureUrl,
  },
  TOKEN_AUDIENCE: {
    description:
      'Names of this service in `aud`, separated by commas. A token must have one of them. `TOKEN_ISSUER` needs it.',
    read: reader.list(reader.word),
  },
  TOKEN_JWKS_URL: {
    description: 'URL of the issuer’s keys. Unset: as its metadata say (OpenID Connect Discovery, RFC 8414).',
    read: reader.secureUrl,
  },
  TOKEN_ALGORITHMS: {
    description:
      'Algorithms of signatures that count, separated by commas. None of them has a shared secret.',
    fallback: 'RS256,PS256,ES256,EdDSA',
    read: reader.list(reader.oneOf(...reader.signatureAlgorithms)),
  },
  TOKEN_CLOCK_SKEW_MS: {
    description: 'How far the clocks of issuer and service may differ.',
    fallback: '30000',
    read: reader.integer(0, 300_000),
  },
  TOKEN_SCOPE_CLAIM: {
    description: 'Claim with the scopes: a text with spaces between, or a list.',
    fallback: 'scope',
    read: reader.word,
  },
  TOKEN_PLAN_CLAIM: { description: 'Claim with the plan.', fallback: 'plan', read: reader.word },
  TOKEN_QUOTAS_CLAIM: {
    description: 'Claim with the quotas of a plan that has none: requests by window.',
    fallback: 'quotas',
    read: reader.word,
  },
  TOKEN_SUBJECT_PLANS: {
    description:
      'Plans of single subjects (`SUBJECT=PLAN`, separated by commas), whatever their tokens claim.',
    read: reader.pairs,
  },
  TOKEN_PLAN: {
    description: 'Plan of tokens without a known plan. Unset: that of unauthenticated clients.',
    read: reader.word,
  },
  CORS_ORIGINS: {
    description: 'Origins whose pages may use the API, separated by commas, or `*` for all. Unset: none.',
    read: reader.origins,
  },
  MCP: {
    description:
      'Whether agents may call the operations as tools at `/mcp` (Model Context Protocol): `on` or `off`. Unset: where `@modelcontextprotocol/server` is installed.',
    read: reader.switched,
  },
  MCP_TOOLS: {
    description: 'Tags and operations that agents have as tools, separated by commas. Unset: all.',
    read: reader.list(String),
  },
  MCP_READ_ONLY: {
    description: 'Whether agents have only operations that read: `on` or `off`.',
    fallback: 'off',
    read: reader.switched,
  },
  LOG_LEVEL: {
    description: 'Lowest severity of the log lines to write.',
    fallback: 'info',
    read: reader.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  LOG_FORMAT: {
    description:
      'Form of log lines: `pretty` for people, `json` for programs. Unset: pretty on a terminal, JSON elsewhere.',
    read: reader.oneOf('pretty', 'json'),
  },
  CHECK_REPLIES: {
    description:
      'Share of the replies, from `0` to `1`, that the service checks against the document after it has sent them. Each kind of difference is logged once, and counted. `0.001` takes one of a thousand.',
    fallback: '0',
    read: reader.share,
  },
  METRICS_PORT: {
    description:
      'Port on `HOST` for operators: `/metrics` for Prometheus, and the probes `/livez` and `/readyz`; 0 takes a free one. It differs from `PORT`, because metrics are for operators alone. Unset: no metrics, and the probes on `PORT` alone.',
    read: reader.integer(0, 65_535),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      'Collector of traces (`http://…:4318`; OTLP over HTTP as JSON). OpenTelemetry’s other variables apply, too. Unset: no traces.',
    read: reader.url('http:', 'https:'),
    shown: reader.withoutSecrets,
  },
  TRUST_PROXY: {
    description:
      'Proxies whose `X-Forwarded-For` (the address of a caller), `X-Forwarded-Proto` and `X-Forwarded-Prefix` (the path that they take away) count: `false`, `true`, a number of proxies, or addresses and ranges. These proxies must replace these fields. The service never uses `X-Forwarded-Host` and `Forwarded`.',
    fallback: 'false',
    read: reader.trustProxy,
  },
  PUBLIC_URL: {
    description:
      'URL at which callers reach the service (`https://api.example.com`), with the path that a proxy takes away, if any (`https://example.com/service`). The served document names it, so that caches may keep the document, and `Link` fields begin with its path. Unset: the document names the host of each request, and `X-Forwarded-Prefix` of a trusted proxy.',
    read: reader.httpPlace,
  },
  DATABASE_POOL_SIZE: {
    description:
      'Connections of each worker to PostgreSQL, besides the one of `/health`. From four on they are divided: of ten, reads share two, writes of one statement share four, each transaction has one of three to itself, and one is for what waits for a lock. A transaction may take an idle one of the reads and writes, but for the last of each.',
    fallback: '10',
    read: reader.integer(1, 1000),
  },
  DATABASE_CONNECT_TIMEOUT_MS: {
    description: 'Longest wait for a connection to PostgreSQL.',
    fallback: '5000',
    read: reader.milliseconds,
  },
  DATABASE_STATEMENT_TIMEOUT_MS: {
    description:
      'Longest run of one statement on PostgreSQL. A statement without an answer a second later is cancelled, also behind a pooler.',
    fallback: '10000',
    read: reader.milliseconds,
  },
  REQUEST_TIMEOUT_MS: {
    description: 'Longest wait for a whole request, head and body.',
    fallback: '30000',
    read: reader.milliseconds,
  },
  HANDLER_TIMEOUT_MS: {
    description:
      'Longest time from a whole request to its answer. Above it the request is refused (503), its writes are cancelled or rolled back, and the log names the operation. The refusal waits for their end, up to 5 s more. A write whose end is not known then is answered with 500, as one that may be stored.',
    fallback: '30000',
    read: reader.milliseconds,
  },
  MAX_WAIT_MS: {
    description:
      'Longest wait of a request for earlier ones. If waits exceed it for longer than a burst, the service refuses new requests (503).',
    fallback: '25',
    read: reader.milliseconds,
  },
  SHUTDOWN_DELAY_MS: {
    description:
      'How long the service goes on after SIGTERM before it stops, and takes new connections. Meanwhile `/readyz` answers 503, so that load balancers send requests elsewhere. A second signal ends the process at once.',
    fallback: '0',
    read: reader.integer(0, 300_000),
  },
  SHUTDOWN_TIMEOUT_MS: {
    description:
      'Longest time of a stop, after `SHUTDOWN_DELAY_MS`. Four fifths of it are for requests under way.',
    fallback: '10000',
    read: reader.milliseconds,
  },
} as const satisfies Record<string, Setting<unknown>>

/** Returns the variable that names a file with a setting's text; undefined for a setting without a secret. */
export function fileVariable(name: string, setting: Setting<unknown>): string | undefined {
  return setting.shown ? `${name}_FILE` : undefined
}

export const variables: readonly string[] = Object.entries<Setting<unknown>>(settings).flatMap(
  ([name, setting]) => [name, fileVariable(name, setting) ?? []].flat(),
)

/** Variables of the system whose names look like those of settings. */
const ofSystem = new Set(['HOME'])

/** Returns a note for each variable whose name is almost that of a setting: nothing reads it. */
export function misspeltSettings(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env).flatMap(name => {
    if (variables.includes(name) || ofSystem.has(name) || !/^[A-Z][A-Z_]+$/.test(name)) return []
    const meant = likest(name, variables)
    return meant === undefined ? [] : `${name} is no setting, and nothing reads it: did you mean ${meant}?`
  })
}

type Value<S> = S extends { read(text: string): infer T }
  ? S extends { fallback: string }
    ? T
    : T | undefined
  : never

/** The name of a setting's property: `logLevel` for `LOG_LEVEL`. */
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<Camel<Rest>>}`
  : Lowercase<Name>

type Values = {
  readonly [Name in keyof typeof settings as Camel<Name>]: Value<(typeof settings)[Name]>
}

/** The checked configuration of a process. Each setting describes its value. Times are in milliseconds. */
export type Config = Omit<Values, 'workers'> & {
  readonly workers: number
  readonly database: DatabaseConfig
}

const propertyOf = (name: string) =>
  name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** The memory that a worker may need under load, in bytes, and its connections besides the pool. */
const perWorker = { memory: 512 * 2 ** 20, besidesPool: 1 }
/** The connections of all workers: those of PostgreSQL's default for all but its superuser. */
const mostConnections = 97

/** Returns the number of processes that may serve together. A quota of the container counts, for cores and memory. */
function workersOf({
  workers,
  databaseUrl,
  databaseReplicaUrls,
  redisUrl,
  databasePoolSize,
}: Values): number {
  if (workers !== 'auto') return workers
  const readsElsewhere = databaseReplicaUrls !== undefined
  if (databaseUrl === undefined || (readsElsewhere && redisUrl === undefined)) return 1
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
  const bounds = [
    availableParallelism(),
    memory / perWorker.memory,
    mostConnections / (databasePoolSize + perWorker.besidesPool),
  ]
  return Math.max(1, Math.floor(Math.min(...bounds)))
}

function databaseOf(values: Values): DatabaseConfig {
  if (values.databaseUrl === undefined) return { kind: 'embedded', dataDir: values.dataDir }
  return {
    kind: 'postgres',
    url: values.databaseUrl,
    poolSize: values.databasePoolSize,
    connectTimeoutMs: values.databaseConnectTimeoutMs,
    statementTimeoutMs: values.databaseStatementTimeoutMs,
    replicaUrls: values.databaseReplicaUrls,
  }
}

/**
 * Returns the settings of tokens; undefined without an issuer.
 * @param mcp the path at which agents call; its URL is an audience, too (RFC 8707)
 */
export function tokenSettings(config: Config, mcp: string): TokenSettings | undefined {
  const { tokenIssuer: issuer, tokenAudience: audiences = [], publicUrl } = config
  if (issuer === undefined) return undefined
  return {
    issuer,
    audiences: publicUrl === undefined ? audiences : [...audiences, publicUrl + mcp],
    jwksUrl: config.tokenJwksUrl,
    algorithms: config.tokenAlgorithms,
    clockSkewMs: config.tokenClockSkewMs,
    scopeClaim: config.tokenScopeClaim,
    planClaim: config.tokenPlanClaim,
    quotasClaim: config.tokenQuotasClaim,
    subjectPlans: config.tokenSubjectPlans,
    plan: config.tokenPlan,
  }
}

/** Adds the variables of `.env`, if it exists, to those that are not set. @throws Error when it can't be read */
export function loadEnvFile(): void {
  if (!existsSync('.env')) return
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    throw new Error(`The file .env can't be read: ${(error as Error).message}`, { cause: error }) // loadEnvFile throws Errors
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** @throws Error with the setting's text, but without its secrets */
function readSetting(name: string, setting: Setting<unknown>, env: Environment): unknown {
  const { fallback, shown = String, read } = setting
  const fileName = fileVariable(name, setting)
  const file = fileName && env[fileName]
  if (file && env[name]) throw new Error(`${name} and ${fileName} are both set: set one of them`)
  let text: string | undefined
  try {
    text = (file ? reader.readSecretFile(file) : env[name]) || fallback
    return text === undefined ? undefined : read(text)
  } catch (error) {
    const visible = text === undefined ? undefined : shown(text)
    const suffix = visible === undefined ? '' : `; it is ${JSON.stringify(visible)}`
    throw new Error(`${file ? fileName : name} ${(error as Error).message}${suffix}`, { cause: error }) // both throw Errors
  }
}

/** Returns the conflicts between settings. */
function conflictsIn(values: Values, env: Environment): string[] {
  const { metricsPort, port } = values
  const workers = values.workers === 'auto' ? 1 : values.workers // that has no more than may be
  const isSet = (name: string) => Boolean(env[name] || env[`${name}_FILE`])
  const conflicts = [
    workers > 1 &&
      !isSet('DATABASE_URL') &&
      `WORKERS must be 1 without DATABASE_URL, not ${workers}: one process alone can have the embedded database open`,
    workers > 1 &&
      isSet('DATABASE_REPLICA_URLS') &&
      !isSet('REDIS_URL') &&
      `WORKERS must be 1 with DATABASE_REPLICA_URLS, not ${workers}, unless REDIS_URL is set: in Redis workers share what each caller has written`,
    isSet('DATABASE_REPLICA_URLS') &&
      !isSet('DATABASE_URL') &&
      'DATABASE_REPLICA_URLS must not be set without DATABASE_URL, which they follow',
    isSet('TOKEN_ISSUER') !== isSet('TOKEN_AUDIENCE') &&
      'TOKEN_ISSUER and TOKEN_AUDIENCE must both be set, or neither: a token is for an audience',
    isSet('TOKEN_JWKS_URL') &&
      !isSet('TOKEN_ISSUER') &&
      'TOKEN_JWKS_URL must not be set without TOKEN_ISSUER, whose keys it shows',
    metricsPort &&
      metricsPort === port &&
      'METRICS_PORT must be another than PORT: what it shows is for operators alone',
  ]
  return conflicts.filter(conflict => typeof conflict === 'string')
}

/** Reads the configuration; an empty variable is unset. @throws AggregateError with an error for each wrong one */
export function readConfig(env: Environment): Config {
  const faults: unknown[] = []
  const read: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings))
    try {
      read[propertyOf(name)] = readSetting(name, setting, env)
    } catch (error) {
      faults.push(error)
    }
  const values = read as Values // each missing value has a fault
  faults.push(...conflictsIn(values, env).map(message => new Error(message)))
  if (faults.length > 0) throw new AggregateError(faults, 'The configuration is not valid')
  return Object.freeze({ ...values, workers: workersOf(values), database: databaseOf(values) })
}
