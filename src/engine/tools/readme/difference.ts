/** The first line in which a file is not what is due. @param source says what is due */
export function differenceOf(file: string, is: string, due: string, source: string): string {
  const [now, then] = [is.split('\n'), due.split('\n')]
  const line = then.findIndex((text, index) => text !== now[index])
  const at = line < 0 ? then.length : line
  return `${file}:${at + 1} is not what ${source}
  is:  ${now[at] ?? '(end)'}
  due: ${then[at] ?? '(end)'}`
}
