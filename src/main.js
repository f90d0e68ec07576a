import './compile-cache.js'

// Node would open a debugger in the running service, to every program of this machine.
process.on('SIGUSR1', () => {})
process.umask(0o077) // what is stored is for the owner alone, as are keys and backups

const { serve } = await import('./service.ts')
await serve()
