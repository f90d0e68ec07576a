/**
 * The document, from where the page says it is. Swagger UI would read it as YAML, and tell all its parts twice that it is
 * there; as JSON it is read a good deal sooner.
 */
function loadingPart({ ui }) {
  const download = original => async address => {
    const { specActions } = ui()
    specActions.updateLoadingStatus('loading')
    try {
      const reply = await fetch(documentLink() ?? address)
      if (!reply.ok) throw new Error(reply.statusText)
      specActions.updateJsonSpec(await reply.json())
      specActions.updateLoadingStatus('success')
    } catch {
      // Swagger UI tells what is wrong.
      original(address)
    }
  }
  return { statePlugins: { spec: { wrapActions: { download } } } }
}

/** The address by which the page has asked for the document already: whoever asks again shares the answer. */
const documentLink = () => document.querySelector('link[rel=preload][as=fetch]')?.getAttribute('href')
