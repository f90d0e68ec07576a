import './compile-cache.js'

const [{ serve }, { default: service }] = await Promise.all([
  import('./engine/index.ts'),
  import('./server.ts'),
])
await serve(service)
