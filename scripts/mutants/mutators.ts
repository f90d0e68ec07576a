import { pointerTo } from '../../src/document/pointer.ts'
import type { OpenApi } from '../../src/document/types.ts'
import { accessMutators } from './mutators/access.ts'
import { bodyMutators } from './mutators/bodies.ts'
import { copy, type Edit } from './mutators/edit.ts'
import { equivalentEdits } from './mutators/equivalents.ts'
import { lifecycleMutators } from './mutators/lifecycle.ts'
import { operationMutators } from './mutators/operations.ts'
import { parameterMutators } from './mutators/parameters.ts'
import { rateLimitMutators } from './mutators/rate-limits.ts'
import { schemaMutators } from './mutators/schemas.ts'
import { spread } from './sampling.ts'

/** A document with one small change of meaning. */
export interface Mutant {
  /** stable, unique: `${kind} ${JSON pointer}[ detail]` */
  id: string
  /** e.g. 'enum value removed' */
  kind: string
  /** where in the document, as a path of keys */
  at: readonly string[]
  /** for people: 'from → to' in few words */
  change: string
  /** the changed document, a fresh deep copy each time; the original is never touched */
  apply(): OpenApi
}

const mutators = [
  ...operationMutators,
  ...accessMutators,
  ...lifecycleMutators,
  ...rateLimitMutators,
  ...parameterMutators,
  ...bodyMutators,
  ...schemaMutators,
]

/** Every mutant of a document that `checkDocument` accepts, in a stable order. */
export function mutantsOf(document: OpenApi): Mutant[] {
  return mutators.flatMap(mutator => [...mutator(document)].map(edit => asMutant(document, edit)))
}

/** Changes that mean nothing to a client or a server, each with the reason, in a stable order. */
export function equivalentMutantsOf(document: OpenApi): (Mutant & { reason: string })[] {
  return [...equivalentEdits(document)].map(edit => ({ ...asMutant(document, edit), reason: edit.reason }))
}

/**
 * Chooses `n` mutants (all, where there are fewer), spread evenly over the kinds: each kind once before any kind twice.
 * The same seed chooses the same ones; they keep their order.
 */
export function sample(mutants: readonly Mutant[], n: number, seed: number): Mutant[] {
  const chosen = new Set(spread(mutants, seed).slice(0, n))
  return mutants.filter(mutant => chosen.has(mutant))
}

function asMutant(document: OpenApi, { kind, at, detail, change, make }: Edit): Mutant {
  return {
    id: `${kind} ${pointerTo(at).slice(1)}${detail === undefined ? '' : ` ${detail}`}`,
    kind,
    at,
    change,
    apply() {
      const changed = copy(document)
      make(changed)
      return copy(changed) // what an edit put in may stand elsewhere too
    },
  }
}
