/**
 * The plugin of this page, with all its parts, in Swagger UI's form.
 * @param {any} system Swagger UI's React, selectors and actions
 */
function docsPlugin(system) {
  const tools = pageTools(system)
  const parts = [
    loadingPart,
    layoutPart,
    colourSchemePart,
    searchPart,
    navigationPart,
    guidePart,
    introductionPart,
    accessPart,
    plansPart,
    rulesPart,
    errorsPart,
    headersPart,
    changesPart,
    agentsPart,
    quotaPart,
    linksPart,
    tagTreePart,
    headsPart,
    authorizationPart,
    formFieldsPart,
    parametersPart,
    fieldsPart,
    schemasPart,
    webhooksPart,
    tryItPart,
    codePart,
    repliesPart,
    answerPart,
  ].map(part => part(tools))
  return merged(parts)
}

/** Merges objects deeply. Of two other values the last one stays. */
function merged(objects) {
  const result = {}
  for (const [key, value] of objects.flatMap(object => Object.entries(object)))
    result[key] = key in result && typeof value === 'object' ? merged([result[key], value]) : value
  return result
}
