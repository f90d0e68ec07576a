/** Without a viewport, which Swagger UI's page lacks, phones show the page as wide as on a desk. */
const viewport = document.createElement('meta')
viewport.name = 'viewport'
viewport.content = 'width=device-width, initial-scale=1'
document.head.append(viewport)

/**
 * The addresses that the server has written above: of the document, which the page is already loading, and, if they
 * exist, of the changelog and of the calendar of operations that end.
 * @returns {{ document: string, changes?: string, sunsets?: string }}
 */
const docsLinks = () => /** @type {any} */ (globalThis).servedLinks
