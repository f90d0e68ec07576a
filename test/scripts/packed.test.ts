import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.ts'

const project = temporaryDirectory()
/** Tells where Kysely is loaded from, and what it gives. */
const look = `
  await import('./src/packed.ts')
  const names = ['kysely', 'kysely/migration']
  const exports = await Promise.all(names.map(async name => Object.keys(await import(name)).sort()))
  const { Kysely, PostgresDialect } = await import('kysely')
  const { Migrator } = await import('kysely/migration')
  const { sql } = new Kysely({ dialect: new PostgresDialect({}) }).selectFrom('pets').selectAll().compile()
  console.log(JSON.stringify({ from: names.map(name => import.meta.resolve(name)), exports, sql, is: typeof Migrator }))
`

beforeAll(async () => {
  await mkdir(join(project, 'node_modules'), { recursive: true })
  for (const name of ['kysely', 'rolldown'])
    await symlink(resolve('node_modules', name), join(project, 'node_modules', name))
  await cp('src/packed.ts', join(project, 'src/packed.ts'))
  await cp('scripts/start/pack.ts', join(project, 'scripts/start/pack.ts'))
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
  await writeFile(join(project, 'look.js'), look)
})
afterAll(() => rm(project, { recursive: true }))

const run = promisify(execFile)
const pack = () =>
  run('node', ['-e', `import('./scripts/start/pack.ts').then(({ packKysely }) => packKysely())`], {
    cwd: project,
  })
const seen = async () => JSON.parse((await run('node', ['look.js'], { cwd: project })).stdout)

test('an installation packs Kysely, which gives the same then', async () => {
  const plain = await seen()
  expect(plain.from[0]).toContain('/kysely/dist/')
  await pack()
  const packed = await seen()
  expect(packed.from).toEqual([
    expect.stringMatching(/\.cache\/packed\/kysely-[\d.]+\/kysely\.mjs$/),
    expect.stringMatching(/\.cache\/packed\/kysely-[\d.]+\/migration\.mjs$/),
  ])
  expect({ ...packed, from: [] }).toEqual({ ...plain, from: [] })
})

test('without the tools of developers, or of another version, nothing packed is used', async () => {
  await pack()
  const packed = join(project, 'node_modules/.cache/packed')
  const [version = ''] = await readdir(packed)
  await rename(join(packed, version), join(packed, 'kysely-0.0.1'))
  await rm(join(project, 'node_modules/rolldown'))
  await pack()
  expect(await readdir(packed)).toEqual(['kysely-0.0.1'])
  expect((await seen()).from[0]).toContain('/kysely/dist/')
})
