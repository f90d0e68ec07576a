import { runCommand, tellFaults } from './arguments.ts'
import { checkDocument } from './document/check.ts'
import { ownDocument } from './document/made.ts'
import { formatFaults } from './document/reading/fault.ts'
import { readDocument } from './document/reading/read.ts'
import { rules } from './document/rules.ts'

const usage = `Usage: npm run lint:spec -- [FILE]

Holds a document (default: spec/openapi.yaml) against the project's rules; one that has no x-rate-limits was not written by
them, and is only read.`

/** Whether the rules of this project are meant for a document; one that can't be read shows all that is wrong with it. */
const isHeld = async (file: string) =>
  readDocument(file).then(
    ({ document }) => 'x-rate-limits' in document,
    () => true,
  )

await runCommand({ usage, positionals: 1 }, async (_values, [file = ownDocument]) => {
  const own = file === ownDocument ? rules : 'full'
  const faults = await checkDocument(file, (await isHeld(file)) ? own : 'bind')
  return tellFaults(faults.map(fault => formatFaults([fault])))
})
