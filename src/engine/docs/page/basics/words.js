// The words for numbers, dates and durations.

/**
 * Whole days from now until the date begins, UTC.
 * @param {string} date
 */
export function daysUntil(date) {
  return Math.ceil((Date.parse(date) - Date.now()) / 86_400_000)
}

/**
 * Groups the digits of a number in threes. The browser's own formatting takes about 20 ms the first time.
 * @param {number} number
 */
export function numeral(number) {
  const [whole = '', ...rest] = String(number).split(/(?=[.e])/)
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('')
}

/**
 * @param {number} number
 * @param {string} noun in the singular
 */
export function count(number, noun) {
  return `${numeral(number)} ${noun}${number === 1 ? '' : 's'}`
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)

/**
 * A date, or a date with a time, as a day in words.
 * @param {string} date
 */
export function dayOf(date) {
  const day = new Date(date)
  return Number.isNaN(day.getTime())
    ? String(date)
    : `${day.getUTCDate()} ${months[day.getUTCMonth()]} ${day.getUTCFullYear()}`
}

const second = { size: 1, noun: 'second' }
const units = [
  { size: 86_400, noun: 'day' },
  { size: 3_600, noun: 'hour' },
  { size: 60, noun: 'minute' },
]

/**
 * A duration in the largest unit that loses nothing, or little.
 * @param {number} seconds
 */
export function duration(seconds) {
  const { size, noun } = units.find(unit => seconds >= 2 * unit.size || seconds === unit.size) ?? second
  return count(Math.round(seconds / size), noun)
}

/**
 * A name for an address: its words in lower case, joined by hyphens.
 * @param {string} text
 */
export function slugOf(text) {
  return (
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-') ?? 'section'
  )
}

/**
 * Makes a label of a field's name: `bannedUntil` becomes “Banned until”.
 * @param {string} name
 */
export const labelOf = name =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/^./, letter => letter.toUpperCase())

/**
 * A method for a narrow column.
 * @param {string} method
 */
export const shortMethod = method => {
  if (method === 'delete') return 'DEL'
  return method === 'options' ? 'OPT' : method.toUpperCase()
}
