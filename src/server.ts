import { defineService } from 'spec-served'
import { migrations } from '../migrations/index.ts'
import { handlers } from './generated/handlers.ts'
import type { Own } from './handlers/handler.ts'
import { loadSample } from './store/sample.ts'
import { shownTables } from './store/shown.ts'

/** The pet store, as the engine serves it. */
export default defineService<Own>({
  root: new URL('..', import.meta.url),
  name: 'petstore',
  handlers,
  migrations,
  loadSample,
  shownTables,
})
