import type { DocumentRule } from '../rule.ts'
import { operationsOf, templateNames } from '../place.ts'

/** What a document needs so that a server can be bound to it, whoever wrote it. */
export const bindRules: Record<string, DocumentRule> = {
  'operation-id': (document, report) => {
    const seen = new Set<string>()
    for (const { id, place } of operationsOf(document)) {
      if (!id) report(place, 'has no operationId')
      else if (seen.has(id)) report(place.at('operationId'), `operationId ${id} is taken`)
      // openapi-typescript writes it as a slash, so types and facts would disagree
      else if (id.includes('#')) report(place.at('operationId'), `operationId ${id} contains #`)
      if (id) seen.add(id)
    }
  },

  'path-item-parameters': (document, report) => {
    for (const [, item] of document.at('paths').entries)
      if (item.has('parameters'))
        report(item.at('parameters'), 'parameters of a whole path get lost: declare them on each operation')
  },

  'default-response': (document, report) => {
    for (const { place } of operationsOf(document))
      if (place.at('responses').has('default'))
        report(place.at('responses', 'default'), 'declare each status instead of default')
  },

  'status-range': (document, report) => {
    for (const { place } of operationsOf(document))
      for (const [status, response] of place.at('responses').entries)
        if (/^\dXX$/i.test(status)) report(response, `declare each status instead of ${status}`)
  },

  'path-template': (document, report) => {
    for (const [path, item] of document.at('paths').entries) {
      for (const name of templateNames(path))
        if (!/^\w+$/.test(name))
          report(item, `the router can't match {${name}}: use letters, digits and _ only`)
      if (/[:*()]/.test(path.replaceAll(/\{[^{}]*\}/g, '')))
        report(item, 'the router reads : * ( ) in a path as its own syntax')
    }
  },

  'identical-paths': (document, report) => {
    const seen = new Map<string, string>()
    for (const [path, item] of document.at('paths').entries) {
      const shape = path.replaceAll(/\{[^{}]*\}/g, '{}')
      const other = seen.get(shape)
      if (other) report(item, `is the same path as ${other}`)
      else seen.set(shape, path)
    }
  },

  'path-parameters': (document, report) => {
    for (const { path, place } of operationsOf(document)) {
      const declared = place.at('parameters').items.filter(parameter => parameter.text('in') === 'path')
      const names = declared.map(parameter => parameter.text('name'))
      for (const name of templateNames(path))
        if (!names.includes(name)) report(place, `does not declare the path parameter ${name}`)
      for (const parameter of declared)
        if (!templateNames(path).includes(parameter.text('name') ?? ''))
          report(parameter, `is no parameter of the path ${path}`)
    }
  },
}
