/** Decimal digits beyond which a double may not hold a number as it was written. */
const safeDigits = 15

/**
 * Whether a number, read as a double and written again, is the same decimal value: `1.0`, `1e2` and `0.1` are,
 * `9007199254740993`, `1.00000000000000000001` and `1e400` are not.
 * @param text a number as JSON writes it (RFC 8259, section 6)
 */
export function isExactNumber(text: string): boolean {
  if (text.length <= safeDigits && !/e/i.test(text)) return true
  const value = Number(text)
  return Number.isFinite(value) && decimal(text) === decimal(String(value))
}

/** The value of a decimal number without its sign, in one form for all its ways of writing. */
function decimal(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = whole + fraction
  let first = 0
  while (digits[first] === '0') first++
  // A pattern for zeros at the end would try anew at each of them.
  let end = digits.length
  while (end > first && digits[end - 1] === '0') end--
  return end === first ? '0' : `${digits.slice(first, end)}e${whole.length - first + Number(exponent)}`
}
