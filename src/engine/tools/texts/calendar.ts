import type { Contract } from 'spec-served-document/contract/contract'

/** The days on which operations end, for calendars (RFC 5545): an event of a whole day each. */
export function sunsetCalendar({ model, facts }: Pick<Contract, 'model' | 'facts'>): string {
  const { info } = model.document
  const events = model.operations.flatMap(({ id, method, path }) => {
    const { at: since, sunset, successor } = facts.get(id)?.deprecation ?? {}
    if (!sunset) return []
    const instead = successor ? ` Use ${successor.operationId} instead.` : ''
    const sentence = `${method} ${path} of ${info.title} answers 410 from 00:00 UTC of this day.${instead}`
    return [
      'BEGIN:VEVENT',
      `UID:${escaped(`${id}.${sunset}.${info.title}`)}`,
      // The event says nothing that is younger than its announcement.
      `DTSTAMP:${basic(since ?? sunset)}T000000Z`,
      `DTSTART;VALUE=DATE:${basic(sunset)}`,
      `SUMMARY:${escaped(`${info.title}: ${id} ends`)}`,
      `DESCRIPTION:${escaped(sentence)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]
  })
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${escaped(info.title)}//Sunsets//EN`,
    ...events,
    'END:VCALENDAR',
  ]
  return lines.map(line => `${folded(line)}\r\n`).join('')
}

const basic = (date: string) => date.replaceAll('-', '')

/** A text as RFC 5545, section 3.3.11, writes it. */
const escaped = (text: string) => text.replace(/[\\;,]/g, '\\$&').replace(/\s*[\r\n]+\s*/g, '\\n')

/** Lines of at most 75 octets (section 3.1): 18 characters never have more. */
const folded = (line: string) =>
  Buffer.byteLength(line) > 75 ? line.replace(/.{18}(?=.)/gu, '$&\r\n ') : line
