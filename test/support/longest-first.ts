import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest; in a new clone nothing else is known of how long any takes. */
const long = [
  'contract/faults',
  'contract/mutants',
  'scripts/recipes',
  'docs/snippets',
  'docs/accessibility',
  'scripts/generate',
  'scripts/interface',
  'scripts/start',
  'pglite/directory',
  'pglite/template',
  'postgres/hangs',
  'http/slow-readers',
  'http/limits',
]

/** Begins each project with its longest files, so that no worker is left with one at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = long.findIndex(name => moduleId.endsWith(`${name}.test.ts`))
      return index < 0 ? long.length : index
    }
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap(own => own.toSorted((a, b) => rank(a) - rank(b)))
  }
}
