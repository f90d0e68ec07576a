await import('./command/compile-cache.ts') // before what it keeps is loaded
process.umask(0o077) // what is stored is for the owner alone, as are keys and backups

const { runPetstore } = await import('./operate/run.ts')
const { code, stdout, stderr } = await runPetstore(process.argv.slice(2))
if (stdout !== '') console.log(stdout)
if (stderr !== '') console.error(stderr)
process.exitCode = code
