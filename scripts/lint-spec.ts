import { formatFaults } from '../src/document/fault.ts'
import { runCommand } from './arguments.ts'
import { checkDocument } from './document/check.ts'

const usage = `Usage: npm run lint:spec -- [FILE]

Holds a document (default: spec/openapi.yaml) against the project's rules.`

await runCommand({ usage, positionals: 1 }, async (_values, [file = 'spec/openapi.yaml']) => {
  const faults = await checkDocument(file, 'full')
  if (faults.length > 0) console.error(formatFaults(faults))
  return faults.length > 0 ? 1 : 0
})
