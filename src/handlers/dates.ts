/** A date-time of a request; null, which removes a date, and undefined, which leaves it, stay what they are. */
export function toDate<Absent extends null | undefined>(text: string | Absent): Date | Absent {
  return typeof text === 'string' ? new Date(text) : text
}
