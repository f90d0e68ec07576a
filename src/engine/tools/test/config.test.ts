import { writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { misspeltSettings, readConfig, variables } from 'spec-served/internal/process/config'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { describe, expect, test } from 'vitest'

const faults = (env: Record<string, string>): string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as AggregateError).errors.map(fault => fault.message) // what readConfig throws
  }
}

test('a variable whose name is almost that of a setting gets a note', () => {
  expect(
    misspeltSettings({ PORTT: '1', DATABSE_URL: 'x', PORT: '2', PATH: '', HOME: '', BOOKS_DIR: '' }),
  ).toEqual([
    'PORTT is no setting, and nothing reads it: did you mean PORT?',
    'DATABSE_URL is no setting, and nothing reads it: did you mean DATABASE_URL?',
  ])
})

describe('the configuration', () => {
  test('the configuration needs no variable at all', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      database: { kind: 'embedded', dataDir: './data' },
      logLevel: 'info',
      trustProxy: false,
    })
  })

  test('the configuration takes PostgreSQL when DATABASE_URL is set, with its pool and timeouts', () => {
    const env = {
      DATABASE_URL: 'postgres://u:p@db/x',
      DATABASE_POOL_SIZE: '3',
      DATABASE_STATEMENT_TIMEOUT_MS: '500',
    }
    expect(readConfig(env).database).toMatchObject({ kind: 'postgres', poolSize: 3, statementTimeoutMs: 500 })
  })

  test('the configuration takes replicas, separated by commas, of a PostgreSQL that is named too', () => {
    const DATABASE_REPLICA_URLS = 'postgres://a/x, postgres://u:p@b/x'
    expect(readConfig({ DATABASE_URL: 'postgres://c/x', DATABASE_REPLICA_URLS }).database).toMatchObject({
      replicaUrls: ['postgres://a/x', 'postgres://u:p@b/x'],
    })
    expect(faults({ DATABASE_REPLICA_URLS })).toEqual([
      'DATABASE_REPLICA_URLS must not be set without DATABASE_URL, which they follow',
    ])
    expect(faults({ DATABASE_URL: 'postgres://c/x', DATABASE_REPLICA_URLS: 'postgres://u:p@b/x,c' })).toEqual(
      [expect.stringMatching(/^DATABASE_REPLICA_URLS must be a valid URL (?!.*u:p@)/)],
    )
  })

  test('the configuration takes an empty variable for an unset one', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({
      port: 3000,
      database: { kind: 'embedded' },
    })
  })

  test.each([
    ['PORT', '65536'],
    ['PORT', '1e3'],
    ['PORT', '-1'],
    ['LOG_LEVEL', 'loud'],
    ['TRUST_PROXY', 'maybe'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['PUBLIC_URL', 'api.example.com'],
    ['PUBLIC_URL', 'https://api.example.com/'],
    ['PUBLIC_URL', 'https://API.example.com'],
    ['PUBLIC_URL', 'ftp://api.example.com'],
    ['PUBLIC_URL', 'https://example.com/service/'],
    ['PUBLIC_URL', 'https://example.com/a%20b'],
    ['PUBLIC_URL', 'https://example.com/a//b'],
    ['DATABASE_POOL_SIZE', '0'],
    ['REQUEST_TIMEOUT_MS', '0'],
  ])('the configuration refuses %s=%s and names both', (name, value) => {
    expect(faults({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name} must be .*"${value}"$`)),
    ])
  })

  test.each([
    ['DATABASE_URL', 'mysql://x/y', 'mysql://x/y'],
    ['DATABASE_URL', 'mysql://ann:hunter2@x:9/y?password=hunter2#hunter2', 'mysql://ann:***@x:9/y'],
    ['DATABASE_URL', 'mysql://hunter2@x/y', 'mysql://***@x/y'],
    ['REDIS_URL', 'redis://x,http://:hunter2@y:1', 'redis://x,http://:***@y:1/'],
    ['DATABASE_URL', 'postgres://ann:hun@x/ter2@y/z', undefined],
    ['DATABASE_URL', 'nonsense hunter2', undefined],
    ['DATABASE_URL', 'ann:hunter2@x/y', undefined],
    ['DATABASE_URL', 'postgres:ann:hunter2@x/y', undefined],
    ['DATABASE_URL', 'postgres//ann:hunter2@x/y', undefined],
    ['DATABASE_URL', 'postgres://ann:hunter2@x:99999/y', undefined],
    ['DATABASE_URL', 'postgres://ann:hun/ter2@x/y', undefined],
    ['DATABASE_URL', 'postgres://ann:1/hunter2@x/y', undefined],
    ['DATABASE_URL', 'postgres://ann:1#hunter2@x/y', undefined],
    ['REDIS_URL', 'redis://x,redis//:hunter2@y', undefined],
  ])('the configuration refuses %s=%s without its secrets', (name, value, shown) => {
    const [message = ''] = faults({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name} must `))
    expect(message).not.toContain('ter2')
    expect(/; it is "(.*)"$/.exec(message)?.[1]).toBe(shown)
  })

  test('the configuration takes URLs of every form that the drivers take', () => {
    for (const url of [
      ...['postgres://u:p%40@h/x', 'postgresql://h', 'postgres:///x?host=/run/postgresql'],
      ...[
        'postgres://u:p%40@a:1,b:2,[::1]/x?target_session_attrs=read-write',
        'postgres:///x?host=a,b&port=1,2',
      ],
    ])
      expect(faults({ DATABASE_URL: url }), url).toEqual([])
    expect(faults({ DATABASE_URL: 'postgres://a,b/x?target_session_attrs=standby' })).toEqual([
      expect.stringContaining('must lead to a server that takes writes'),
    ])
    expect(faults({ DATABASE_URL: 'postgres://a,b:99999/x' })).toEqual([
      expect.stringContaining('must be a valid URL'),
    ])
    for (const url of [
      ...[
        'redis://:p@h',
        'rediss://h:1/2',
        'redis://a,redis://b',
        'valkey://h',
        'valkeys://h?sslrootcert=/ca',
      ],
      ...[
        'redis+cluster://h:1',
        'redis://a,b:2',
        'redis+sentinel://:p@a,b:1/main/2',
        'valkey+sentinel://[::1]/main',
      ],
      ...['unix:///run/redis.sock', 'redis+unix://ann:p%40@/run/redis.sock?db=3'],
    ])
      expect(faults({ REDIS_URL: url }), url).toEqual([])
    for (const [url, fault] of [
      ['redis+sentinel://a', 'must end with the name by which the Sentinels know Redis'],
      ['redis://a/main', 'must have the number of its database'],
      ['unix://run/redis.sock', 'must have a path from the root'],
    ] as const)
      expect(faults({ REDIS_URL: url })).toEqual([expect.stringContaining(fault)])
  })

  test('the configuration refuses URLs of Redis that would not have the TLS that they ask for', () => {
    expect(faults({ REDIS_URL: 'redis://a,rediss://b' })).toEqual([
      expect.stringContaining('at all of its URLs'),
    ])
    expect(faults({ REDIS_URL: 'redis://a?sslrootcert=/ca.pem' })).toEqual([
      expect.stringContaining('rediss://'),
    ])
  })

  test('the configuration takes workers where they can share a database, and else says why not', () => {
    const DATABASE_URL = 'postgres://localhost/petstore'
    const REDIS_URL = 'redis://localhost'
    expect(readConfig({}).workers).toBe(1)
    expect(readConfig({ DATABASE_URL, REDIS_URL, WORKERS: '4' }).workers).toBe(4)
    const cores = availableParallelism()
    const pool = (size: number) => ({ DATABASE_URL, DATABASE_POOL_SIZE: String(size) })
    expect(readConfig({ ...pool(1), WORKERS: 'auto' }).workers).toBeLessThanOrEqual(cores)
    expect(readConfig(pool(1)).workers).toBe(readConfig({ ...pool(1), WORKERS: 'auto' }).workers)
    expect(readConfig(pool(1)).workers).toBe(Math.min(cores, Math.floor(totalmem() / 2 ** 29)))
    expect(readConfig(pool(47)).workers).toBe(Math.min(cores, 2))
    expect(readConfig(pool(200)).workers).toBe(1)
    expect(faults({ REDIS_URL, WORKERS: '2' })).toEqual([
      'WORKERS must be 1 without DATABASE_URL, not 2: one process alone can have the embedded database open',
    ])
    expect(readConfig({ DATABASE_URL, WORKERS: '2' }).workers).toBe(2)
    const replicated = { DATABASE_URL, DATABASE_REPLICA_URLS: DATABASE_URL }
    expect(readConfig(replicated).workers).toBe(1)
    expect(readConfig({ ...replicated, REDIS_URL, WORKERS: '2' }).workers).toBe(2)
    expect(faults({ ...replicated, WORKERS: '2' })).toEqual([
      'WORKERS must be 1 with DATABASE_REPLICA_URLS, not 2, unless REDIS_URL is set: in Redis workers share what each caller has written',
    ])
    for (const WORKERS of ['0', '1.5', '-1', '257', 'all'])
      expect(faults({ DATABASE_URL, REDIS_URL, WORKERS })).toEqual([
        `WORKERS must be auto or a whole number from 1 to 256; it is "${WORKERS}"`,
      ])
  })

  test('the configuration refuses metrics on the port that callers reach', () => {
    const message = 'METRICS_PORT must be another than PORT: what it shows is for operators alone'
    expect(faults({ METRICS_PORT: '3000' })).toEqual([message])
    expect(faults({ METRICS_PORT: '0', PORT: '0' })).toEqual([])
  })

  test('the configuration reports all faults at once', () => {
    expect(faults({ PORT: 'x', LOG_LEVEL: 'y', TRUST_PROXY: 'z' })).toHaveLength(3)
  })

  test.each([
    ['true', true],
    ['2', 2],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ])('the configuration reads TRUST_PROXY=%s', (text, value) => {
    expect(readConfig({ TRUST_PROXY: text }).trustProxy).toEqual(value)
  })

  test('the configuration takes an origin as PUBLIC_URL, with a path or without', () => {
    for (const PUBLIC_URL of ['https://api.example.com:8443', 'https://example.com/a/b.c'])
      expect(readConfig({ PUBLIC_URL }).publicUrl).toBe(PUBLIC_URL)
  })

  describe('a secret in a file', () => {
    const directory = sharedDirectory()
    const fileOf = (text: string) => {
      const file = join(directory, crypto.randomUUID())
      writeFileSync(file, text)
      return file
    }

    test.each(['', '\n', '\r\n', '\n\n'])('is read without what ends its line (%j)', end => {
      const env = {
        DATABASE_URL_FILE: fileOf(`postgres://u:p@h/x${end}`),
        REDIS_URL_FILE: fileOf(`redis://r${end}`),
      }
      expect(readConfig(env)).toMatchObject({
        database: { url: 'postgres://u:p@h/x' },
        redisUrl: 'redis://r',
      })
    })

    test('a secret in a file can stand for every setting that holds one, and for no other', () => {
      expect(variables.filter(name => name.endsWith('_FILE'))).toEqual([
        'DATABASE_URL_FILE',
        'DATABASE_REPLICA_URLS_FILE',
        'REDIS_URL_FILE',
        'API_KEY_PEPPER_FILE',
        'OTEL_EXPORTER_OTLP_ENDPOINT_FILE',
      ])
      expect(readConfig({ PORT_FILE: '/none', DATABASE_URL_FILE: '' })).toMatchObject({ port: 3000 })
    })

    test.each([
      [
        join(directory, 'none'),
        /^DATABASE_URL_FILE names ".*none", which can't be read: there is no such file$/,
      ],
      [directory, /^DATABASE_URL_FILE names ".*", which can't be read: it is a directory$/],
      ['/dev/zero', /^DATABASE_URL_FILE names "\/dev\/zero", which is longer than 65536 bytes$/],
      ['/dev/null', /^DATABASE_URL_FILE names "\/dev\/null", which is empty$/],
      [
        fileOf('mysql://ann:hunter2@x/y'),
        /^DATABASE_URL_FILE must be .*; it is "mysql:\/\/ann:\*\*\*@x\/y"$/,
      ],
    ])('a secret in a file that can’t be taken is refused by name (%s)', (file, message) => {
      expect(faults({ DATABASE_URL_FILE: file })).toEqual([expect.stringMatching(message)])
    })

    test('a secret in a file is refused if the variable has one too', () => {
      const message = 'REDIS_URL and REDIS_URL_FILE are both set: set one of them'
      expect(faults({ REDIS_URL: 'redis://a', REDIS_URL_FILE: fileOf('redis://b') })).toEqual([message])
    })
  })
})
