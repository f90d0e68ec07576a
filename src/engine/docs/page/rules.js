/** The rules between records (`x-effects`) and the lifetimes (`x-lifetimes`), as chapters of the guide. */
function rulesPart({ h, contents, Markdown }) {
  /** The conditions of each operation, and its effects besides those of its body. */
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

  /** Any text. It shows a number of the document in place of the number's name. */
  const wrapComponents = {
    Markdown: Original => props =>
      h(Original, { ...props, source: withNumbers(props.source, contents().document) }),
  }

  return { components: { Rules, Lifetimes }, wrapComponents }
}

/** The rules that the server sends with the page: by operationId, conditions and texts. */
const docsRules = () => /** @type {any} */ (globalThis).servedRules

/** Replaces the names in `x-lifetimes` and `x-request-bounds` in a text by their values, and `x-rate-limits` by a link to the plans. */
function withNumbers(source, document) {
  const lifetimes = document['x-lifetimes'] ?? {}
  const bounds = document['x-request-bounds'] ?? {}
  const text = String(source ?? '')
    .replace(/`(\w+)` in `x-lifetimes`/g, (whole, name) =>
      lifetimes[name] ? duration(lifetimes[name].seconds) : whole,
    )
    .replace(/`(\w+)` in `x-request-bounds`/g, (whole, name) => bounds[name]?.toLocaleString('en') ?? whole)
  return document['x-rate-limits']?.plans
    ? text.replace(/(`\w+` in )?`x-rate-limits`/g, '[the table of plans](#plans)')
    : text
}
