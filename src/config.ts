import { existsSync } from 'node:fs'
import type { DatabaseConfig } from './database/connect.ts'
import { readSecretFile } from './secret-file.ts'
import {
  httpOrigin,
  integer,
  list,
  milliseconds,
  oneOf,
  origins,
  pepper,
  redisUrls,
  someText,
  trustProxy,
  url,
  withoutSecrets,
  workers,
} from './setting-readers.ts'

/** How one environment variable is read. */
interface Setting<T> {
  /** what README's table says of it */
  description: string
  /** the text that stands for an unset variable; absent: the setting is then undefined */
  fallback?: string
  /** what may be shown of a text that holds a secret, which may stand in a file, named by NAME_FILE; absent: all of it */
  shown?(text: string): string | undefined
  /** @throws Error whose message ends the sentence "NAME …" */
  read(text: string): T
}

/** Every environment variable that the service reads. */
export const settings = {
  HOST: { description: 'Address to listen on.', fallback: '127.0.0.1', read: someText },
  PORT: { description: 'Port to listen on; 0 takes a free one.', fallback: '3000', read: integer(0, 65_535) },
  WORKERS: {
    description:
      'Processes that serve together on `PORT`; `auto`: one a core. More than one need `DATABASE_URL`, and `REDIS_URL` for limits in common.',
    fallback: '1',
    read: workers,
  },
  DATABASE_URL: {
    description:
      'PostgreSQL 14 or newer (`postgres://…`; with TLS by `?sslmode=verify-full&sslrootcert=FILE`). Unset: an embedded database in `DATA_DIR`.',
    read: url('postgres:', 'postgresql:'),
    shown: withoutSecrets,
  },
  DATABASE_REPLICA_URLS: {
    description:
      'Replicas of that PostgreSQL, separated by commas, which reads may go to; each caller sees what it has written. Several servers need `REDIS_URL` for that. Unset: all is read from the primary.',
    read: list(url('postgres:', 'postgresql:')),
    shown: withoutSecrets,
  },
  DATA_DIR: { description: 'Directory of the embedded database.', fallback: './data', read: someText },
  REDIS_URL: {
    description:
      'Redis (`redis://…`), shared by several processes for exact limits; several URLs, separated by commas, for a Cluster; `rediss://…` with TLS. Unset: limits are counted in memory.',
    read: redisUrls,
    shown: withoutSecrets,
  },
  API_KEY_PEPPER: {
    description:
      'A secret of 32 characters or more, with which the hashes of API keys are sealed (HMAC-SHA-256). It can’t be changed without replacing the keys.',
    read: pepper,
    shown: () => undefined,
  },
  CORS_ORIGINS: {
    description: 'Origins whose pages may use the API, separated by commas, or `*` for all. Unset: none.',
    read: origins,
  },
  LOG_LEVEL: {
    description: 'Least severe log lines to write.',
    fallback: 'info',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  LOG_FORMAT: {
    description:
      'Form of log lines: `pretty` for people, `json` for programs. Unset: pretty on a terminal, JSON elsewhere.',
    read: oneOf('pretty', 'json'),
  },
  METRICS_PORT: {
    description:
      'Port on `HOST` for Prometheus (`/metrics`), never the one that callers reach; 0 takes a free one. Unset: no metrics.',
    read: integer(0, 65_535),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      'Collector of traces (`http://…:4318`; OTLP over HTTP as JSON); OpenTelemetry’s other variables apply. Unset: no traces.',
    read: url('http:', 'https:'),
    shown: withoutSecrets,
  },
  TRUST_PROXY: {
    description:
      'Proxies whose `X-Forwarded-For` (the address of a caller) and `X-Forwarded-Proto` are believed: `false`, `true`, a number of proxies, or addresses and ranges. These proxies must replace both fields. `X-Forwarded-Host` and `Forwarded` are never used.',
    fallback: 'false',
    read: trustProxy,
  },
  PUBLIC_URL: {
    description:
      'Origin at which callers reach the service (`https://api.example.com`); the served document names it, and caches may then keep that document. Unset: the document names the host that each request names.',
    read: httpOrigin,
  },
  DATABASE_POOL_SIZE: {
    description:
      'Connections of a worker to PostgreSQL, beside the one of `/health`. From four on, reads share two of them; each write and each transaction has one to itself.',
    fallback: '10',
    read: integer(1, 1000),
  },
  DATABASE_CONNECT_TIMEOUT_MS: {
    description: 'Longest wait for a connection to PostgreSQL.',
    fallback: '5000',
    read: milliseconds,
  },
  DATABASE_STATEMENT_TIMEOUT_MS: {
    description: 'Longest run of one statement on PostgreSQL.',
    fallback: '10000',
    read: milliseconds,
  },
  REQUEST_TIMEOUT_MS: {
    description: 'Longest wait for a whole request, head and body.',
    fallback: '30000',
    read: milliseconds,
  },
  MAX_WAIT_MS: {
    description:
      'How long a request may have to wait for those before it; past that for longer than a burst, new ones are refused (503).',
    fallback: '25',
    read: milliseconds,
  },
  SHUTDOWN_TIMEOUT_MS: {
    description: 'Longest time that a stop takes; four fifths of it are for requests under way.',
    fallback: '10000',
    read: milliseconds,
  },
} as const satisfies Record<string, Setting<unknown>>

/** The variable that names a file with a setting's text; undefined for a setting that holds no secret. */
export function fileVariable(name: string, setting: Setting<unknown>): string | undefined {
  return setting.shown ? `${name}_FILE` : undefined
}

/** The name of every environment variable that the service reads. */
export const variables: readonly string[] = Object.entries<Setting<unknown>>(settings).flatMap(
  ([name, setting]) => [name, fileVariable(name, setting) ?? []].flat(),
)

/** The configuration of a process, checked. Times are in milliseconds. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly workers: number
  readonly database: DatabaseConfig
  readonly redisUrl: string | undefined
  readonly apiKeyPepper: string | undefined
  readonly corsOrigins: '*' | readonly string[] | undefined
  readonly logLevel: ReturnType<(typeof settings.LOG_LEVEL)['read']>
  /** undefined: as the output is a terminal or not */
  readonly logFormat: 'pretty' | 'json' | undefined
  /** undefined: no metrics */
  readonly metricsPort: number | undefined
  /** the address of what collects them; undefined: no traces */
  readonly tracesTo: string | undefined
  readonly trustProxy: boolean | number | string[]
  /** an origin; undefined: each request names it */
  readonly publicUrl: string | undefined
  readonly requestTimeoutMs: number
  readonly maxWaitMs: number
  readonly shutdownTimeoutMs: number
}

/**
 * Adds the variables of `.env`, where there is one, to those that are not set.
 * @throws Error when it can't be read
 */
export function loadEnvFile(): void {
  if (!existsSync('.env')) return
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    throw new Error(`The file .env can't be read: ${(error as Error).message}`, { cause: error }) // loadEnvFile throws Errors
  }
}

/** @throws Error whose message ends the sentence "NAME …" and says what the text is, but for its secrets */
function readText<T>(text: string, setting: Setting<T>): T {
  try {
    return setting.read(text)
  } catch (error) {
    const shown = setting.shown ? setting.shown(text) : text
    const given = shown === undefined ? '' : `; it is ${JSON.stringify(shown)}`
    throw new Error(`${(error as Error).message}${given}`, { cause: error }) // read throws Errors
  }
}

/**
 * Reads the configuration. An empty variable counts as unset.
 * @throws AggregateError with one error for each variable at fault
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: Error[] = []
  function value<T>(name: string, setting: Setting<T>): T | undefined {
    const fileName = fileVariable(name, setting)
    const file = fileName && env[fileName]
    if (file && env[name]) {
      faults.push(new Error(`${name} and ${fileName} are both set: set one of them`))
      return undefined
    }
    try {
      const text = (file ? readSecretFile(file) : env[name]) || setting.fallback
      return text === undefined ? undefined : readText(text, setting)
    } catch (error) {
      faults.push(new Error(`${file ? fileName : name} ${(error as Error).message}`)) // both throw Errors
      return undefined
    }
  }
  /** A setting with a fallback is only absent when it is at fault, and then nobody gets to see the blank. */
  const required = <T>(name: string, setting: Setting<T> & { fallback: string }) => value(name, setting) as T

  const databaseUrl = value('DATABASE_URL', settings.DATABASE_URL)
  const replicaUrls = value('DATABASE_REPLICA_URLS', settings.DATABASE_REPLICA_URLS)
  const postgres = {
    poolSize: required('DATABASE_POOL_SIZE', settings.DATABASE_POOL_SIZE),
    connectTimeoutMs: required('DATABASE_CONNECT_TIMEOUT_MS', settings.DATABASE_CONNECT_TIMEOUT_MS),
    statementTimeoutMs: required('DATABASE_STATEMENT_TIMEOUT_MS', settings.DATABASE_STATEMENT_TIMEOUT_MS),
  }
  const config: Config = {
    host: required('HOST', settings.HOST),
    port: required('PORT', settings.PORT),
    workers: required('WORKERS', settings.WORKERS),
    database:
      databaseUrl === undefined
        ? { kind: 'embedded', dataDir: required('DATA_DIR', settings.DATA_DIR) }
        : { kind: 'postgres', url: databaseUrl, replicaUrls, ...postgres },
    redisUrl: value('REDIS_URL', settings.REDIS_URL),
    apiKeyPepper: value('API_KEY_PEPPER', settings.API_KEY_PEPPER),
    corsOrigins: value('CORS_ORIGINS', settings.CORS_ORIGINS),
    logLevel: required('LOG_LEVEL', settings.LOG_LEVEL),
    logFormat: value('LOG_FORMAT', settings.LOG_FORMAT),
    metricsPort: value('METRICS_PORT', settings.METRICS_PORT),
    tracesTo: value('OTEL_EXPORTER_OTLP_ENDPOINT', settings.OTEL_EXPORTER_OTLP_ENDPOINT),
    trustProxy: required('TRUST_PROXY', settings.TRUST_PROXY),
    publicUrl: value('PUBLIC_URL', settings.PUBLIC_URL),
    requestTimeoutMs: required('REQUEST_TIMEOUT_MS', settings.REQUEST_TIMEOUT_MS),
    maxWaitMs: required('MAX_WAIT_MS', settings.MAX_WAIT_MS),
    shutdownTimeoutMs: required('SHUTDOWN_TIMEOUT_MS', settings.SHUTDOWN_TIMEOUT_MS),
  }
  if (config.workers > 1 && !env.DATABASE_URL && !env.DATABASE_URL_FILE)
    faults.push(
      new Error(
        `WORKERS must be 1 without DATABASE_URL, not ${config.workers}: one process alone can have the embedded database open`,
      ),
    )
  if (config.workers > 1 && !env.REDIS_URL && !env.REDIS_URL_FILE)
    faults.push(
      new Error(
        `WORKERS must be 1 without REDIS_URL, not ${config.workers}: workers count limits together in Redis; set REDIS_URL, or WORKERS=1`,
      ),
    )
  if (replicaUrls && !env.DATABASE_URL && !env.DATABASE_URL_FILE)
    faults.push(new Error('DATABASE_REPLICA_URLS must not be set without DATABASE_URL, which they follow'))
  if (config.metricsPort && config.metricsPort === config.port)
    faults.push(new Error('METRICS_PORT must be another than PORT: what it shows is for operators alone'))
  if (faults.length > 0) throw new AggregateError(faults, 'The configuration is not valid')
  return Object.freeze(config)
}
