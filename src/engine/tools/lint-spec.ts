import { flag, Misuse, option, runCommand, tellFaults } from './command/arguments.ts'
import { ownDocument } from './generate/made.ts'
import { rules } from './lint/demand.ts'
import { checkDocument, fixDocument } from './lint/lint.ts'
import { formatFaults } from './reading/fault.ts'

const usage = `Usage: npm run lint:spec -- [FILE] [OPTIONS]

Holds a document (default: ${ownDocument}) against the project's rules; one that has no x-rate-limits was not written by
them, and is only read. With --fix it first writes the remedies that need no decision. Comments and layout stay.`

const options = {
  spec: option('FILE', 'the document, too'),
  fix: flag('write the remedies into the document, and tell each breach that they mend'),
  json: flag('print JSON: the faults that are left, and those that are fixed'),
}

await runCommand({ usage, options, positionals: 1 }, async ({ fix, json, spec }, [argument]) => {
  if (spec !== undefined && argument !== undefined) throw new Misuse('Name one document')
  const file = spec ?? argument ?? ownDocument
  const demand = file === ownDocument ? rules : 'full'
  const fixed = fix ? await fixDocument(file, demand) : []
  const faults = await checkDocument(file, demand)
  if (json) console.log(JSON.stringify({ faults, fixed }, null, 2))
  else {
    for (const fault of fixed) console.log(`fixed  ${formatFaults([fault])}`)
    return tellFaults(faults.map(fault => formatFaults([fault])))
  }
  return faults.length > 0 ? 1 : 0
})
