import '../src/compile-cache.js'

// After an installation, so that the first start need not: the modules are compiled, the embedded database is made, and
// the files of the docs page are made smaller.
// Where nothing can be kept, a start makes do without.
await Promise.all([import('../src/server.ts'), import('../src/resources.ts'), import('../src/contract.ts')])
const { makeTemplate } = await import('../src/database/template.ts')
await makeTemplate()
const { prepareDocs } = await import('./docs/prepare.ts')
await prepareDocs()
