import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { languagesFile, languagesModule } from 'spec-served-lab/pack/languages'
import { expect, test } from 'vitest'
import { joinModules } from '../modules.ts'

/** Joins modules that stand in files, by path; `main.js` is the first. */
async function joined(
  files: Record<string, string>,
  made: Parameters<typeof joinModules>[2] = {},
): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'petstore-modules-'))
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder.path, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return await joinModules(folder.path, 'main.js', made)
}

test('the modules of the docs page run once, after those that they import, with private names of their own', async () => {
  const script = await joined(
    {
      'main.js': `import { left } from './sides/left.js'
import {
  right,
} from './sides/right.js'

const own = 'main'
ran.push(own, left(), right)
`,
      'sides/left.js': `import { shared } from '../shared.js'

const own = 'left'
ran.push(own)
/**
 * Its side.
 * @returns {string}
 */
export function left() {
  return shared + /** @type {string} */ (own)
}
`,
      'sides/right.js': `import { shared } from '../shared.js'\n\nconst own = 'right'\nran.push(own)\nexport const right = shared + own\n`,
      'unused.js': `ran.push('unused')\n`,
    },
    { 'shared.js': { shared: `(ran.push('shared'), 'at the ')` } },
  )
  expect(script).not.toMatch(/Its side|@returns/)
  const ran: string[] = []
  const context = { ran }
  runInNewContext(`(() => { ${script} })()`, context)
  expect(ran).toEqual(['shared', 'left', 'right', 'main', 'at the left', 'at the right'])
  expect(Object.keys(context)).toEqual(['ran'])
})

test.each([
  ['a default import', { 'main.js': `import a from './a.js'` }, 'main.js: .*“import a from'],
  ['an import of all', { 'main.js': `import * as a from './a.js'` }, 'main.js: .*“import \\* as a'],
  ['an import of no name', { 'main.js': `import './a.js'` }, `main.js: .*“import './a.js'`],
  ['an import of a package', { 'main.js': `import { a } from 'a'` }, `main.js: .*“import { a }`],
  ['another name', { 'main.js': `import { a as b } from './a.js'` }, 'a.js does not export a as b'],
  ['a name that is not exported', { 'main.js': `import { b } from './a.js'` }, 'a.js does not export b'],
  ['a file that is missing', { 'main.js': `import { b } from './b.js'` }, 'b.js: there is no such file'],
  ['a default export', { 'main.js': `export default 1` }, 'main.js: .*“export default'],
  ['a list of exports', { 'main.js': `const b = 1\nexport { b }` }, 'main.js: .*“export { b }'],
  ['a variable export', { 'main.js': `export let b = 1` }, 'main.js: .*“export let b'],
  [
    'a circle',
    { 'main.js': `import { b } from './b.js'`, 'b.js': `import { c } from './main.js'` },
    'main.js: it imports itself',
  ],
] as const)('the service does not start with %s in a module of the docs page', async (_, files, fault) => {
  await expect(joined({ 'a.js': 'export const a = 1', ...files })).rejects.toThrow(new RegExp(fault))
})

test('the code of further languages is made of the library that is installed', async () => {
  expect((await readFile(languagesFile, 'utf8')) === (await languagesModule())).toBe(true)
})
