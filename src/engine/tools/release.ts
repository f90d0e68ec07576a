import { day } from 'spec-served/internal/command/arguments'
import { exitCodes, type Outcome } from 'spec-served/internal/command/command'
import { operate } from 'spec-served/internal/command/project'
import { release } from './changes/release.ts'
import { deployOrder, noteForOperators, operatedBefore, operatedNow } from './operators-changelog.ts'

export async function run({
  spec,
  released,
  version,
  now,
}: Record<'spec' | 'released' | 'now', string> & { version: string | undefined }): Promise<Outcome> {
  const outcome = await release({ spec, directory: released, version, day: day('--now', now) })
  if ('refused' in outcome) {
    const refusal = `${outcome.refused}\n\`${operate} check:breaking\` lists the changes; nothing was written.`
    return {
      json: { refused: outcome.refused },
      lines: [],
      errors: refusal.split('\n'),
      code: exitCodes.failed,
    }
  }
  const due = 'released' in outcome ? outcome.released : outcome.unchanged
  const files = 'released' in outcome ? outcome.files : []
  const next = [
    ...(version === undefined ? [] : ['Run `npm run generate`: the version in the document is new.']),
    `Commit all of this: git add --all && git commit -m "Release ${due}"`,
    `Tag the commit: git tag v${due}`,
    `From then on \`${operate} check:breaking\` judges the document against ${due}.`,
  ]
  if (released === 'spec/released') {
    const [last, operated] = [await operatedBefore('.'), await operatedNow('.', due)]
    if (last) next.push(...deployOrder(last, operated))
    files.push(...(await noteForOperators('.', operated, day('--now', now))))
  }
  const lines =
    files.length === 0
      ? [`${due} is released already; nothing changed`]
      : [`released ${due}: wrote ${files.join(', ')}`, ...next]
  return { json: { version: due, files }, lines }
}
