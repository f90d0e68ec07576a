import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

// Later runs reuse the modules that one run compiles. Without a writable cache, each run compiles them again.
if (existsSync('node_modules')) enableCompileCache(resolve('node_modules/.cache/compiled'))
