import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path/posix'

/** Where TypeScript and JavaScript name other files: imports, and what is started or read by its URL. */
const named =
  /(?:from|import|import\()\s*['"](\.{1,2}\/[^'"]+)['"]|new URL\(\s*['"]([^'"]+)['"], import\.meta\.url/g

/** All files that some files lead to, with themselves; those that are not there lead nowhere. */
export function reachableFrom(roots: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const open = [...roots]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file) || !existsSync(file)) continue
    reached.add(file)
    if (!/\.[jt]s$/.test(file)) continue
    for (const [, imported, url] of readFileSync(file, 'utf8').matchAll(named))
      open.push(join(file, '..', imported ?? url ?? ''))
  }
  return reached
}
