import { serve } from 'spec-served'

// What is missing or wrong in the project's files is named by its place.
await serve(async () => (await import('./server.ts')).default)
