import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { openJudge } from './judge.ts'
import { mutantsOf } from './mutators.ts'

/** Judges the mutants whose ids the parent sends, one after the other, until it lets go. */
const document = parse(await readFile('spec/openapi.yaml', 'utf8'))
const mutants = new Map(mutantsOf(document).map(mutant => [mutant.id, mutant]))
const { judge, close } = await openJudge(document)
process.on('message', async (id: string) => {
  const mutant = mutants.get(id)
  if (mutant) process.send?.(await judge(mutant))
})
process.on('disconnect', async () => {
  await close()
  process.exit()
})
process.send?.('ready')
