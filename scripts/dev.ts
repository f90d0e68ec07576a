import { once } from 'node:events'
import { sep } from 'node:path'
import { DocumentRefused } from '../src/document/fault.ts'
import { runCommand } from './arguments.ts'
import { openServers } from './dev/servers.ts'
import { type TypeCheck, watchTypes } from './dev/type-check.ts'
import { changedIn, snapshotOf, watchFor } from './dev/watch.ts'
import { type Made, makeFrom, ownDocument, routesBefore, write } from './document/made.ts'
import { tellOf } from './handlers/write.ts'

const usage = `Usage: npm run dev -- [--no-types]

Serves the document while it is worked on, with the settings of \`npm start\`. On each change of spec/, src/ and migrations/ it
generates, checks types in the background, and starts the new code; the last one goes on serving until that is known to
work. Faults are shown here and on the docs page, which reloads itself. Operations whose handler is not written answer
from the document; security schemes that nobody checks take any credential.
  --no-types  leave types to the editor, which saves the compiler's work`

const options = { 'no-types': { type: 'boolean' } } as const

/** How long the page takes to show a new server, in ms: whatever can wait does until then. */
const pageShownAfter = 700

const watched = ['spec', 'src', 'migrations']
const isCode = (file: string) => !file.startsWith(`spec${sep}`)

await runCommand({ usage, options }, async ({ 'no-types': isUntyped }) => {
  const servers = openServers()
  const faults = { code: [] as string[], types: [] as string[] }
  const show = () => servers.show([...faults.code, ...faults.types])
  const say = (text: string) => console.log(`dev: ${text}`)

  /** Makes what the server needs of the document; what keeps that from being done, or undefined. */
  async function generated(): Promise<string | undefined> {
    try {
      const { model, files, types, wiring } = await makeFrom(ownDocument)
      const before = await routesBefore()
      await write(files)
      makeTypes = types
      for (const line of wiring ? tellOf(wiring, model, before) : []) say(line)
      return undefined
    } catch (error) {
      return error instanceof DocumentRefused ? error.message : String(error)
    }
  }

  /** Makes what only the compiler needs of the document. */
  async function typed(): Promise<void> {
    try {
      const files = await makeTypes?.()
      makeTypes = undefined
      if (files) await write(files)
    } catch (error) {
      faults.code = [String(error)]
      say(`types:\n${error}`)
      show()
    }
  }

  let known = new Map() as Awaited<ReturnType<typeof snapshotOf>>
  let working: Promise<void> | undefined
  let isAskedAgain = false
  let isClosing = false
  let later: NodeJS.Timeout | undefined
  let makeTypes: Made['types'] | undefined
  let compiler: TypeCheck | undefined

  async function renew(): Promise<void> {
    const begun = performance.now()
    const now = await snapshotOf(watched)
    const changed = changedIn(known, now)
    if (changed.length === 0) return
    if (known.size > 0) {
      say(`${changed.slice(0, 3).join(', ')}${changed.length > 3 ? ' …' : ''} changed`)
      if (changed.some(isCode)) servers.outdate()
    }
    known = now
    clearTimeout(later)
    later = undefined
    compiler?.hold()
    void servers.prepare() // where the last change was a moment ago
    const fault = (await generated()) ?? (await started(begun))
    const own = setTimeout(async () => {
      await Promise.all([typed(), servers.prepare()])
      if (later === own) compile() // else there has been another change
    }, pageShownAfter)
    later = own
    faults.code = fault === undefined ? [] : [fault]
    if (fault !== undefined) say(`not taken over:\n${fault}`)
    show()
  }

  async function started(begun: number): Promise<string | undefined> {
    const now = await snapshotOf(watched) // with the stubs that were just written
    if (changedIn(known, now).some(isCode)) servers.outdate()
    known = now
    const fault = await servers.replace()
    if (fault === undefined) say(`serves after ${Math.round(performance.now() - begun)} ms`)
    return fault
  }

  /** Lets the compiler work, which takes seconds, when there is nothing else to do. */
  function compile(): void {
    if (isUntyped || isClosing) return
    compiler?.release()
    compiler ??= watchTypes(found => {
      if (found.length > 0) say(`types:\n${found.join('\n')}`)
      else if (faults.types.length > 0) say('it compiles')
      faults.types = found
      show()
    })
  }

  function changed(): void {
    if (isClosing) return
    isAskedAgain = working !== undefined
    working ??= renew().finally(() => {
      working = undefined
      if (isAskedAgain) changed()
    })
  }

  const watching = watchFor(watched, changed)
  changed()
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  isClosing = true
  watching.close()
  compiler?.close()
  await working
  clearTimeout(later)
  await Promise.all([typed(), servers.close()])
  return 0
})
