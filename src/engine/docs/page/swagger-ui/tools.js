/** @import { ReactNode } from 'react' */
/** @import { GetComponent, ImmutableMap, System } from './types.js' */
import { documentReader, keyOf, tagNamed } from '../document/contents.js'

/**
 * The tools of every part of the page: Swagger UI's own, and the document.
 * @param {System} system
 */
export function pageTools(system) {
  const { React } = system
  const h = React.createElement
  /** Called again each time, because `system` itself is older than the parts of the page. */
  const ui = system.getSystem
  /** The document, in plain objects. */
  const { contents, deliver } = documentReader(ui)

  /**
   * Finds an operation as the document has it, extensions included.
   * @param {string} path
   * @param {string} method
   */
  const operationAt = (path, method) => contents().byKey.get(keyOf(path, method))?.operation

  /**
   * Finds an operation, also one that the search hides.
   * @param {string | undefined} id
   */
  const findOperation = id => (id ? contents().operations.find(operation => operation.id === id) : undefined)

  /**
   * Returns a component of Swagger UI or of this page. A container is made again when the store changes.
   * @type {GetComponent}
   */
  const component = (name, isContainer = false) => ui().getComponent(name, isContainer)

  /** Memoised: reading a text costs much more than comparing it. */
  const Markdown = React.memo(
    /** @param {{ source: string | undefined }} props */
    ({ source = '' }) => h(component('Markdown'), { source, getConfigs: ui().getConfigs }),
  )

  /**
   * Makes a table of column names and of rows, which are elements.
   * @param {string[]} columns
   * @param {ReactNode} rows
   */
  const tableOf = (columns, rows) => {
    const names = columns.map(name => h('th', { key: name, scope: 'col' }, name))
    return h('table', null, h('thead', null, h('tr', null, names)), h('tbody', null, rows))
  }

  return {
    React,
    h,
    ui,
    contents,
    deliver,
    operationAt,
    /** @param {string} name */
    tagNamed: name => tagNamed(contents(), name),
    findOperation,
    component,
    Markdown,
    tableOf,
  }
}

/** @typedef {ReturnType<typeof pageTools>} Tools */

/**
 * Returns a value without Immutable.js.
 * @template Plain
 * @param {Plain | ImmutableMap<Plain>} value
 */
export const plain = value =>
  typeof value === 'object' && value !== null && 'toJS' in value ? value.toJS() : value
