/** The first line in which a file differs from what is wanted. @param source what the text comes from */
export function differenceOf(file: string, text: string, wanted: string, source: string): string {
  const [lines, wantedLines] = [text.split('\n'), wanted.split('\n')]
  const line = wantedLines.findIndex((wantedLine, position) => wantedLine !== lines[position])
  const index = line < 0 ? wantedLines.length : line
  return `${file}:${index + 1} is not what ${source}
  is:      ${lines[index] ?? '(end)'}
  must be: ${wantedLines[index] ?? '(end)'}`
}
