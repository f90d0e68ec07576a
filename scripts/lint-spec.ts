import { formatFaults } from '../src/document/fault.ts'
import { checkDocument } from './document/check.ts'

const [file = 'spec/openapi.yaml'] = process.argv.slice(2)
const faults = await checkDocument(file, 'full')
if (faults.length > 0) console.error(formatFaults(faults))
process.exitCode = faults.length > 0 ? 1 : 0
