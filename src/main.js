import './compile-cache.js'

const [{ serve }, { default: service }] = await Promise.all([import('spec-served'), import('./server.ts')])
await serve(service)
