/** The rules between records (`x-effects`), and how long what is promised lasts (`x-lifetimes`), as chapters of the guide. */
function rulesPart({ h, contents, Markdown }) {
  /** What each operation needs, and what it does besides what its body says. */
  function Rules() {
    const rows = Object.entries(docsRules()).flatMap(([operationId, rules]) =>
      rules.map((rule, index, all) =>
        h(
          'tr',
          { key: `${operationId} ${index}` },
          index === 0 && h('th', { scope: 'rowgroup', rowSpan: all.length }, h('code', null, operationId)),
          rule.map((source, column) => h('td', { key: column }, h(Markdown, { source }))),
        ),
      ),
    )
    return tableOf(h, ['Operation', 'When', 'Rule'], rows)
  }

  function Lifetimes() {
    const rows = Object.entries(contents().document['x-lifetimes']).map(([name, { seconds }]) =>
      h('tr', { key: name }, h('th', { scope: 'row' }, labelOf(name)), h('td', null, duration(seconds))),
    )
    return tableOf(h, ['What', 'How long'], rows)
  }

  /** Any text: where it names a number of the document, it tells the number. */
  const wrapComponents = {
    Markdown: Original => props =>
      h(Original, { ...props, source: withNumbers(props.source, contents().document) }),
  }

  return { components: { Rules, Lifetimes }, wrapComponents }
}

/** The rules that are served with the page: by operationId, when each holds and what it says. */
const docsRules = () => /** @type {any} */ (globalThis).servedRules

/** A text with durations in place of their names in `x-lifetimes`, and the way to the plans in place of `x-rate-limits`. */
function withNumbers(source, document) {
  const lifetimes = document['x-lifetimes'] ?? {}
  const text = String(source ?? '').replace(/`(\w+)` in `x-lifetimes`/g, (whole, name) =>
    lifetimes[name] ? duration(lifetimes[name].seconds) : whole,
  )
  return document['x-rate-limits']?.plans
    ? text.replace(/(`\w+` in )?`x-rate-limits`/g, '[the table of plans](#plans)')
    : text
}
