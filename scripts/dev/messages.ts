/**
 * What a server in development tells who started it: that it has done ahead what it can, that all its code runs on this
 * document, that it listens, and that it has closed all it had.
 */
export type FromServer = 'prepared' | 'ready' | 'listening' | 'closed'

/**
 * What it is told: to load what may have changed since its process began (all code, or what is made from the document), to
 * open the database and listen, or what is wrong with the code that would take its place.
 */
export type ToServer = { load: 'all' | 'generated' } | { go: true } | { faults: string[] }

/** Marks the address of a module that is another one than what was loaded from its file before. */
export const anew = '?anew'
