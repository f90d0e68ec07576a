/** A number as it is written in decimals, without the faults of binary fractions: `units` times 10 to the `-scale`. */
interface Decimal {
  units: bigint
  scale: number
}

function decimalOf(value: number): Decimal {
  const [digits = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = digits.split('.')
  const scale = fraction.length - Number(exponent)
  const units = BigInt(whole + fraction)
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 }
}

function aligned(one: number, other: number): [bigint, bigint, scale: number] {
  const [a, b] = [decimalOf(one), decimalOf(other)]
  const scale = Math.max(a.scale, b.scale)
  return [a.units * 10n ** BigInt(scale - a.scale), b.units * 10n ** BigInt(scale - b.scale), scale]
}

/** Whether a number is a multiple of another, as both are written. */
export function isMultipleOf(value: number, unit: number): boolean {
  const [a, b] = aligned(value, unit)
  return b !== 0n && a % b === 0n
}

/** The least number that is a multiple of both. */
export function leastMultiple(one: number, other: number): number {
  const [a, b, scale] = aligned(one, other)
  if (a === 0n || b === 0n) return one || other
  let [greater, smaller] = [a, b]
  while (smaller !== 0n) [greater, smaller] = [smaller, greater % smaller]
  return Number(`${(a * b) / greater}e${-scale}`)
}
