import { readDocument } from '../../src/document/read.ts'
import { type CodeJudge, openCodeJudge } from './code/judge.ts'
import { codeMutants } from './code/mutants.ts'
import { type Judge, openJudge, type Verdict } from './judge.ts'
import { mutantsOf } from './mutators.ts'
import type { Message } from './pool.ts'

/** Judges the mutants whose ids the parent sends, one after the other, until it lets go. */
const original = await readDocument('spec/openapi.yaml')
const ofDocument = new Map(mutantsOf(original.document).map(mutant => [mutant.id, mutant]))
const ofCode = new Map((await codeMutants()).mutants.map(mutant => [mutant.id, mutant]))
const say = (message: Message<Verdict>) => process.send?.(message)

let told = 0
/** Says at most once a second that something happens. */
function alive(): void {
  if (Date.now() - told < 1_000) return
  told = Date.now()
  say('alive')
}
let isAtDocument = false
const tellTime = setInterval(() => isAtDocument && alive(), 5_000) // no change of the document makes it hang

let documentJudge: Judge | undefined
let codeJudge: CodeJudge | undefined

async function verdictOn(id: string): Promise<Verdict> {
  const changedDocument = ofDocument.get(id)
  isAtDocument = changedDocument !== undefined
  if (changedDocument) {
    documentJudge ??= await openJudge(original)
    return documentJudge.judge(changedDocument)
  }
  const mutant = ofCode.get(id)
  if (!mutant) throw new Error(`There is no mutant ${id}`)
  const started = performance.now()
  codeJudge ??= await openCodeJudge(alive)
  const { kind, area, at, change } = mutant
  const judgement = await codeJudge.judge(mutant)
  return { id, kind, area, at, change, ...judgement, seconds: (performance.now() - started) / 1_000 }
}

process.on('message', async (id: string) => say({ result: await verdictOn(id) }))
process.on('disconnect', () => {
  clearInterval(tellTime)
  process.exit()
})
say('ready')
