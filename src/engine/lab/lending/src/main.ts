import { serve } from 'spec-served'

// A failure to load the service names the file of the project.
await serve(async () => (await import('./server.ts')).default)
