/** Phones would show a page without a viewport as wide as a desk. Swagger UI's has none. */
const viewport = document.createElement('meta')
viewport.name = 'viewport'
viewport.content = 'width=device-width, initial-scale=1'
document.head.append(viewport)

/**
 * The addresses that the server has written above: of the document, which the page has asked for already, and, where they
 * exist, of the changes of each release and of the calendar of what ends.
 * @returns {{ document: string, changes?: string, sunsets?: string }}
 */
const docsLinks = () => /** @type {any} */ (globalThis).servedLinks
