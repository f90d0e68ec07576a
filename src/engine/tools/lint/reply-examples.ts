import type { Model, OperationModel } from 'spec-served-document/model'
import { isObject, type Path } from 'spec-served-document/pointer'
import { isSame } from '../records/effects.ts'
import { effectsOf } from './effect-rules.ts'
import { responsePlace } from './usual.ts'
import { leaveOut, type Violation, write } from './violation.ts'

/**
 * Yields what the example of a reply shows otherwise than the example of its request sends it. Readers take the two for one
 * exchange. A property counts that both have, unless an effect on the record of the reply changes it.
 */
export function* replyExampleFaults(model: Model): Generator<Violation> {
  for (const located of model.operations) {
    const [{ example: sent } = {}] = Object.values(located.body?.content ?? {})
    const [status = '', { content = {} } = {}] =
      [...located.responses].find(([candidate]) => candidate.startsWith('2')) ?? []
    const changed = changedByEffects(located)
    for (const [type, { example: shown }] of Object.entries(content)) {
      const place = [...responsePlace(model, located, status), 'content', type, 'example']
      for (const [at, due, is] of pairsOf(sent, shown, place))
        for (const [name, value] of Object.entries(due))
          if (name in is && !changed.has(name) && !isSame(value, is[name]))
            yield {
              place: [...at, name],
              message: `The example of the reply shows ${JSON.stringify(is[name])}, and that of the request sends ${JSON.stringify(value)}.`,
              ...(value === null ? leaveOut([...at, name]) : write(at, { [name]: value })),
            }
    }
  }
}

type Properties = Readonly<Record<string, unknown>>

/** The records of a request beside those of its reply, and the places of the latter. */
function* pairsOf(sent: unknown, shown: unknown, place: Path): Generator<[Path, Properties, Properties]> {
  if (Array.isArray(sent) && Array.isArray(shown))
    for (const [index, item] of sent.entries()) yield* pairsOf(item, shown[index], [...place, String(index)])
  else if (isObject(sent) && isObject(shown)) yield [place, sent, shown]
}

/** The properties that effects give the record of the reply, whatever the request sends. */
function changedByEffects(located: OperationModel): Set<string> {
  const [, own = ''] = /\{([^{}]+)\}[^{}]*$/.exec(located.path) ?? []
  const names = effectsOf(located).flatMap(effect => {
    if (!isObject(effect) || !isObject(effect.of) || !isObject(effect.becomes)) return []
    const [record] = Object.values(effect.of).map(String)
    if (record !== `path.${own}` && !record?.startsWith('reply.')) return []
    return Object.entries(effect.becomes).flatMap(([name, value]) =>
      value === `before.${name}` ? [] : [name],
    )
  })
  return new Set(names)
}
