import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'

const faults = (env: Record<string, string>): string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as AggregateError).errors.map(fault => fault.message) // what readConfig throws
  }
}

describe('the configuration', () => {
  test('needs no variable at all', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      database: { kind: 'embedded', dataDir: './data' },
      logLevel: 'info',
      trustProxy: false,
    })
  })

  test('takes PostgreSQL when DATABASE_URL is set, with its pool and timeouts', () => {
    const env = {
      DATABASE_URL: 'postgres://u:p@db/x',
      DATABASE_POOL_SIZE: '3',
      DATABASE_STATEMENT_TIMEOUT_MS: '500',
    }
    expect(readConfig(env).database).toMatchObject({ kind: 'postgres', poolSize: 3, statementTimeoutMs: 500 })
  })

  test('takes an empty variable for an unset one', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({
      port: 3000,
      database: { kind: 'embedded' },
    })
  })

  test.each([
    ['PORT', '65536'],
    ['PORT', '1e3'],
    ['PORT', '-1'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'nonsense'],
    ['REDIS_URL', 'http://x'],
    ['LOG_LEVEL', 'loud'],
    ['TRUST_PROXY', 'maybe'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['DATABASE_POOL_SIZE', '0'],
    ['REQUEST_TIMEOUT_MS', '0'],
  ])('refuses %s=%s and names both', (name, value) => {
    expect(faults({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name} must be .*"${value}"$`)),
    ])
  })

  test('reports all faults at once', () => {
    expect(faults({ PORT: 'x', LOG_LEVEL: 'y', TRUST_PROXY: 'z' })).toHaveLength(3)
  })

  test.each([
    ['true', true],
    ['2', 2],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ])('reads TRUST_PROXY=%s', (text, value) => {
    expect(readConfig({ TRUST_PROXY: text }).trustProxy).toEqual(value)
  })
})
