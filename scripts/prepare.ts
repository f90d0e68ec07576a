import { makeTemplate } from '../src/database/template.ts'

// After an installation, so that the first start need not. Where it can't be made, that makes do without.
await makeTemplate().catch(() => {})
