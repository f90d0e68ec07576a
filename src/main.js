import './compile-cache.js'

await import('./service.ts')
