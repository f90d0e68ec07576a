/**
 * What every part of the page asks: Swagger UI's own tools, and the document.
 * @param {any} system Swagger UI's: React, selectors and actions
 */
function pageTools(system) {
  const { React } = system
  /** Asked again each time: `system` itself is older than the parts of the page. */
  const ui = system.getSystem
  /** The document, in plain objects. */
  const { contents, deliver } = documentReader(ui)

  /** A field of an operation as the document has it; extensions included. */
  const field = (path, method, name) => contents().byKey.get(keyOf(path, method))?.operation[name]
  const plain = value => value?.toJS?.() ?? value
  const tagNamed = name => contents().tags.find(tag => tag.name === name) ?? { name }
  /** Every operation with its tag, whatever the search hides. */
  const findOperation = id => (id ? contents().operations.find(operation => operation.id === id) : undefined)
  /** A component of Swagger UI's or ours. */
  const component = (name, isContainer = false) => ui().getComponent(name, isContainer)
  /** Reading a text costs much more than comparing it. */
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

/** A table: the names of its columns, and its rows as elements. */
function tableOf(h, columns, rows) {
  const names = columns.map(name => h('th', { key: name, scope: 'col' }, name))
  return h('table', null, h('thead', null, h('tr', null, names)), h('tbody', null, rows))
}
