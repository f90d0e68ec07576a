import { openDatabase } from '../../../database/connect.ts'

/** Makes a database in a directory, and prints how much memory this process has held, in MB. */
const [, , dataDir = null] = process.argv
const { close } = await openDatabase({ kind: 'embedded', dataDir })
await close()
console.log(process.resourceUsage().maxRSS / 1_024)
