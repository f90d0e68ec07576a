import { day, type Given, Misuse } from 'spec-served/internal/command/arguments'
import { exitCodes, type Outcome } from 'spec-served/internal/command/command'
import type { ReadDocument } from 'spec-served-document/reading/read'
import { type Severity, severities } from './changes/change.ts'
import { judge } from './changes/judge.ts'
import { format, reportFormats } from './changes/report.ts'
import { readFromGit, releasedFiles } from './changes/sources.ts'
import { readWithOverlays } from './project-document.ts'

async function readBase(
  file: string | undefined,
  ref: string | undefined,
  spec: string,
): Promise<ReadDocument | undefined> {
  if (ref) return readFromGit(ref, spec)
  const base = file ?? (await releasedFiles('spec/released')).at(-1)
  return base === undefined ? undefined : readWithOverlays(base)
}

/** Judges the changes of a document for clients. */
export async function run(
  values: Given<'base' | 'base-ref'> & Record<'spec' | 'format' | 'now', string>,
): Promise<Outcome> {
  const form = reportFormats.find(candidate => candidate === values.format) ?? 'text' // one of its choices
  const today = day('--now', values.now)
  if (values.base && values['base-ref']) throw new Misuse('--base and --base-ref exclude one another')
  const next = await readWithOverlays(values.spec)
  const base = await readBase(values.base, values['base-ref'], values.spec)
  if (!base)
    return {
      json: [],
      lines: ['Nothing is released yet in spec/released, so no client can notice a change.'],
    }
  const findings = judge(base, next, today)
  const report = format(findings, form)
  const count = (severity: Severity) => findings.filter(finding => finding.severity === severity).length
  const counts = severities
    .filter(severity => severity !== 'version' || count(severity) > 0)
    .map(severity => `${count(severity)} ${severity}`)
  const sum = `${next.files[0]} against ${base.files[0]}: ${counts.join(', ')}`
  return {
    json: findings,
    lines: [...(report ? [report] : []), ...(form === 'text' ? [sum] : [])],
    code: count('breaking') + count('version') > 0 ? exitCodes.failed : exitCodes.done,
  }
}
