import { release } from './changes/release.ts'
import { day, option, runCommand, today } from './command/arguments.ts'
import { ownDocument } from './generate/made.ts'
import { deployOrder, noteForOperators, operatedBefore, operatedNow } from './operators-changelog.ts'

const usage = `Usage: npm run release -- [OPTIONS]

Freezes the document as the contract of its version, which later ones are judged against, and adds what changed for clients
to the CHANGELOG.md beside it. Unless --released names another place, it also adds what changed for operators to
CHANGELOG.md, and writes the version into package.json. Exit code 1: the version is not bumped as the changes ask for; 2:
wrong use.`

const options = {
  version: option('X.Y.Z', 'write this version into the document first (run `npm run generate` then)'),
  spec: option('FILE', 'the document', { default: ownDocument }),
  released: option('DIRECTORY', 'where releases are', { default: 'spec/released' }),
  now: option('DATE', 'the day of the release, YYYY-MM-DD', { default: today() }),
}

await runCommand({ usage, options, failure: 2 }, async ({ spec, released, version, now }) => {
  const outcome = await release({ spec, directory: released, version, day: day('--now', now) })
  if ('refused' in outcome) {
    console.error(`${outcome.refused}\n\`npm run check:breaking\` lists the changes; nothing was written.`)
    return 1
  }
  const due = 'released' in outcome ? outcome.released : outcome.unchanged
  const files = 'released' in outcome ? outcome.files : []
  const next = [
    ...(version === undefined ? [] : ['Run `npm run generate`: the version in the document is new.']),
    `Commit all of this: git add --all && git commit -m "Release ${due}"`,
    `Tag the commit: git tag v${due}`,
    `From then on \`npm run check:breaking\` judges the document against ${due}.`,
  ]
  if (released === options.released.default) {
    const [last, operated] = [await operatedBefore('.'), await operatedNow('.', due)]
    if (last) next.push(...deployOrder(last, operated))
    files.push(...(await noteForOperators('.', operated, day('--now', now))))
  }
  if (files.length === 0) console.log(`${due} is released already; nothing changed`)
  else console.log([`released ${due}: wrote ${files.join(', ')}`, ...next].join('\n'))
  return 0
})
