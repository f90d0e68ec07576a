// How numbers, dates and durations are told.

/** Whole days from now until the date begins, UTC. */
function daysUntil(date) {
  return Math.ceil((Date.parse(date) - Date.now()) / 86_400_000)
}

function count(number, noun) {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
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
