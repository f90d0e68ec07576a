import type { Oas3Rule } from '@redocly/openapi-core'

/**
 * What no document may have, whoever wrote it, because its routes could then not be bound as it says.
 * (Redocly's own rules see to operationIds, identical paths, undeclared path parameters and broken references.)
 */
export const bindRules: Record<string, Oas3Rule> = {
  'no-path-level-parameters': () => ({
    PathItem(item, { report, location }) {
      if (item.parameters !== undefined)
        report({
          message:
            'Parameters of a path are lost when an operation has its own: write them at each operation.',
          location: location.child('parameters').key(),
        })
    },
  }),
  'no-default-response': () => ({
    Responses(responses, { report, location }) {
      for (const status of Object.keys(responses))
        if (!/^[1-5]\d\d$/.test(status) && !status.startsWith('x-'))
          report({
            message: `Declare each status by its number: a handler can't be held to \`${status}\`.`,
            location: location.child(status).key(),
          })
    },
  }),
  'routable-path': () => ({
    Paths(paths, { report, location }) {
      for (const path of Object.keys(paths)) {
        if (/[:*]/.test(path))
          report({
            message: 'The router takes `:` and `*` in a path for its own signs.',
            location: location.child(path).key(),
          })
        for (const [template, name = ''] of path.matchAll(/\{([^}]*)\}/g))
          if (!/^\w+$/.test(name))
            report({
              message: `The router never matches ${template}: name path parameters with letters, digits and underscores.`,
              location: location.child(path).key(),
            })
      }
    },
  }),
  'openapi-3-0': () => ({
    Root(root, { report, location }) {
      if (!/^3\.0\.\d+$/.test(String(root.openapi)))
        report({ message: 'Only OpenAPI 3.0 can be bound.', location: location.child('openapi') })
    },
  }),
}
