/** The first line in which a file differs from what is wanted, in three lines. @param remedy what to do, and why */
export function differenceOf(file: string, text: string, wanted: string, remedy: string): string {
  const [lines, wantedLines] = [text.split('\n'), wanted.split('\n')]
  const line = wantedLines.findIndex((wantedLine, position) => wantedLine !== lines[position])
  const index = line < 0 ? wantedLines.length : line
  return `${file}:${index + 1} ${remedy}
  is:      ${lines[index] ?? '(end)'}
  must be: ${wantedLines[index] ?? '(end)'}`
}
