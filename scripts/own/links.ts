import { existsSync } from 'node:fs'
import { join } from 'node:path/posix'

/**
 * A text in Markdown without links to files that are not there: rows of tables and items of lists that have one go, and
 * elsewhere its words stay.
 * @param file where the text stands, from the root of the project
 */
export function withoutDeadLinks(text: string, file: string): string {
  const isDead = (target: string) =>
    !/^[a-z]+:|^#/.test(target) && !existsSync(join(file, '..', target.split('#')[0] ?? ''))
  return text
    .split('\n')
    .flatMap(line => {
      const dead = [...line.matchAll(/!?\[([^\]]*)\]\(([^)\s]+)\)/g)].filter(([, , target = '']) =>
        isDead(target),
      )
      if (dead.length === 0) return line
      if (/^\s*(\||[-*] |\d+\. )/.test(line)) return []
      return dead.reduce(
        (rest, [link, words = '']) => rest.replace(link, link.startsWith('!') ? '' : words),
        line,
      )
    })
    .join('\n')
}
