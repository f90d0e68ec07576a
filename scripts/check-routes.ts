import { parse } from 'yaml'
import { readDocument } from '../src/contract/document.ts'
import { openDatabase } from '../src/database/connect.ts'
import { migrateToLatest } from '../src/database/migrate.ts'
import { openResources } from '../src/resources.ts'
import { buildServer } from '../src/server.ts'
import { type Route, routeFaults } from './contract/routes.ts'

/** Builds the server on a database in memory, and holds its routes against the document. */
const contract = await readDocument()
const document = parse(contract.text)
const { db, close } = await openDatabase({ kind: 'embedded', dataDir: null })
await migrateToLatest(db)
const resources = await openResources(db)
const routes: Route[] = []
const app = await buildServer(contract, resources, { onRoute: route => routes.push(route) })
await app.ready()
const faults = routeFaults(document, routes)
await app.close()
await resources.close()
await close()
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
