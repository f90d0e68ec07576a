// How numbers, dates and durations are told.

/** Whole days from now until the date begins, UTC. */
function daysUntil(date) {
  return Math.ceil((Date.parse(date) - Date.now()) / 86_400_000)
}

function count(number, noun) {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
}

/** A date, or a date with a time, as a day in words. */
function dayOf(date) {
  const day = new Date(date)
  return Number.isNaN(day.getTime())
    ? String(date)
    : day.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}

const second = { size: 1, noun: 'second', symbol: 's' }
const units = [
  { size: 86_400, noun: 'day', symbol: 'd' },
  { size: 3_600, noun: 'hour', symbol: 'h' },
  { size: 60, noun: 'minute', symbol: 'min' },
]

/** Seconds in the largest unit that does not lose much. */
function duration(seconds, short = false) {
  const { size, noun, symbol } = units.find(unit => seconds >= 2 * unit.size) ?? second
  const number = Math.round(seconds / size)
  return short ? `${number} ${symbol}` : count(number, noun)
}

/** A name for an address: its words in lower case, joined by hyphens. */
function slugOf(text) {
  return (
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-') ?? 'section'
  )
}
