import { minifySync } from 'rolldown/utils'
import { pruned } from './prune.ts'

const nothing = '()=>({})'
/** Answers whether a strategy reads a document. */
const never = '{match:()=>!1}'

/**
 * What the docs page does not use of Swagger UI. Each name has to be there: after an update that renames one of them, the
 * file stays as it is until this list follows.
 */
const unused = {
  // OpenAPI 3.1 and later: the service's documents are of 3.0.
  '{name:"openapi-3-1-apidom"': never,
  '{name:"openapi-3-2-apidom"': never,
  oas31: '()=>({statePlugins:{spec:{selectors:{isOAS31:()=>!1}}}})',
  oas32: '()=>({statePlugins:{spec:{selectors:{isOAS32:()=>!1}}}})',
  json_schema_2020_12: nothing,
  json_schema_2020_12_samples: nothing,
  // What parts of the page stand for: see src/engine/docs/page.
  components_operations: nothing,
  models: nothing,
  FilterContainer: nothing,
  syntax_highlighting: nothing,
}

/** A file of the docs page with all that it does, in fewer bytes. Names of its outermost scope stay. */
export function smaller(name: string, text: string): string {
  if (!name.endsWith('.js')) return text
  const script = name === 'swagger-ui-bundle.js' ? pruned(text, 'SwaggerUI', unused) : text
  const { code, errors } = minifySync(name, script, {
    module: false,
    compress: true,
    mangle: true,
    codegen: { removeWhitespace: true, legalComments: 'inline' },
  })
  if (errors.length > 0) throw new Error(`${name} can't be made smaller: ${errors[0]?.message}`)
  return code
}
