import './compile-cache.js'

await import('./packed.ts')
await import('./kept-tick.ts')
const { serve } = await import('./service.ts')
await serve()
