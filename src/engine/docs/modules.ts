import { readdir, readFile } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'

const imports = /^import \{([^{}]*)\} from '(\.[^']+)'$/gm
const exports = /^export (?=(?:async )?function (\w+)|const (\w+))/gm
/** Comments on lines of their own: only the compiler and readers of the files need them. */
const comments = /^[ \t]*\/\*\*(?:[^*]|\*(?!\/))*\*\/[ \t]*\n/gm

/**
 * Joins ES modules to one script without imports and JSDoc, which a browser gets by one request. Each module keeps a
 * scope of its own, and runs once, after those that it imports.
 * @param folder holds the modules
 * @param entry the path of the module that runs last
 * @param made the exports of modules that are no files, by path: an expression for each name
 * @throws Error for any import but `import { a, b } from './c.js'`, any export but that of one function or constant by its
 *   declaration, a name that is not exported, and a circle
 */
export async function joinModules(
  folder: string,
  entry: string,
  made: Record<string, Record<string, string>>,
): Promise<string> {
  const files = (await readdir(folder, { recursive: true })).filter(file => file.endsWith('.js'))
  const read = async (file: string) =>
    [file.replaceAll(sep, '/'), await readFile(join(folder, file), 'utf8')] as const
  const texts = new Map(await Promise.all(files.map(read)))
  const joined: string[] = []
  /** The names that each module exports; undefined while its imports are joined. */
  const exported = new Map<string, string[] | undefined>()
  for (const [path, values] of Object.entries(made)) {
    const members = Object.entries(values).map(([name, expression]) => `${name}: ${expression}`)
    joined.push(`modules['${path}'] = { ${members.join(', ')} }\n`)
    exported.set(path, Object.keys(values))
  }

  const add = (path: string): string[] => {
    if (exported.has(path)) return exported.get(path) ?? fail(path, 'it imports itself by others')
    const text = texts.get(path) ?? fail(path, 'there is no such file')
    exported.set(path, undefined)
    const names = [...text.matchAll(exports)].flatMap(([, called, constant]) => called ?? constant ?? [])
    const body = text
      .replace(imports, (_, list: string, from: string) => {
        const other = posix.join(posix.dirname(path), from)
        const wanted = list.split(',').flatMap(name => name.trim() || [])
        const there = add(other)
        const missing = wanted.find(name => !there.includes(name))
        if (missing !== undefined) fail(path, `${other} does not export ${missing}`)
        return `const { ${wanted.join(', ')} } = modules['${other}']`
      })
      .replace(exports, '')
      .replace(comments, '')
    const [rest] = /^(?:import|export)\b.*/m.exec(body) ?? []
    if (rest !== undefined) fail(path, `modules are not joined by “${rest}”`)
    joined.push(`modules['${path}'] = (() => {\n${body}\nreturn { ${names.join(', ')} }\n})()\n`)
    exported.set(path, names)
    return names
  }
  add(entry)
  return `const modules = {}\n${joined.join('')}`
}

function fail(path: string, fault: string): never {
  throw new Error(`The docs page can’t be made of ${path}: ${fault}.`)
}
