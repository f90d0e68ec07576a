/** What a server in development tells who started it: that all its code runs on this document, and that it listens. */
export type FromServer = 'ready' | 'listening'

/** What it is told: to load the code as it stands now, to open the database and listen, or what is wrong with the code that would take its place. */
export type ToServer = { load: true } | { go: true } | { faults: string[] }
