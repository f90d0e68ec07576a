import { projectSettings } from '../project.ts'

/**
 * What the service's own document is held to. `full`: the rules of this project for its text, and all invariants of
 * `npm run check:contract`. `limits`: what the service needs to serve it; each operation is called as the document allows and
 * as it does not.
 */
export const { rules } = projectSettings()
