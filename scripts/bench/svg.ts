const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Colours that stand apart for colour-blind readers too, on white and on black. */
const colours = ['#e69f00', '#56b4e9', '#009e73', '#cc79a7', '#0072b2', '#d55e00', '#999999', '#b3a200']
const highlighted = '#8250df'

const width = 760

function picture(height: number, title: string, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .small { font-size: 11px; fill: #59636e }
  .ours { font-weight: 600 }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .base { stroke: #59636e; stroke-width: 1; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .grid { stroke: #3d444d }
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

export interface Lines {
  title: string
  /** what the axes are */
  note: string
  /** where each point stands, named; the same distance from one to the next */
  steps: readonly string[]
  lines: readonly { name: string; values: readonly number[]; highlighted?: boolean }[]
}

/** Lines over named steps, from 0 up. */
export function lineChart({ title, note, steps, lines }: Lines): string {
  const [left, right, top, bottom, height] = [60, 150, 66, 40, 340]
  const greatest = Math.max(...lines.flatMap(({ values }) => values.filter(Number.isFinite)), 0) || 1
  const unit = niceStep(greatest)
  const most = Math.ceil(greatest / unit) * unit
  const x = (index: number) => left + (index / Math.max(1, steps.length - 1)) * (width - left - right)
  const y = (value: number) => height - bottom - (value / most) * (height - top - bottom)
  const content = [`<text class="small" x="16" y="44">${escaped(note)}</text>`]
  for (let value = 0; value <= most + unit / 2; value += unit)
    content.push(
      `<line class="grid" x1="${left}" x2="${width - right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/>`,
      `<text class="small" x="${left - 8}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${Number(value.toPrecision(6))}</text>`,
    )
  for (const [index, step] of steps.entries())
    content.push(
      `<text class="small" x="${x(index).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle">${escaped(step)}</text>`,
    )
  // Names stand where their lines end, moved apart where they would cover each other.
  let lowest = Number.NEGATIVE_INFINITY
  const ends = lines.map((line, index) => ({ ...line, index, end: y(line.values.at(-1) ?? 0) }))
  for (const { name, values, index, end, ...line } of ends.sort((a, b) => a.end - b.end)) {
    const colour = line.highlighted ? highlighted : colours[index % colours.length]
    const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`)
    lowest = Math.max(end, lowest + 15)
    content.push(
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="${line.highlighted ? 3 : 2}"/>`,
      ...points.map(
        point => `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3" fill="${colour}"/>`,
      ),
      `<text${line.highlighted ? ' class="ours"' : ''} x="${width - right + 10}" y="${(lowest + 4).toFixed(1)}" style="fill:${colour}">${escaped(name)}</text>`,
    )
  }
  return picture(height, title, content)
}

/** A round distance between grid lines, such that there are four to ten. */
function niceStep(greatest: number): number {
  const power = 10 ** Math.floor(Math.log10(greatest / 4))
  return ([1, 2, 5, 10].find(factor => greatest / (factor * power) <= 8) ?? 10) * power
}
