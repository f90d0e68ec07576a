import type { Finding } from './judge.ts'

export const reportFormats = ['text', 'json', 'github'] as const
export type Format = (typeof reportFormats)[number]

/**
 * Writes findings: `text` a line each, `json` an array, `github` annotations (workflow commands of GitHub Actions).
 */
export function format(findings: readonly Finding[], form: Format): string {
  if (form === 'json') return JSON.stringify(findings.map(toJson), null, 2)
  return findings.map(form === 'github' ? toAnnotation : toLine).join('\n')
}

function toLine({ file, line, pointer, severity, rule, places, ...texts }: Finding): string {
  return `${file}:${line} ${severity} ${rule} ${pointer} ${briefly(places)}${messageOf(texts)}`
}

function messageOf({ what, why, example }: Pick<Finding, 'what' | 'why' | 'example'>): string {
  return `${what}${example === undefined ? '' : ` (such as ${example})`}: ${why}`
}

function briefly([first, ...more]: readonly string[]): string {
  if (first === undefined) return ''
  return more.length > 0 ? `[${first}, and ${more.length} more] ` : `[${first}] `
}

const levels = { breaking: 'error', version: 'error', warning: 'warning', info: 'notice' }

function toAnnotation({ file, line, pointer, severity, rule, places, ...texts }: Finding): string {
  const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
  const message = data(`${pointer} ${briefly(places)}${messageOf(texts)}`)
  return `::${levels[severity]} file=${property(file)},line=${line},title=${property(rule)}::${message}`
}

function toJson({ severity, rule, places, file, line, pointer, what, why, example }: Finding) {
  return { severity, rule, places, file, line, pointer: pointer.slice(1), what, why, example }
}
