import { mkdirSync } from 'node:fs'
import { lockDirectory } from '../../../database/directory-lock.ts'

// Run by directory.test.ts as a process of its own: takes the directory given and keeps it until killed.
const directory = process.argv[2] ?? ''
mkdirSync(directory, { recursive: true })
const { unlock } = lockDirectory(directory)
console.log('locked')
setTimeout(unlock, 60_000)
