import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { readOriginals } from '../../src/engine/docs/assets.ts'
import { preparedFiles, preparedName } from '../../src/engine/docs/prepared.ts'
import { readTheme } from '../../src/engine/docs/theme.ts'
import { digest } from '../../src/engine/replies/conditional.ts'

/** The files that a first visit loads. */
const loaded = ['swagger-ui-bundle.js', 'swagger-ui.css', 'theme/page.js', 'theme/page.css']

/**
 * Makes the files of the docs page smaller for the wire, where that was not done yet: without what the page does not use
 * of Swagger UI, without what only readers of code need, and packed as well as can be. A service that finds nothing here
 * sends the files as they are.
 * @param directory made where it is missing
 */
export async function prepareDocs(directory: string = preparedFiles): Promise<void> {
  const originals = await readOriginals(Object.values(await readTheme()))
  // The bundler comes with the tools of developers: without it the files are only packed better.
  const tools = await import('./smaller.ts').catch(() => undefined)
  const names = [...originals].map(([name, bytes]) => name + preparedName(bytes))
  const recipe = await recipeOf([...names, tools ? 'smaller' : 'packed'])
  const mark = join(directory, 'recipe')
  if ((await readFile(mark, 'utf8').catch(() => '')) === recipe) return
  const made = loaded.map(async name => {
    const original = originals.get(name)
    if (!original) return []
    const bytes = tools ? reduced(name, original, tools.smaller) : original
    const path = join(directory, preparedName(original))
    return [[path, bytes] as const, [`${path}.br`, await promisify(brotliCompress)(bytes)] as const]
  })
  const files = (await Promise.all(made)).flat()
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  for (const [path, bytes] of files) await write(path, bytes)
  await write(mark, recipe)
}

/** Whole or not at all: others may read it, or make the same. */
async function write(path: string, content: string | Buffer): Promise<void> {
  const own = `${path}.${process.pid}`
  await writeFile(own, content)
  await rename(own, path)
}

/** What the files are made of and by, as a text. */
async function recipeOf(names: string[]): Promise<string> {
  const scripts = ['prepare.ts', 'prune.ts', 'smaller.ts'].map(name =>
    readFile(join(import.meta.dirname, name)),
  )
  return digest(Buffer.concat([...(await Promise.all(scripts)), Buffer.from(names.join())]))
}

/** As it is, where that is not what was expected: tests hold how small it becomes. */
function reduced(name: string, original: Buffer, smaller: (name: string, text: string) => string): Buffer {
  try {
    return Buffer.from(smaller(name, String(original)))
  } catch {
    return original
  }
}
