import { bySeverity, type Finding } from './judge.ts'
import type { Loaded } from './load.ts'

/** A finding with its line. */
export interface Reported extends Finding {
  file: string
  line: number
}

export const formats = ['text', 'json', 'github'] as const
export type Format = (typeof formats)[number]

/** Names the file and the line of each finding, in the new document where that has it, else in the base. Gravest first. */
export function locate(findings: readonly Finding[], base: Loaded, next: Loaded): Reported[] {
  return findings
    .map(finding => {
      const { name, lineOf } = finding.side === 'new' ? next : base
      return { ...finding, file: name, line: lineOf(finding.at) }
    })
    .sort((a, b) => bySeverity(a, b) || a.file.localeCompare(b.file) || a.line - b.line)
}

/**
 * Writes findings: `text` a line each, `json` an array, `github` annotations (workflow commands of GitHub Actions).
 */
export function format(findings: readonly Reported[], form: Format): string {
  if (form === 'json') return JSON.stringify(findings.map(toJson), null, 2)
  return findings.map(form === 'github' ? toAnnotation : toLine).join('\n')
}

function toLine({ file, line, severity, rule, places, what, why }: Reported): string {
  return `${file}:${line} ${severity} ${rule} ${briefly(places)}${what}: ${why}`
}

function briefly([first, ...more]: readonly string[]): string {
  if (first === undefined) return ''
  return more.length > 0 ? `[${first}, and ${more.length} more] ` : `[${first}] `
}

const levels = { breaking: 'error', warning: 'warning', info: 'notice' }

function toAnnotation({ file, line, severity, rule, places, what, why }: Reported): string {
  const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
  const message = data(`${briefly(places)}${what}: ${why}`)
  return `::${levels[severity]} file=${property(file)},line=${line},title=${property(rule)}::${message}`
}

function toJson({ file, line, severity, rule, places, at, what, why }: Reported) {
  const pointer = at.map(name => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return { severity, rule, places, file, line, pointer, what, why }
}
