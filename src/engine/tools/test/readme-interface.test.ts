import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { expect, test } from 'vitest'
import { interfaceOf, interfaces } from '../readme/interface.ts'

const directory = sharedDirectory()

/** Returns the page of a module with these exports of another module. */
async function pageOf(exported: string, declared: string): Promise<string> {
  await writeFile(join(directory, 'own.ts'), declared)
  await writeFile(join(directory, 'index.ts'), exported)
  return interfaceOf(join(directory, 'index.ts'))
}

test('the page of the interface has what the engine exports, by each of its doors', async () => {
  const page = await readFile('src/engine/service/INTERFACE.md', 'utf8')
  const { exports } = JSON.parse(await readFile('src/engine/service/package.json', 'utf8'))
  const doors = Object.keys(exports).filter(name => /^\.(\/[a-z]+)?$/.test(name) && name !== './cli')
  for (const door of doors) expect(page).toContain(`# \`${door.replace('.', 'spec-served')}\``)
  const [, written] = /<!-- interface -->\n(.*)\n<!-- \/interface -->/s.exec(page) ?? []
  expect(written, 'Run `npm run readme`').toBe(interfaces())
})

test('each export is shown by its name, kind, doc comment and declaration, in alphabetical order', async () => {
  const declared = `
/** The content of a service. */
interface Served {
  /** by path */
  routes: string[]
}
/**
 * Serves
 * something.
 * @param what to be
 *   served
 * @returns how it went
 */
export async function serve(what: Served, retries = 3): Promise<boolean> { return !!what && retries > 0 }
export type { Served as Never }
/** Not exported. */
export const secret = 1`
  expect(await pageOf("export { serve, type Served as Answered } from './own.ts'", declared)).toBe(`
## \`Answered\` (interface, in the code \`Served\`)

The content of a service.

\`\`\`ts
interface Served {
    /** by path */
    routes: string[];
}
\`\`\`

## \`serve\` (function)

Serves
something.

- param \`what\`: to be served
- returns: how it went

\`\`\`ts
function serve(what: Served, retries?: number): Promise<boolean>;
\`\`\`
`)
})

test.each([
  [
    'has no doc comment',
    "export { one } from './own.ts'",
    'one, which .*own.ts exports: it has no doc comment',
  ],
  [
    'has a type that is not written',
    "export { two } from './own.ts'",
    'two, which .*explicit type annotation',
  ],
  ['is declared elsewhere', "export { three } from './own.ts'", 'three, which .*does not declare that'],
  [
    'has the name of a package where a tag may be',
    "export { four } from './own.ts'",
    'four, which .*has the tag @fastify: write the name of a package in backticks',
  ],
  ['has no name', "export * from './own.ts'", 'index.ts: `export \\* from .* is not of the form'],
  ['is the module’s own', 'export const four = 4', 'index.ts: `export const four = 4` is not of the form'],
])('an export that %s is refused', async (_, exported, fault) => {
  const declared = `export const one = 1
/** Two. */
export const two = one + 1
/**
 * Four, as those of
 * @fastify/cors are.
 */
export const four: number = 4`
  await expect(pageOf(exported, declared)).rejects.toThrow(new RegExp(fault))
})
