/** @import { System } from './swagger-ui/types.js' */
import { boxPart } from './code/box.js'
import { samplesPart } from './code/samples.js'
import { tabsPart } from './code/tabs.js'
import { navigationPart } from './contents/navigation.js'
import { searchPart } from './contents/search.js'
import { bodyFormPart } from './fields/body-form.js'
import { fieldsPart } from './fields/fields.js'
import { layoutPart } from './frame/layout.js'
import { linksPart } from './frame/links.js'
import { agentsPart } from './guide/agents.js'
import { changesPart } from './guide/changes.js'
import { errorsPart } from './guide/errors.js'
import { guidePart } from './guide/guide.js'
import { headersPart } from './guide/headers.js'
import { lifetimesPart } from './guide/lifetimes.js'
import { plansPart } from './guide/plans.js'
import { accessPart } from './key/access.js'
import { keyDialogPart } from './key/dialog.js'
import { quotaPart } from './key/quota.js'
import { controlsPart } from './operation/controls.js'
import { parametersPart } from './operation/parameters.js'
import { rowPart } from './operation/row.js'
import { rulesPart } from './operation/rules.js'
import { tryItPart } from './operation/try-it.js'
import { answerPart } from './reply/answer.js'
import { repliesPart } from './reply/replies.js'
import { firstCallPart } from './sections/first-call.js'
import { introductionPart } from './sections/introduction.js'
import { operationsPart } from './sections/operations.js'
import { schemasPart } from './sections/schemas.js'
import { webhooksPart } from './sections/webhooks.js'
import { loadingPart } from './swagger-ui/loading.js'
import { pageTools } from './swagger-ui/tools.js'
import { colourSchemePart } from './theme/colour-scheme.js'

/**
 * The plugin of this page, with all its parts, in Swagger UI's form.
 * @param {System} system
 */
export function docsPlugin(system) {
  const tools = pageTools(system)
  const parts = [
    loadingPart,
    layoutPart,
    colourSchemePart,
    searchPart,
    navigationPart,
    guidePart,
    introductionPart,
    firstCallPart,
    accessPart,
    plansPart,
    lifetimesPart,
    errorsPart,
    headersPart,
    changesPart,
    agentsPart,
    quotaPart,
    linksPart,
    operationsPart,
    rowPart,
    keyDialogPart,
    controlsPart,
    parametersPart,
    rulesPart,
    fieldsPart,
    bodyFormPart,
    schemasPart,
    webhooksPart,
    tryItPart,
    boxPart,
    tabsPart,
    samplesPart,
    repliesPart,
    answerPart,
  ].map(part => part(tools))
  return merged(parts)
}

/**
 * Merges objects deeply. Of two other values the last one stays.
 * @param {object[]} objects
 */
function merged(objects) {
  /** @type {Record<string, unknown>} */
  const result = {}
  /** @type {[string, unknown][]} */
  const fields = objects.flatMap(object => Object.entries(object))
  for (const [key, value] of fields) {
    const before = result[key]
    result[key] = isObject(before) && isObject(value) ? merged([before, value]) : value
  }
  return result
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
const isObject = value => typeof value === 'object' && value !== null
