import { readDocument } from '../../src/document/read.ts'
import { openJudge } from './judge.ts'
import { mutantsOf } from './mutators.ts'

/** Judges the mutants whose ids the parent sends, one after the other, until it lets go. */
const original = await readDocument('spec/openapi.yaml')
const mutants = new Map(mutantsOf(original.document).map(mutant => [mutant.id, mutant]))
const { judge, close } = await openJudge(original)
process.on('message', async (id: string) => {
  const mutant = mutants.get(id)
  if (mutant) process.send?.(await judge(mutant))
})
process.on('disconnect', async () => {
  await close()
  process.exit()
})
process.send?.('ready')
