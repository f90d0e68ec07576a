import { serve } from 'spec-served'
import service from './server.ts'

await serve(service)
