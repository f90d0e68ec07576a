import { writeFile } from 'node:fs/promises'
import { modelOf } from '../src/document/model.ts'
import { day, Misuse, runCommand } from './arguments.ts'
import { withDeprecation } from './document/deprecation.ts'
import { readDocument } from './document/reading/read.ts'
import { holdToRules, regenerate, show } from './document/rewrite.ts'

const spec = 'spec/openapi.yaml'

const usage = `Usage: npm run deprecate -- OPERATION --sunset DATE [options]

Writes the end of an operation into ${spec}: its dates, what replaces it, the headers that announce it and the
answer 410; then the types and README's table. Of a deprecated operation it changes the date or the successor.
  --sunset         the day from which on it answers 410, YYYY-MM-DD
  --successor      the operation that replaces it
  --successor-url  where that is, as /pets?ids={petId}
  --since          the day from which on it is deprecated (default: today)`

const options = {
  sunset: { type: 'string' },
  successor: { type: 'string' },
  'successor-url': { type: 'string' },
  since: { type: 'string', default: new Date().toISOString().slice(0, 10) },
} as const

await runCommand({ usage, options, positionals: 1 }, async (values, [id]) => {
  if (id === undefined) throw new Misuse('Give the operation that is to end')
  if (values.sunset === undefined) throw new Misuse('Give the day of its end with --sunset')
  const { document, text } = await readDocument(spec)
  const written = withDeprecation(text, modelOf(document), {
    id,
    since: day('--since', values.since),
    sunset: day('--sunset', values.sunset),
    successor: values.successor,
    successorUrl: values['successor-url'],
  })
  await holdToRules(written)
  await writeFile(spec, written)
  await regenerate()
  show(spec, text, written)
  console.log('src/generated and README.md: made from the document')
  return 0
})
