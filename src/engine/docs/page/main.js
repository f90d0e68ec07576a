/** @import { System } from './swagger-ui/types.js' */
import { addViewport } from './frame/viewport.js'
import { docsPlugin } from './plugin.js'
import { followColourScheme } from './theme/colour-scheme.js'

addViewport()
followColourScheme()
// Swagger UI's configuration asks for its plugin by this event: see ../page.ts.
document.addEventListener('docs-plugin', event => {
  if (!(event instanceof CustomEvent)) return
  /** @type {{ system: System, plugin: object }} */
  const request = event.detail
  request.plugin = docsPlugin(request.system)
})
