import { writeFile } from 'node:fs/promises'
import { day, type Given, Misuse } from 'spec-served/internal/command/arguments'
import { ownDocument } from 'spec-served/internal/command/project'
import { modelOf } from 'spec-served-document/model'
import { withDeprecation } from './add/deprecation.ts'
import { holdToRules, regenerate, show } from './generate/rewrite.ts'
import { readWithOverlays } from './project-document.ts'

export async function run(
  values: Given<'sunset' | 'successor' | 'successor-url'> & { since: string },
  [id]: string[],
): Promise<number> {
  if (id === undefined) throw new Misuse('Give the operation that is to end')
  if (values.sunset === undefined) throw new Misuse('Give the day of its end with --sunset')
  const { document, text } = await readWithOverlays(ownDocument)
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
}
