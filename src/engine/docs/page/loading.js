/**
 * Loads the document from the address that the page gives. The page's own parts read it in plain objects at once.
 * Swagger UI gets it afterwards, because making its own form of it takes longer than all of that.
 */
function loadingPart({ ui, contents, deliver }) {
  const download = original => async address => {
    const { specActions } = ui()
    specActions.updateLoadingStatus('loading')
    try {
      const reply = await fetch(docsLinks().document)
      if (!reply.ok) throw new Error(reply.statusText)
      deliver(withPrefix(withServerNames(await reply.json())))
      specActions.updateLoadingStatus('success')
    } catch {
      // Swagger UI shows what is wrong.
      return original(address)
    }
    // The page is painted first.
    requestAnimationFrame(() => setTimeout(() => specActions.updateJsonSpec(swaggerForm(contents()))))
  }
  // Descriptions look the same before and after.
  const isOAS3 =
    original =>
    (...of) =>
      original(...of) || /^3\./.test(contents().document.openapi ?? '')
  return { statePlugins: { spec: { wrapActions: { download }, wrapSelectors: { isOAS3 } } } }
}
