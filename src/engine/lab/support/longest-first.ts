import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest; in a new clone nothing else is known of how long any takes. */
const longest = [
  'check/makes',
  'check/others',
  'check/probes',
  'docs/accessibility',
  'tools/package',
  'project/recipes',
  'docs/snippets',
  'check/mutants',
  'docs/development',
  'docs/reading',
  'docs/try-it',
  'docs/page',
  'project/start',
  'project/dockerfile',
  'cluster/lives',
  'cluster/short',
  'pglite/directory',
  'postgres/hangs',
  'http/killed',
  'postgres/refused-writes',
  'http/limits',
  'http/redis',
]

/** Begins each project with its longest files, so that no worker is left with one at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex(name => moduleId.endsWith(`${name}.test.ts`))
      return index < 0 ? longest.length : index
    }
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap(group => group.toSorted((a, b) => rank(a) - rank(b)))
  }
}
