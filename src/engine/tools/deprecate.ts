import { writeFile } from 'node:fs/promises'
import { modelOf } from '../document/model.ts'
import { withDeprecation } from './add/deprecation.ts'
import { day, Misuse, option, runCommand, today } from './command/arguments.ts'
import { ownDocument } from './generate/made.ts'
import { holdToRules, regenerate, show } from './generate/rewrite.ts'
import { readDocument } from './reading/read.ts'

const usage = `Usage: npm run deprecate -- OPERATION --sunset DATE [OPTIONS]

Writes the end of an operation into ${ownDocument}: its dates, what replaces it, the headers that announce it and the
answer 410; then the types and the table of operations. Of a deprecated operation it changes the date or the successor.`

const options = {
  sunset: option('DATE', 'the day from which on it answers 410, YYYY-MM-DD'),
  successor: option('OPERATION', 'the operation that replaces it'),
  'successor-url': option('PATH', 'where that is, as /pets?ids={petId}'),
  since: option('DATE', 'the day from which on it is deprecated', { default: today() }),
}

await runCommand({ usage, options, positionals: 1 }, async (values, [id]) => {
  if (id === undefined) throw new Misuse('Give the operation that is to end')
  if (values.sunset === undefined) throw new Misuse('Give the day of its end with --sunset')
  const { document, text } = await readDocument(ownDocument)
  const written = withDeprecation(text, modelOf(document), {
    id,
    since: day('--since', values.since),
    sunset: day('--sunset', values.sunset),
    successor: values.successor,
    successorUrl: values['successor-url'],
  })
  await holdToRules(written)
  await writeFile(ownDocument, written)
  const made = await regenerate()
  show(ownDocument, text, written)
  console.log(made)
  return 0
})
