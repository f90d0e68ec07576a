// Evaluated in the page: the texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3), with the ratio.
;(() => {
  const channels = color => (color.match(/[\d.]+/g) ?? []).map(Number)
  const blend = ([r, g, b, alpha = 1], under) =>
    [r, g, b].map((channel, i) => channel * alpha + under[i] * (1 - alpha))
  const luminance = color => {
    const [r, g, b] = color.map(channel => {
      const c = channel / 255
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ancestors = element => (element ? [element, ...ancestors(element.parentElement)] : [])
  const contrast = element => {
    const styles = ancestors(element).map(ancestor => getComputedStyle(ancestor))
    const background = styles
      .map(style => channels(style.backgroundColor))
      .reduceRight((under, layer) => blend(layer, under), [255, 255, 255])
    const opacity = styles.reduce((product, style) => product * Number(style.opacity), 1)
    const [r, g, b, alpha = 1] = channels(getComputedStyle(element).color)
    const [lighter, darker] = [blend([r, g, b, alpha * opacity], background), background]
      .map(luminance)
      .sort((a, b) => b - a)
    return (lighter + 0.05) / (darker + 0.05)
  }
  const elements = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode())
    if (walker.currentNode.textContent.trim()) elements.add(walker.currentNode.parentElement)
  return [...elements]
    .filter(element => element.checkVisibility() && !element.closest('script, svg, option, .visually-hidden'))
    .map(element => [contrast(element), element])
    .filter(([ratio]) => ratio < 4.5)
    .map(([ratio, element]) => `${ratio.toFixed(2)} ${element.tagName} ${element.textContent.slice(0, 40)}`)
})()
