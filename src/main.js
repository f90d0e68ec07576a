import './compile-cache.js'

const { serve } = await import('./service.ts')
await serve()
