import { readDocument } from '../../src/document/read.ts'
import { openJudge } from './judge.ts'
import { mutantsOf } from './mutators.ts'

/** Judges the mutants whose ids the parent sends, one after the other, until it lets go. */
const original = await readDocument('spec/openapi.yaml')
const mutants = new Map(mutantsOf(original.document).map(mutant => [mutant.id, mutant]))
const judge = openJudge(original)

process.on('message', async (id: string) => {
  const mutant = mutants.get(id)
  if (!mutant) throw new Error(`There is no mutant ${id}`)
  process.send?.(await (await judge).judge(mutant))
})
process.on('disconnect', () => process.exit())
