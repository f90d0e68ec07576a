import type { Ajv, ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv'
import { namedAlternatives } from '../../document/inheritance.ts'
import type { Reference, Schema } from '../../document/types.ts'

type Node = Schema | Reference
type KeywordCheck = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>
type Context = Parameters<KeywordCheck>[1]

/** What of a schema is only tried on a value. */
export interface Trials {
  oneOf: readonly Node[] | undefined
  anyOf: readonly Node[] | undefined
  not: Node | undefined
  discriminator: Schema['discriminator'] | undefined
}

/** How schemas are compiled that are tried, and those that are chosen. */
export interface Compilers {
  /** leaves the value as it is */
  trial(node: Node): ValidateFunction
  /** fills in the defaults that the value lacks; undefined: nothing is to be filled in */
  filling(node: Node): ValidateFunction | undefined
}

/**
 * Adds the keyword `trials`, whose value tells which of those given. It judges `oneOf`, `anyOf` and `not` as Ajv does, but for
 * two things: the alternative that the discriminator names is the only one (OpenAPI 3.0.3, 4.7.25), and defaults are
 * filled in of the one that a value has, and of no other.
 */
export function addTrials(ajv: Ajv, all: readonly Trials[], compilers: Compilers): void {
  ajv.addKeyword({
    keyword: 'trials',
    schemaType: 'number',
    compile(which: number) {
      const { oneOf, anyOf, not, discriminator } = all[which] ?? {}
      const choices = (['oneOf', 'anyOf'] as const).flatMap(keyword => {
        const alternatives = { oneOf, anyOf }[keyword]
        return alternatives ? [{ keyword, alternatives, told: tellerOf(alternatives, discriminator) }] : []
      })
      const check: KeywordCheck = (value, context) => {
        const errors: Partial<ErrorObject>[] = []
        for (const { told, ...choice } of choices) {
          const chosen = choose({ ...choice, told: told(value) }, value, context, compilers, errors)
          if (chosen) compilers.filling(chosen)?.(value, context)
        }
        if (not && compilers.trial(not)(value, context)) errors.push({ keyword: 'not', params: {} })
        check.errors = errors
        return errors.length === 0
      }
      return check
    },
  })
}

interface Choice {
  keyword: 'oneOf' | 'anyOf'
  alternatives: readonly Node[]
  /** the one that the value names */
  told: Node | undefined
}

/** @param errors is given what is wrong where none is chosen */
function choose(
  { keyword, alternatives, told }: Choice,
  value: unknown,
  context: Context,
  { trial }: Compilers,
  errors: Partial<ErrorObject>[],
): Node | undefined {
  const wrong: ErrorObject[] = []
  const fits = (node: Node) => {
    const validate = trial(node)
    const isFit = validate(value, context)
    if (!isFit) wrong.push(...(validate.errors ?? []))
    return isFit
  }
  if (told) {
    if (fits(told)) return told
    errors.push(...wrong)
    return undefined
  }
  const fitting: Node[] = []
  for (const node of alternatives) {
    if (fits(node)) fitting.push(node)
    if (fitting.length === 1 && keyword === 'anyOf') break
  }
  if (fitting.length === 1) return fitting[0]
  if (fitting.length === 0) errors.push(...wrong)
  errors.push({ keyword, params: fitting.length === 0 ? {} : { passingSchemas: fitting } })
  return undefined
}

/** Finds the alternative that a value names. */
function tellerOf(alternatives: readonly Node[], discriminator: Schema['discriminator']) {
  if (!discriminator) return () => undefined
  const { propertyName } = discriminator
  const named = namedAlternatives(alternatives, discriminator)
  return (value: unknown): Node | undefined => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, propertyName)) return undefined
    return named.get((value as Record<string, string>)[propertyName] ?? '') // what is no text is no name either
  }
}
