import { writeFile } from 'node:fs/promises'
import { day, type Given, Misuse } from 'spec-served/internal/command/arguments'
import { ownDocument } from 'spec-served/internal/command/project'
import { modelOf } from 'spec-served-document/model'
import { earliestSunset, withDeprecation } from './add/deprecation.ts'
import { checkRules, regenerate, show } from './generate/rewrite.ts'
import { readWithOverlays } from './project-document.ts'

export async function run(
  values: Given<'sunset' | 'successor' | 'successor-url'> & { since: string },
  [id]: string[],
): Promise<number> {
  if (id === undefined) throw new Misuse('Give the operation that is to end')
  const since = day('--since', values.since)
  const { document, text } = await readWithOverlays(ownDocument)
  const model = modelOf(document)
  if (values.sunset === undefined)
    throw new Misuse(`Give the day of its end: --sunset ${earliestSunset(model, id, since)} or later`)
  const written = withDeprecation(text, model, {
    id,
    since,
    sunset: day('--sunset', values.sunset),
    successor: values.successor,
    successorUrl: values['successor-url'],
  })
  await checkRules(written)
  await writeFile(ownDocument, written)
  const made = await regenerate()
  show(ownDocument, text, written)
  console.log(made)
  return 0
}
