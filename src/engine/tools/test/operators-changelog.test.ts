import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { expect, test } from 'vitest'
import {
  changesForOperators,
  deployOrder,
  noteForOperators,
  type Operated,
  operatedNow,
} from '../operators-changelog.ts'

const before: Operated = {
  version: '1.0.0',
  settings: { HOST: '127.0.0.1', OLD: '' },
  migrations: { '0001-first': '' },
  start: 'node src/main.js',
}

test('operators hear of settings, migrations and the start that changed', () => {
  const now: Operated = {
    version: '1.1.0',
    settings: { HOST: '0.0.0.0', NEW: '5' },
    migrations: { '0001-first': '', '0002-plain': '', '0003-drop': '0002-plain', '0004-late': '0001-first' },
    start: 'node --flag src/main.js',
  }
  expect(changesForOperators(before, now)).toEqual([
    'The setting `HOST` has the default `0.0.0.0`; it had the default `127.0.0.1`.',
    'The setting `NEW` is new, with the default `5`.',
    'The setting `OLD` is gone: remove it.',
    'The migration `0002-plain` runs at the first start. Servers of 1.0.0 go on beside it.',
    'The migration `0003-drop` runs at the first start. Servers of 1.0.0 do not work after it: stop them first.',
    'The migration `0004-late` runs at the first start. Servers of 1.0.0 go on beside it.',
    '`npm start` runs `node --flag src/main.js`; it ran `node src/main.js`.',
  ])
})

test('the order of migrations and servers is given, where there are new migrations', () => {
  const withNew = (migrations: Record<string, string>) =>
    deployOrder(before, {
      ...before,
      version: '1.1.0',
      migrations: { ...before.migrations, ...migrations },
    }).join()
  expect(withNew({})).toBe('')
  expect(withNew({ '0002-plain': '', '0003-late': '0001-first' })).toMatch(
    /^Deploy: replace servers of 1\.0\.0 one by one; the first server of 1\.1\.0 that starts runs 0002-plain, 0003-late\. /,
  )
  expect(withNew({ '0002-plain': '', '0003-drop': '0002-plain' })).toMatch(
    /^Deploy: stop all servers of 1\.0\.0 first; /,
  )
})

test('a release is noted once, newest first, with its version in package.json and its lock', async () => {
  const root = temporaryDirectory()
  const read = (name: string) => readFileSync(join(root, name), 'utf8')
  mkdirSync(join(root, 'spec/released'), { recursive: true })
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ version: '0.0.0', scripts: { start: 'node a.js' } }),
  )
  writeFileSync(
    join(root, 'package-lock.json'),
    JSON.stringify({ version: '0.0.0', packages: { '': { version: '0.0.0' } } }),
  )
  await noteForOperators(root, { ...(await operatedNow(root, '1.0.0')), settings: {} }, '2026-06-15')
  const noted = read('CHANGELOG.md').replace(
    '## 1.0.0',
    '## Unreleased\n\n- Clocks go\n  backwards.\n\n## 1.0.0',
  )
  writeFileSync(join(root, 'CHANGELOG.md'), noted)
  const next = { ...(await operatedNow(root, '1.0.1')), settings: { PORT: '3000' } }
  expect(await noteForOperators(root, next, '2026-06-16')).toHaveLength(4)
  expect(await noteForOperators(root, next, '2026-06-17')).toEqual([])
  expect(read('CHANGELOG.md')).toBe(`# Changes for operators

## 1.0.1 (2026-06-16)

- The setting \`PORT\` is new, with the default \`3000\`.
- Clocks go
  backwards.

## 1.0.0 (2026-06-15)

- The first release.
`)
  expect(JSON.parse(read('package.json')).version).toBe('1.0.1')
  expect(JSON.parse(read('package-lock.json'))).toEqual({
    version: '1.0.1',
    packages: { '': { version: '1.0.1' } },
  })

  rmSync(join(root, 'package-lock.json')) // as in a project of pnpm
  const last = { ...next, version: '1.0.2' }
  expect(await noteForOperators(root, last, '2026-06-18')).toHaveLength(3)
  expect(JSON.parse(read('package.json')).version).toBe('1.0.2')
})
