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
      h(
        'tr',
        { key: name },
        h('th', { scope: 'row' }, h('code', null, name)),
        h('td', null, duration(seconds)),
      ),
    )
    return tableOf(h, ['What', 'How long'], rows)
  }

  return { components: { Rules, Lifetimes } }
}

/** The rules that are served with the page: by operationId, when each holds and what it says. */
const docsRules = () => /** @type {any} */ (globalThis).servedRules
