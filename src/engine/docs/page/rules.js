/** The rules between records (`x-effects`), and how long what is promised lasts (`x-lifetimes`), as chapters of the guide. */
function rulesPart({ h, contents, Markdown }) {
  const { rulesInWords } = /** @type {any} */ (globalThis)

  /** What each operation needs, and what it does besides what its body says. */
  function Rules() {
    const rows = operationsWithRules(contents()).flatMap(({ operationId, 'x-effects': effects }) =>
      rulesInWords(effects).map((rule, index, all) =>
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

/** The operations of a document that say what they do to records. */
function operationsWithRules({ document }) {
  return Object.values(document.paths ?? {})
    .flatMap(item => Object.values(item))
    .filter(operation => Array.isArray(operation?.['x-effects']))
}
