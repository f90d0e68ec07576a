import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

// What is compiled at one run need not be at the next. Where nothing can be written, each run compiles again.
if (existsSync('node_modules')) enableCompileCache(resolve('node_modules/.cache/compiled'))
