import { projectSettings } from 'spec-served/internal/command/project'

/**
 * The demand on the service's own document. `full`: the rules of this project for its text, and all invariants of
 * `npm run check:contract`. `limits`: what the service needs to serve it; each operation is called as the document
 * allows and as it does not.
 */
export const demanded = () => projectSettings().rules
