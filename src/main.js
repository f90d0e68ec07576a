// An older Node can't read what follows. So nothing is loaded before it is known to be new enough.
const oldest = 24
const { node } = process.versions
if (Number.parseInt(node, 10) >= oldest) {
  await import('./compile-cache.js')
  const loading = import('./server.ts')
  loading.catch(() => {}) // `serve` says what is wrong
  const { serve } = await import('spec-served')
  await serve(async () => (await loading).default)
} else {
  console.error(
    `The service needs Node ${oldest} or newer, and this is ${node}: \`npm start\` runs the one that \`npm ci\` has installed.`,
  )
  process.exitCode = 2
}
