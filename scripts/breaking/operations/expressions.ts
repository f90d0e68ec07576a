import { orderOf, type Route } from './routes.ts'

/** Where OpenAPI 3.0.3 lets a value be taken from (section 4.7.20, Runtime Expressions). */
const source = /^\$(url|method|statusCode|(request|response)\.(header\.|query\.|path\.|body).*)$/

/**
 * A text with runtime expressions in a form that is the same whenever they mean the same: path parameters go by their
 * order, as their names are only ours, and header names have no case.
 * @param route whose request and reply the expressions speak of
 */
export function meaningOf(text: string, route: Route): string {
  const embedded = text.startsWith('$') ? `{${text}}` : text
  return embedded.replace(/\{(\$[^}]*)\}/g, (_braces, expression: string) => {
    const [, owner, name = ''] =
      /^(\$request\.path\.|\$(?:request|response)\.header\.)(.*)$/.exec(expression) ?? []
    if (!owner) return `{${expression}}`
    return `{${owner}${owner.endsWith('path.') ? (orderOf(route).get(name) ?? name) : name.toLowerCase()}}`
  })
}

/** The runtime expressions of a text, each in the form of `meaningOf`. */
export function sourcesOf(text: string, route: Route): string[] {
  return [...meaningOf(text, route).matchAll(/\{(\$[^}]*)\}/g)].map(([, expression = '']) => expression)
}

/** Whether a runtime expression is one that OpenAPI knows. */
export function isKnown(expression: string): boolean {
  return source.test(expression)
}
