import { defineService } from 'spec-served'
import { migrations } from '../migrations/index.ts'
import { cards } from './cards.ts'
import { handlers } from './generated/handlers.ts'
import type { Own } from './handlers/handler.ts'
import { desk } from './plugins/desk.ts'
import pages from './plugins/pages.ts'

/** The service for the document of spec/. */
export default defineService<Own>({
  root: new URL('..', import.meta.url),
  name: 'lendinglibrary',
  handlers,
  migrations,
  shownTables: {
    books: { schemas: ['Book'] },
    covers: 'bytes, which no schema describes',
    loans: { schemas: ['Loan'] },
  },
  plugins: [pages, desk],
  // The keys of `key` are those in the database.
  checkers: { card: cards },
})
