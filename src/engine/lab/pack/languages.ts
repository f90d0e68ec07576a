import { readFile, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** The module that the docs page loads once a reader asks for one of the library's languages. */
export const languagesFile = fileURLToPath(new URL('../../docs/generated/languages.js', import.meta.url))

const library = '@readme/httpsnippet'

/** Modules in the place of Node's `url` and of `qs`, made of what a browser has. */
const inBrowsers: Readonly<Record<string, string>> = {
  url: `export const parse = text => {
  const { protocol, host, hostname, port, pathname, search, href } = new URL(text)
  const query = {}
  for (const [name, value] of new URLSearchParams(search))
    query[name] = name in query ? [query[name], value].flat() : value
  return { protocol, host, hostname, port, pathname, search, path: pathname + search, href, query }
}
export const format = ({ protocol, host, pathname, search }) => protocol + '//' + host + pathname + (search ?? '')`,
  qs: `export const stringify = values => String(new URLSearchParams(
  Object.entries(values).flatMap(([name, value]) => [value].flat().map(item => [name, item]))))`,
}

/** Joins the library to one module, with the licenses of what is in it. */
export async function languagesModule(): Promise<string> {
  const entry = '\0entry'
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'browser',
        resolveId: (id: string) => (id === entry ? entry : id in inBrowsers ? `\0${id}` : null),
        load: (id: string) =>
          id === entry ? `export { HTTPSnippet } from '${library}'` : (inBrowsers[id.slice(1)] ?? null),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const [{ code, moduleIds }] = output
  const folders = new Set(moduleIds.filter(id => !id.startsWith('\0')).map(packageOf))
  const notices = await Promise.all([...folders].map(noticeOf))
  const head = `Made by \`node src/engine/lab/pack/languages.ts\` of ${library}. Do not edit.`
  return `/*! ${head}\n\n${notices.join('\n\n').replaceAll('*/', '* /')}\n*/\n${code.trim()}\n`
}

/** The folder of the package in which a module is. */
function packageOf(id: string): string {
  const marker = `${sep}node_modules${sep}`
  const end = id.lastIndexOf(marker) + marker.length
  const [scope = '', name = ''] = id.slice(end).split(sep)
  return id.slice(0, end) + (scope.startsWith('@') ? join(scope, name) : scope)
}

/** The name, the version and the license of a package. */
async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const texts = ['LICENSE', 'LICENSE.md', 'license'].map(file =>
    readFile(join(folder, file), 'utf8').catch(() => undefined),
  )
  const text = (await Promise.all(texts)).find(found => found !== undefined)
  return `${name} ${version} (${license})\n${(text ?? '').trim()}`.trim()
}

if (import.meta.main) await writeFile(languagesFile, await languagesModule())
