import { runCommand, tellFaults } from './command/arguments.ts'
import { ownDocument } from './generate/made.ts'
import { rules } from './lint/demand.ts'
import { checkDocument } from './lint/lint.ts'
import { formatFaults } from './reading/fault.ts'

const usage = `Usage: npm run lint:spec -- [FILE]

Holds a document (default: spec/openapi.yaml) against the project's rules; one that has no x-rate-limits was not written by
them, and is only read.`

await runCommand({ usage, positionals: 1 }, async (_values, [file = ownDocument]) => {
  const faults = await checkDocument(file, file === ownDocument ? rules : 'full')
  return tellFaults(faults.map(fault => formatFaults([fault])))
})
