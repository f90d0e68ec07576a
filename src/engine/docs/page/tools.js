/**
 * The tools of every part of the page: Swagger UI's own, and the document.
 * @param {any} system Swagger UI's React, selectors and actions
 */
function pageTools(system) {
  const { React } = system
  /** Called again each time, because `system` itself is older than the parts of the page. */
  const ui = system.getSystem
  /** The document, in plain objects. */
  const { contents, deliver } = documentReader(ui)

  /** Returns a field of an operation in the document, extensions included. */
  const field = (path, method, name) => contents().byKey.get(keyOf(path, method))?.operation[name]
  const plain = value => value?.toJS?.() ?? value
  const tagNamed = name => contents().tags.find(tag => tag.name === name) ?? { name }
  /** Finds an operation with its tag, also one that the search hides. */
  const findOperation = id => (id ? contents().operations.find(operation => operation.id === id) : undefined)
  /** Returns a component of Swagger UI or of this page. */
  const component = (name, isContainer = false) => ui().getComponent(name, isContainer)
  /** Memoised: reading a text costs much more than comparing it. */
  const Markdown = React.memo(({ source }) =>
    React.createElement(component('Markdown'), { source: source ?? '', getConfigs: ui().getConfigs }),
  )

  return {
    React,
    h: React.createElement,
    ui,
    contents,
    deliver,
    field,
    plain,
    tagNamed,
    findOperation,
    component,
    Markdown,
  }
}

/** Makes a table of column names and of rows, which are elements. */
function tableOf(h, columns, rows) {
  const names = columns.map(name => h('th', { key: name, scope: 'col' }, name))
  return h('table', null, h('thead', null, h('tr', null, names)), h('tbody', null, rows))
}
