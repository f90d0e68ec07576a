const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const highlighted = '#8250df'

const width = 760

function picture(height: number, title: string, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .small { font-size: 11px; fill: #59636e }
  .ours { font-weight: 600 }
  .base { stroke: #59636e; stroke-width: 1; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .base { stroke: #9198a1 }
  }
</style>
<text class="title" x="16" y="26">${escaped(title)}</text>
${content.join('\n')}
</svg>
`
}

export interface Bars {
  title: string
  /** what the numbers are */
  note: string
  groups: readonly { name: string; bars: readonly { name: string; value: number; highlighted?: boolean }[] }[]
}

/** Groups of horizontal bars, with a line at 1. */
export function barChart({ title, note, groups }: Bars): string {
  const [left, right, row] = [250, 50, 22]
  const greatest = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)))
  const scale = (value: number) => (value / greatest) * (width - left - right)
  const content = [`<text class="small" x="16" y="44">${escaped(note)}</text>`]
  let y = 72
  for (const { name, bars } of groups) {
    content.push(`<text class="title" x="16" y="${y}">${escaped(name)}</text>`)
    const one = left + scale(1)
    const line = `x1="${one.toFixed(1)}" x2="${one.toFixed(1)}" y1="${y + 8}" y2="${y + bars.length * row + 12}"`
    content.push(`<line class="base" ${line}/>`)
    for (const bar of bars) {
      y += row
      const colour = bar.highlighted ? highlighted : '#8c959f'
      const emphasis = bar.highlighted ? ' class="ours"' : ''
      // The figure stands behind its bar, or behind the line where that would run through it.
      const end = left + scale(bar.value)
      const after = end < one && end + 36 > one ? one : end
      content.push(
        `<text${emphasis} x="${left - 8}" y="${y + 4}" text-anchor="end">${escaped(bar.name)}</text>`,
        `<rect x="${left}" y="${y - 8}" width="${scale(bar.value).toFixed(1)}" height="15" rx="2" fill="${colour}"/>`,
        `<text${emphasis} x="${(after + 6).toFixed(1)}" y="${y + 4}">${bar.value.toFixed(2)}</text>`,
      )
    }
    y += 40
  }
  return picture(y - 16, title, content)
}
