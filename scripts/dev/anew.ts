import { registerHooks } from 'node:module'
import { anew } from './messages.ts'

const home = new URL('../../', import.meta.url).href
const generated = `${home}src/generated/`

/** Who imports each module of the project, by its address. */
const importers = new Map<string, Set<string>>()
let isOutdated = (_address: string) => false

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const { url } = found
    if (!url.startsWith(home) || url.includes('/node_modules/')) return found
    const known = importers.get(url) ?? new Set()
    importers.set(url, known.add(context.parentURL?.replace(anew, '') ?? ''))
    return isOutdated(url) ? { ...found, url: url + anew } : found
  },
})

/**
 * From now on modules of the project are loaded from their files again when they are imported. It can be done once.
 * @param all false: those that are made from the document, and what imports them
 */
export function loadAnew(all: boolean): void {
  const outdated = new Set([...importers.keys()].filter(url => url.startsWith(generated)))
  // Those that are added meanwhile are gone through, too.
  for (const url of outdated) for (const importer of importers.get(url) ?? []) outdated.add(importer)
  isOutdated = url => all || outdated.has(url)
}
