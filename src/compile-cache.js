import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// The next start reuses the code that this start compiled. If the folder is read-only, each start compiles again.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
