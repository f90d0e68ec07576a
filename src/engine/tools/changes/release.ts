import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { modelOf } from 'spec-served-document/model'
import type { ReadDocument } from 'spec-served-document/reading/read'
import { isScalar, parseDocument, stringify } from 'yaml'
import { readWithOverlays } from '../project-document.ts'
import { code, line } from '../texts/escapes.ts'
import { type Severity, severities } from './change.ts'
import { type Finding, judge } from './judge.ts'
import { releasedFiles } from './sources.ts'
import { compareVersions, isVersion } from './version.ts'

/** The result of a release, or the reason why there is none. */
export type ReleaseOutcome =
  | { released: string; files: string[] }
  | { unchanged: string }
  | { refused: string }

interface Order {
  spec: string
  /** where the released documents and CHANGELOG.md are */
  directory: string
  /** the version to release, if not the one that the document has; it is written into the document */
  version: string | undefined
  /** today, YYYY-MM-DD in UTC */
  day: string
}

/**
 * Freezes a document as the contract of its version and lists what changed since the one before. It refuses, and
 * writes nothing, when the version does not match the changes or was released with other content.
 */
export async function release({ spec, directory, version, day }: Order): Promise<ReleaseOutcome> {
  const current = await readWithOverlays(spec)
  const due = version ?? current.document.info.version
  if (!isVersion(due)) return { refused: `${due} is no version: give it as MAJOR.MINOR.PATCH, such as 1.1.0` }
  const text = withVersion(current, due)
  const frozen = selfContained(current, text, due)
  const target = join(directory, `${due}.yaml`)
  const existing = await readFile(target, 'utf8').catch(() => undefined)
  if (existing === frozen) return { unchanged: due }
  if (existing !== undefined)
    return {
      refused: `${due} is released already with other content, and a release never changes: raise the version`,
    }
  const newest = (await releasedFiles(directory)).at(-1)
  if (newest && compareVersions(basename(newest, '.yaml'), due) > 0)
    return {
      refused: `${basename(newest, '.yaml')} is released already, and ${due} is lower: give a higher version`,
    }
  const findings = newest ? await changesSince(newest, current, due, day) : undefined
  const fault = findings?.find(({ rule }) => rule.startsWith('version-'))
  if (fault) return { refused: fault.what }

  const changelog = join(directory, 'CHANGELOG.md')
  const before = await readFile(changelog, 'utf8').catch(() => '')
  await mkdir(directory, { recursive: true })
  await writeFile(changelog, withEntry(before, entryOf(due, day, findings)))
  if (text !== current.text) await writeFile(spec, text)
  await writeFile(target, frozen) // last, so that what failed before can be run again
  return { released: due, files: [target, changelog, ...(text === current.text ? [] : [spec])] }
}

async function changesSince(
  file: string,
  current: ReadDocument,
  version: string,
  day: string,
): Promise<Finding[]> {
  const { document } = current
  const next = { ...current, document: { ...document, info: { ...document.info, version } } }
  return judge(await readWithOverlays(file), next, day)
}

/** The text of a document with another version, all else as it was written. */
function withVersion({ text, document }: ReadDocument, version: string): string {
  if (document.info.version === version) return text
  const node = parseDocument(text).getIn(['info', 'version'], true)
  if (!isScalar(node) || !node.range) throw new Error('info.version must be a plain text, such as 1.0.0')
  return text.slice(0, node.range[0]) + version + text.slice(node.range[1])
}

/** The text as it is, or, when that refers to other files, the document with those taken in. */
function selfContained({ document, files, isWritten }: ReadDocument, text: string, version: string): string {
  if (files.length === 1) return text
  const frozen = structuredClone({ ...document, info: { ...document.info, version } })
  // A name that was made up for an operation is not promised to clients.
  for (const { operation, place } of modelOf(frozen).operations)
    if (!isWritten([...place, 'operationId'])) Reflect.deleteProperty(operation, 'operationId')
  return stringify(frozen)
}

const headings: Record<Severity, string> = {
  breaking: 'Breaking',
  version: 'Version',
  warning: 'Warnings',
  info: 'Additions',
}

function entryOf(version: string, day: string, findings: readonly Finding[] | undefined): string {
  if (!findings) return `## ${version} (${day})\n\nThe first release.\n`
  if (findings.length === 0) return `## ${version} (${day})\n\nTexts and examples only.\n`
  const groups = severities.flatMap(severity => {
    const lines = findings.filter(finding => finding.severity === severity).map(lineOf)
    return lines.length > 0 ? [`### ${headings[severity]}\n\n${lines.join('\n')}\n`] : []
  })
  return [`## ${version} (${day})\n`, ...groups].join('\n')
}

function lineOf({ places, what, rule }: Finding): string {
  const shown = places.slice(0, 3).map(code)
  const more = places.length > 3 ? [`${places.length - 3} more`] : []
  const where = places.length > 0 ? `${[...shown, ...more].join(', ')}: ` : ''
  return `- ${where}${line(what)} (${rule})`
}

const title = '# Changes of the interface\n'

/** The newest entry comes first; one of the same version, left by a run that failed, is replaced. */
function withEntry(changelog: string, entry: string): string {
  const version = entry.split(' ', 2)[1]
  const entries = changelog.split(/^(?=## )/m).slice(1)
  const others = entries.filter(other => other.split(' ', 2)[1] !== version)
  return [title, entry, ...others].map(part => `${part.trimEnd()}\n`).join('\n')
}
