/** Without a viewport, which Swagger UI's page lacks, phones show the page as wide as on a desk. */
export function addViewport() {
  const viewport = document.createElement('meta')
  viewport.name = 'viewport'
  viewport.content = 'width=device-width, initial-scale=1'
  document.head.append(viewport)
}
