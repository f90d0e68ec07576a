/**
 * What every part of the page asks: Swagger UI's own tools, and the document.
 * @param {any} system Swagger UI's: React, selectors and actions
 */
function pageTools(system) {
  const { React } = system
  /** Asked anew each time: `system` itself is older than the parts of the page. */
  const ui = system.getSystem

  /** A field of an operation as the document has it; extensions included. */
  const field = (path, method, name) => ui().specSelectors.specJson().getIn(['paths', path, method, name])
  const plain = value => value?.toJS?.() ?? value
  const tags = () => plain(ui().specSelectors.specJson().get('tags')) ?? []
  const tagNamed = name => tags().find(tag => tag.name === name) ?? { name }

  /** Every operation with its tag, whatever the search hides. */
  const findOperation = id => {
    for (const [path, methods] of Object.entries(plain(ui().specSelectors.paths())))
      for (const [method, { operationId, tags: [tag] = ['default'] }] of Object.entries(methods))
        if (id && operationId === id) return { path, method, id, tag }
    return undefined
  }

  return { React, h: React.createElement, ui, field, plain, tags, tagNamed, findOperation }
}
