/**
 * The plugin of this page, in the form that Swagger UI asks for: all parts as one.
 * @param {any} system Swagger UI's own: React, selectors and actions
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

/** Objects as one, and those below them; of two values that are no objects the last one stays. */
function merged(objects) {
  const result = {}
  for (const [key, value] of objects.flatMap(object => Object.entries(object)))
    result[key] = key in result && typeof value === 'object' ? merged([result[key], value]) : value
  return result
}
