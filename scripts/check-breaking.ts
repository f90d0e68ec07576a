import { Misuse, runCommand } from './arguments.ts'
import { judge } from './breaking/judge.ts'
import { isDate } from './breaking/lifecycle.ts'
import { type Loaded, load, loadFromGit, releasedFiles } from './breaking/load.ts'
import { format, formats, locate } from './breaking/report.ts'

const usage = `Usage: npm run check:breaking -- [--base FILE | --base-ref GITREF] [--spec FILE] [--format text|json|github]

Says what the changes of an OpenAPI 3.0 document mean for clients. Exit code 1: some break, or the version is not bumped
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

async function readBase(file: string | undefined, ref: string | undefined, spec: string): Promise<Loaded> {
  if (ref) return loadFromGit(ref, spec)
  const base = file ?? (await releasedFiles('spec/released')).at(-1)
  if (!base) throw new Misuse('nothing is released yet in spec/released: name a --base')
  return load(base)
}

await runCommand({ usage, options, failure: 2 }, async values => {
  const form = formats.find(known => known === values.format)
  if (!form) throw new Misuse(`--format is one of ${formats.join(', ')}`)
  if (!isDate(values.now)) throw new Misuse('--now is a day, YYYY-MM-DD')
  if (values.base && values['base-ref']) throw new Misuse('--base and --base-ref exclude one another')
  const next = await load(values.spec)
  const base = await readBase(values.base, values['base-ref'], values.spec)
  const findings = locate(judge(base.document, next.document, values.now), base, next)
  const report = format(findings, form)
  if (report) console.log(report)
  const count = (severity: string) => findings.filter(finding => finding.severity === severity).length
  if (form === 'text')
    console.log(
      `${next.name} against ${base.name}: ${count('breaking')} breaking, ${count('warning')} warning, ${count('info')} info`,
    )
  return count('breaking') > 0 ? 1 : 0
})
