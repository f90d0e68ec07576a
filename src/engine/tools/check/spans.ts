import { isObject } from 'spec-served-document/pointer'
import { endOfSpan, startOfSpan } from '../records/conventions.ts'
import type { Endpoint, Interface, Shape } from '../records/interface.ts'
import type { Body, Draft } from '../records/messages.ts'

/** Two days or instants of one object, with the names of a start and an end. */
export interface Span {
  start: string
  end: string
  isDay: boolean
}

/** How many days simple spans last at least and at most, so that a business that bounds them takes them. */
const days = { least: 2, most: 5 }
const day = 86_400_000

/** The spans that objects of a schema have. */
export function spansIn({ shape }: Interface, { properties = {} }: Shape): Span[] {
  const times = Object.entries(properties).flatMap(([name, schema]) => {
    const { format } = shape(schema)
    return format === 'date' || format === 'date-time' ? [{ name, format }] : []
  })
  return times.flatMap(({ name: start, format }) => {
    const end = times.find(other => other.format === format && endOfSpan(other.name))?.name
    return startOfSpan(start) && end !== undefined ? [{ start, end, isDay: format === 'date' }] : []
  })
}

/** A day or an instant, some days later. */
export function later(text: string, count: number, isDay: boolean): string {
  const moved = new Date(Date.parse(text) + count * day).toISOString()
  return isDay ? moved.slice(0, 10) : moved.replace('.000Z', 'Z')
}

/** A request of which each span ends after its start. @param isShort whether it lasts some days only */
export function inOrder(contract: Interface, { request }: Endpoint, draft: Draft, isShort: boolean): Draft {
  const ordered = { ...draft }
  for (const part of ['query', 'body'] as const) {
    const { [part]: schema } = request.properties
    const { [part]: values } = draft
    if (schema && isObject(values))
      ordered[part] = withOrder(contract, contract.shape(schema), values, isShort)
  }
  return ordered
}

function withOrder(contract: Interface, shape: Shape, values: Body, isShort: boolean): Body {
  const ordered = { ...values }
  for (const { start, end, isDay } of spansIn(contract, shape)) {
    const [from, to] = [ordered[start], ordered[end]].map(value => Date.parse(String(value)))
    if (from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to)) continue
    if (isShort) ordered[end] = later(String(ordered[start]), days.least + (Math.abs(to) % days.most), isDay)
    else if (to < from) [ordered[start], ordered[end]] = [ordered[end], ordered[start]]
  }
  return ordered
}
