/** int8 as a number; one that a number can't hold is refused, never rounded. */
export function readInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The database holds ${text}, beyond what a number can`)
  return value
}

/** timestamptz in the session's time zone, UTC. Both drivers' own readers take the year 0001 for another. */
export function readTimestamp(text: string): Date {
  const [, year, rest, era] = /^(\d+)(-.+)\+00( BC)?$/.exec(text) ?? []
  // ISO 8601 has a year 0, the one before the year 1; a year of six digits takes a sign.
  const isoYear = era ? 1 - Number(year) : Number(year)
  const sign = isoYear < 0 ? '-' : '+'
  const date = new Date(`${sign}${String(Math.abs(isoYear)).padStart(6, '0')}${rest?.replace(' ', 'T')}Z`)
  if (Number.isNaN(date.getTime())) throw new RangeError(`The database holds ${text}, which is no date`)
  return date
}
