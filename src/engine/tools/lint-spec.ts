import { Misuse } from './command/arguments.ts'
import { faultsOutcome, type Outcome } from './command/command.ts'
import { ownDocument } from './command/project.ts'
import { demanded } from './lint/demand.ts'
import { checkDocument, fixDocument } from './lint/lint.ts'
import { formatFaults } from './reading/fault.ts'

/** Holds a document to the rules, after their remedies if that is asked for. */
export async function run(
  { fix, spec, overlay: overlays }: { fix: boolean; spec: string; overlay: string[] | undefined },
  [argument]: string[],
): Promise<Outcome> {
  if (argument !== undefined && spec !== ownDocument) throw new Misuse('Name one document')
  const file = argument ?? spec
  const demand = file === ownDocument ? demanded() : 'full'
  if (fix && overlays) throw new Misuse('--fix writes into the document, and none of its --overlay')
  const fixed = fix ? await fixDocument(file, demand) : []
  const faults = await checkDocument(file, demand, { overlays })
  return {
    ...faultsOutcome(faults.map(fault => formatFaults([fault]))),
    json: { faults, fixed },
    lines: fixed.map(fault => `fixed  ${formatFaults([fault])}`),
  }
}
