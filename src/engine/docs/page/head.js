/** Without a viewport, which Swagger UI's page lacks, phones show the page as wide as on a desk. */
const viewport = document.createElement('meta')
viewport.name = 'viewport'
viewport.content = 'width=device-width, initial-scale=1'
document.head.append(viewport)

/**
 * The addresses that the server wrote into the page. The page is already loading the document. A service may lack the
 * changelog and the calendar of sunsets.
 * @returns {{ document: string, changes?: string, sunsets?: string }}
 */
const docsLinks = () => /** @type {any} */ (globalThis).servedLinks
