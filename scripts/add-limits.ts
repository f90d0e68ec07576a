import { spawnSync } from 'node:child_process'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { flag, option, runCommand } from './arguments.ts'
import { checkDocument } from './document/check.ts'
import { ownDocument } from './document/made.ts'
import { formatFaults } from './document/reading/fault.ts'
import { withLimits } from './limits/document.ts'

const usage = `Usage: npm run add-limits -- [OPTIONS]

Adds to an OpenAPI document what it lacks for limits, keys and lifecycle: plans (x-rate-limits), an API key where it has
no security, the header fields of each response, the refusals of the service (400, 401, 403, 413 to 415, 429, 500, 503)
and scopes. What is there stays, comments and order included. Shows the difference.`

const options = {
  spec: option('FILE', 'the document', { default: ownDocument }),
  write: flag('write it, too'),
}

await runCommand({ usage, options }, async ({ spec, write }) => {
  const before = await readFile(spec, 'utf8')
  const { text, notes } = withLimits(before)
  await using directory = await mkdtempDisposable(join(tmpdir(), 'limits-'))
  const file = join(directory.path, `after${extname(spec)}`)
  await writeFile(file, text)
  const faults = await checkDocument(file, 'limits')
  if (faults.length > 0) {
    console.error(`${formatFaults(faults)}\nNothing was written.`)
    return 1
  }
  const { stdout } = spawnSync('git', ['diff', '--no-index', '--no-prefix', spec, file], {
    encoding: 'utf8',
  })
  console.log(stdout.split('\n').slice(4).join('\n') || `${spec} has all of it already.`)
  for (const note of notes) console.log(`note: ${note}`)
  if (!write) console.log('\nNothing was written: add --write for that.')
  else {
    await writeFile(spec, text)
    console.log(`wrote ${spec}`)
  }
  return 0
})
