import { judge } from './changes/judge.ts'
import { format, formats } from './changes/report.ts'
import { readFromGit, releasedFiles } from './changes/sources.ts'
import { day, Misuse, runCommand } from './command/arguments.ts'
import { type ReadDocument, readDocument } from './reading/read.ts'

const usage = `Usage: npm run check:breaking -- [--base FILE | --base-ref GITREF] [--spec FILE] [--format text|json|github]

Says what the changes of an OpenAPI document mean for clients. Exit code 1: some break, or the version is not bumped
as they ask for; 2: wrong use. A breaking change that is meant is accepted by \`npm run release\` with a new major version.
  --base      the document before (default: the newest of spec/released)
  --base-ref  the document of the same path at this commit, branch or tag
  --spec      the document now (default: spec/openapi.yaml)
  --now       the day that sunsets are held against, YYYY-MM-DD (default: today)`

const options = {
  base: { type: 'string' },
  'base-ref': { type: 'string' },
  spec: { type: 'string', default: 'spec/openapi.yaml' },
  format: { type: 'string', default: 'text' },
  now: { type: 'string', default: new Date().toISOString().slice(0, 10) },
} as const

async function readBase(
  file: string | undefined,
  ref: string | undefined,
  spec: string,
): Promise<ReadDocument | undefined> {
  if (ref) return readFromGit(ref, spec)
  const base = file ?? (await releasedFiles('spec/released')).at(-1)
  return base === undefined ? undefined : readDocument(base)
}

await runCommand({ usage, options, failure: 2 }, async values => {
  const form = formats.find(known => known === values.format)
  if (!form) throw new Misuse(`--format is one of ${formats.join(', ')}`)
  const today = day('--now', values.now)
  if (values.base && values['base-ref']) throw new Misuse('--base and --base-ref exclude one another')
  const next = await readDocument(values.spec)
  const base = await readBase(values.base, values['base-ref'], values.spec)
  if (!base) {
    console.log('Nothing is released yet in spec/released, so no client can notice a change.')
    return 0
  }
  const findings = judge(base, next, today)
  const report = format(findings, form)
  if (report) console.log(report)
  const count = (severity: string) => findings.filter(finding => finding.severity === severity).length
  if (form === 'text')
    console.log(
      `${next.files[0]} against ${base.files[0]}: ${count('breaking')} breaking, ${count('warning')} warning, ${count('info')} info`,
    )
  return count('breaking') > 0 ? 1 : 0
})
