import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringLiteral } from 'spec-served-document/reading/literals'

/**
 * Writes a test of an operation that is still to be written, beside those of its tag. Its runner lists it as such (`test.todo`), by
 * the runner that the project has: Vitest, or Node's own.
 * @param handlerFile the file of the operation's handler, such as `animals.ts`
 * @param root the folder of the project
 * @returns the file of the test, from there
 */
export async function writeTestStub(
  { method, path, summary }: { method: string; path: string; summary: string },
  handlerFile: string,
  root = '.',
): Promise<string> {
  const folder = existsSync(join(root, 'test/operations')) ? 'test/operations' : 'test'
  const file = `${folder}/${handlerFile.replace(/\.ts$/, '.test.ts')}`
  const place = join(root, file)
  const text = existsSync(place) ? await readFile(place, 'utf8') : ''
  const line = `test.todo(${stringLiteral(`${method} ${path}: ${summary}`)})`
  if (text.includes(line)) return file
  const isImported = /^import .*\btest\b.* from /m.test(text)
  const from = (await hasVitest(root)) ? 'vitest' : 'node:test'
  const head = isImported ? '' : `import { test } from '${from}'\n`
  await mkdir(join(root, folder), { recursive: true })
  await writeFile(place, `${head}${text}${text === '' || text.endsWith('\n') ? '' : '\n'}\n${line}\n`)
  return file
}

async function hasVitest(root: string): Promise<boolean> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return 'vitest' in { ...dependencies, ...devDependencies }
}
