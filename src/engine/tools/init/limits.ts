import { codesOf, type Model, modelOf } from 'spec-served-document/model'
import type { OpenApi } from 'spec-served-document/types'
import { completenessRules } from '../lint/completeness-rules.ts'
import { keyScheme, rateLimits } from '../lint/engine-components.ts'
import { factRules } from '../lint/fact-rules.ts'
import { withRemedies } from '../lint/remedies.ts'
import { dueRefusals } from '../lint/usual.ts'
import type { Mend } from '../lint/violation.ts'
import { withMends } from '../lint/written.ts'
import { parseWithOverlays } from '../project-document.ts'

export interface Limited {
  text: string
  /** the decisions that are left to people */
  notes: string[]
}

/** The rules whose remedies write what limits and keys need. */
const rules = Object.fromEntries(
  Object.entries({ ...factRules, ...completenessRules }).filter(([name]) =>
    ['scopes', 'declared-statuses', 'response-headers'].includes(name),
  ),
)

/**
 * Adds to a document what it lacks for limits and keys: plans, a key, and then the remedies of the rules, which are the
 * header fields of each response, the refusals of the engine, and scopes. Present parts stay as they are, comments and
 * order included.
 * @param text YAML or JSON
 * @param file the text's place, beside which the other files of the document are
 */
export async function withLimits(text: string, file: string): Promise<Limited> {
  const { document } = await parseWithOverlays(text, file)
  const bare: Mend[] = []
  if (!('x-rate-limits' in document)) bare.push({ place: ['x-rate-limits'], value: rateLimits })
  if (!document.components?.securitySchemes)
    bare.push(
      { place: ['components', 'securitySchemes', 'ApiKey'], value: keyScheme },
      ...('security' in document ? [] : [{ place: ['security'], value: [{ ApiKey: [] }] }]),
    )
  const limited = await withRemedies(withMends(text, bare), file, rules)
  const after = await parseWithOverlays(limited.text, file)
  return {
    text: limited.text,
    notes: [...addedBeside(document, after.document), ...ownRefusals(modelOf(document))],
  }
}

/** Notes components whose names were taken. */
function addedBeside({ components: before = {} }: OpenApi, { components: after = {} }: OpenApi): string[] {
  return (['schemas', 'responses'] as const).flatMap(kind => {
    const componentsBefore: object = before[kind] ?? {}
    return Object.keys(after[kind] ?? {}).flatMap(added => {
      const name = added.replace(/\d+$/, '')
      const isBeside = name !== added && name in componentsBefore && !(added in componentsBefore)
      return isBeside ? [`components/${kind}/${name} is something else: ${added} was added beside it.`] : []
    })
  })
}

/** Notes refusals of operations that are not the engine's. */
function ownRefusals({ operations }: Model): string[] {
  return operations.flatMap(located =>
    dueRefusals(located).flatMap(({ status, codes }) => {
      const there = located.responses.get(String(status))
      if (!there || codes.some(code => codesOf(there).includes(code))) return []
      const where = located.place.slice(1).join(' ')
      return [`${where} has a ${status} of its own: see that its body is that of the service’s errors.`]
    }),
  )
}
