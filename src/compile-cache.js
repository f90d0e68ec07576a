import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// What is compiled at one start need not be at the next. Where nothing can be written, each start compiles again.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
