import { readFileSync } from 'node:fs'

/** The options of Node with which `npm start` runs the service. */
export function startOptions(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const words = String(scripts.start).split(' ') // `exec`, `node`, its options, the program
  return words.slice(words.indexOf('node') + 1, -1)
}
