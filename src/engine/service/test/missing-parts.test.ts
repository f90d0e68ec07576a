import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { expect, test, vi } from 'vitest'
import { missingPart } from '../runtime/installed.ts'

const directory = sharedDirectory()

/** Imports a package where none is installed. */
async function importing(name: string): Promise<unknown> {
  const file = join(directory, `${name.replaceAll(/\W/g, '-')}.mjs`)
  await writeFile(file, `import '${name}'`)
  return import(pathToFileURL(file).href).catch(error => error)
}

test.each([
  ['npm/11.0.0 node/v24.0.0', 'npm install ioredis'],
  ['pnpm/10.0.0 npm/? node/v24.0.0', 'pnpm add ioredis'],
  ['yarn/4.0.0 npm/? node/v24.0.0', 'yarn add ioredis'],
  ['', 'npm install ioredis'],
])(
  'with %s a package that is not installed is named with the command that installs it',
  async (agent, command) => {
    vi.stubEnv('npm_config_user_agent', agent)
    expect(missingPart(await importing('ioredis'))).toBe(
      `A package is not installed: \`${command}\` installs it.`,
    )
    vi.unstubAllEnvs()
  },
)

test('the packages for traces are named together, and PostgreSQL as the way without an embedded database', async () => {
  const { peerDependencies } = JSON.parse(await readFile('src/engine/service/package.json', 'utf8')) as {
    peerDependencies: Record<string, string>
  }
  const traces = Object.keys(peerDependencies).filter(name => /otel|opentelemetry/.test(name))
  expect(missingPart(await importing('@opentelemetry/api'))).toContain(`npm install ${traces.join(' ')}\``)
  expect(missingPart(await importing('@electric-sql/pglite'))).toContain('set DATABASE_URL')
})

test('another failure of an import stays what it is', async () => {
  expect(missingPart(await importing('./no-such-file.js'))).toBeUndefined()
  expect(missingPart(new Error("Cannot find package 'x'"))).toBeUndefined()
})
