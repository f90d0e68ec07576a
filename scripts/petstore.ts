import '../src/compile-cache.js'

await import('../src/packed.ts')
const { runPetstore } = await import('./operate/run.ts')
const { code, stdout, stderr } = await runPetstore(process.argv.slice(2))
if (stdout !== '') console.log(stdout)
if (stderr !== '') console.error(stderr)
process.exitCode = code
