/** Without a viewport, which Swagger UI's page lacks, phones show the page as wide as on a desk. */
const viewport = document.createElement('meta')
viewport.name = 'viewport'
viewport.content = 'width=device-width, initial-scale=1'
document.head.append(viewport)

/**
 * The addresses that the server wrote into the page. The page is already loading the document. A service may lack the
 * changelog, the calendar of sunsets, and the address for agents.
 * @returns {{ document: string, changes?: string, sunsets?: string, mcp?: string }}
 */
const docsLinks = () => /** @type {any} */ (globalThis).servedLinks
