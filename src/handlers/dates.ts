/** Reads a date-time of a request. Null, which removes a date, and undefined, which leaves it, stay as they are. */
export function toDate<Absent extends null | undefined>(text: string | Absent): Date | Absent {
  return typeof text === 'string' ? new Date(text) : text
}
