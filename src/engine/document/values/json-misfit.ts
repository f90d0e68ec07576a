/** A token that may follow: its first characters, and its name. */
interface Expected {
  fits: RegExp
  wanted: string
}

/** The tokens that may stand at each place of a JSON text (RFC 8259, section 2). */
const places = {
  value: { fits: /["\d\-tfn[{]/, wanted: 'a value' },
  firstItem: { fits: /["\d\-tfn[{\]]/, wanted: 'a value or `]`' },
  nextItem: { fits: /[,\]]/, wanted: '`,` or `]`' },
  name: { fits: /"/, wanted: 'a name in double quotes' },
  firstName: { fits: /["}]/, wanted: 'a name in double quotes or `}`' },
  nextName: { fits: /[,}]/, wanted: '`,` or `}`' },
  colon: { fits: /:/, wanted: '`:`' },
  end: { fits: /(?!)/, wanted: 'the end' },
} as const satisfies Record<string, Expected>

type Place = keyof typeof places

/** The end of a value without members. An incomplete value comes with the token that should follow. */
interface Scalar {
  end: number
  wanted?: string
}

/** Tells where a text that JSON.parse refuses ceases to be JSON, with the expected and the found token. */
export function misfitIn(text: string): string {
  /** the closing brackets of the open arrays and objects */
  const open: (']' | '}')[] = []
  const afterValue = (): Place =>
    (({ ']': 'nextItem', '}': 'nextName', '': 'end' }) as const)[open.at(-1) ?? '']
  let place: Place = 'value'
  for (let position = 0; ; ) {
    position = endOf(/[ \t\n\r]*/y, text, position)
    const expected: Expected = places[place]
    const char = text[position] ?? ''
    if (!expected.fits.test(char)) return misfit(text, position, expected.wanted)
    const isPunctuation = /[[\]{},:]/.test(char)
    const scalar: Scalar = isPunctuation ? { end: position + 1 } : scalarAt(text, position)
    if (scalar.wanted !== undefined) return misfit(text, scalar.end, scalar.wanted)
    position = scalar.end
    if (char === '[' || char === '{') {
      open.push(char === '[' ? ']' : '}')
      place = char === '[' ? 'firstItem' : 'firstName'
    } else if (char === ',') place = open.at(-1) === '}' ? 'name' : 'value'
    else if (char === ':') place = 'value'
    else if (place === 'name' || (place === 'firstName' && char === '"')) place = 'colon'
    else {
      if (isPunctuation) open.pop()
      place = afterValue()
    }
  }
}

function misfit(text: string, position: number, wanted: string): string {
  const lines = text.slice(0, position).split('\n')
  const column = (lines.at(-1)?.length ?? 0) + 1
  return `line ${lines.length}, column ${column}: expected ${wanted} and found ${shown(text.codePointAt(position))}`
}

/** Returns a character, or its code if a reader would not see it. */
function shown(code: number | undefined): string {
  if (code === undefined) return 'the end'
  const char = String.fromCodePoint(code)
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(char)) return `\`${char}\``
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** @param pattern sticky; matches the empty text too */
function endOf(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position
  pattern.test(text)
  return pattern.lastIndex
}

function scalarAt(text: string, position: number): Scalar {
  if (text[position] === '"') return stringAt(text, position)
  const word = ['true', 'false', 'null'].find(name => name[0] === text[position])
  if (word !== undefined) {
    const length = [...word].findIndex((letter, index) => text[position + index] !== letter)
    return length < 0 ? { end: position + word.length } : { end: position + length, wanted: `\`${word}\`` }
  }
  const end = endOf(/-?(?:0|[1-9]\d*)?(?:(?<=\d)\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?/y, text, position)
  return /\d/.test(text[end - 1] ?? '') ? { end } : { end, wanted: 'a digit' }
}

function stringAt(text: string, start: number): Scalar {
  for (let position = start + 1; ; ) {
    const end = endOf(/[ !#-[\]-\uffff]*/y, text, position) // unescaped characters by RFC 8259, section 7
    if (text[end] === '"') return { end: end + 1 }
    if (text[end] !== '\\') return { end, wanted: 'the closing `"`' }
    position = endOf(/\\(?:["\\/bfnrt]|u[\da-fA-F]{0,4})?/y, text, end)
    if (position === end + 1) return { end: position, wanted: 'one of `"\\/bfnrtu`' }
    if (text[end + 1] === 'u' && position < end + 6) return { end: position, wanted: 'a hexadecimal digit' }
  }
}
