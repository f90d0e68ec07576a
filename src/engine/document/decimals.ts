/** Numbers as whole ones, by the digits in which they are written, without the faults of binary fractions. */
function whole(number: number, other: number): [one: number, other: number, scale: number] {
  const places = [number, other].map(value => {
    const [digits = '', exponent = '0'] = String(value).split('e')
    return (digits.split('.')[1] ?? '').length - Number(exponent)
  })
  const scale = 10 ** Math.max(0, ...places)
  return [Math.round(number * scale), Math.round(other * scale), scale]
}

/** Whether a number is a multiple of another, as both are written. */
export function isMultipleOf(value: number, unit: number): boolean {
  const [a, b] = whole(value, unit)
  return b !== 0 && a % b === 0
}

/** The least number that is a multiple of both. */
export function leastMultiple(number: number, other: number): number {
  const [a, b, scale] = whole(number, other)
  if (a === 0 || b === 0) return number || other
  let [greater, smaller] = [a, b]
  while (smaller !== 0) [greater, smaller] = [smaller, greater % smaller]
  return ((a / greater) * b) / scale
}

/** Whether a double holds the number in a text exactly: `0.1` and `1e2`, but not `9007199254740993`. */
export function isExactNumber(text: string): boolean {
  const value = Number(text)
  return Number.isFinite(value) && decimal(text) === decimal(String(value))
}

/** Returns a decimal number without its sign, in one form for all its spellings. */
function decimal(text: string): string {
  const [, wholeDigits = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = wholeDigits + fraction
  const first = digits.search(/[1-9]/)
  if (first < 0) return '0'
  // A pattern for zeros at the end would backtrack at each of them.
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return `${digits.slice(first, end)}e${wholeDigits.length - first + Number(exponent)}`
}
