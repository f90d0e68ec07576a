import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, type FSWatcher, globSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onSignal } from '../service/process/stopping.ts'
import { moduleBeside, ownDirectory, ownDocument, projectSettings } from './command/project.ts'
import { makeFrom, routesBefore, write } from './generate/made.ts'
import { tellOf } from './generate/write.ts'
import { end } from './local/process.ts'
import { DocumentRefused } from './reading/fault.ts'

/** How long a change is waited for to be followed by others, in ms. */
const settling = 50

const say = (text: string) => console.log(`dev: ${text}`)

export async function run({ 'no-types': isUntyped }: { 'no-types': boolean }): Promise<number> {
  const faults = { document: [] as string[], types: [] as string[] }
  let server: ChildProcess | undefined
  /** Hands the faults to the server, for the docs page. */
  const show = () => server?.connected && server.send([...faults.document, ...faults.types])
  const renew = async () => {
    const fault = await generated()
    faults.document = fault === undefined ? [] : [fault]
    if (fault === undefined) {
      await end(server)
      server = startServer()
    } else say(`not taken over:\n${fault}`)
    show()
  }
  let working = renew()
  const watching = watchFor(['spec', 'src', 'migrations'].filter(existsSync), () => {
    working = working.then(renew)
  })
  const compiler = isUntyped
    ? undefined
    : watchTypes(found => {
        if (found.length > 0) say(`types:\n${found.join('\n')}`)
        faults.types = found
        show()
      })
  await new Promise(resolve => onSignal(resolve))
  watching.close()
  await working
  await Promise.all([end(server), end(compiler)])
  return 0
}

function startServer(): ChildProcess {
  const server = fork(moduleBeside('./dev/serve', import.meta))
  server.once('exit', code => {
    if (code) say(`the server has ended (${code}): the next change starts it again`)
  })
  return server
}

/** Makes what follows from the document; what keeps that from being done, or undefined. */
async function generated(): Promise<string | undefined> {
  try {
    const { model, files, types, wiring } = await makeFrom(ownDocument)
    const before = await routesBefore()
    await write(new Map([...files, ...(await types())]))
    for (const line of wiring ? tellOf(wiring, model, before) : []) say(line)
    return undefined
  } catch (error) {
    return error instanceof DocumentRefused ? error.message : String(error)
  }
}

/**
 * Calls back when files in some directories have changed, once for changes that come together. Each folder is watched
 * by itself. On Linux, Node's recursive watch and `node --watch` lose a file that an editor has replaced.
 */
function watchFor(directories: readonly string[], changed: () => void): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let watchers: FSWatcher[] = []
  const close = () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
  const noticed = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      follow()
      changed()
    }, settling)
  }
  /** Watches the folders that there are now. */
  function follow(): void {
    close()
    try {
      watchers = directories.flatMap(foldersIn).map(folder => watch(folder, noticed).on('error', noticed))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // of watch
      noticed() // one has gone meanwhile
    }
  }
  follow()
  return { close }
}

/** A directory and those below it, but for what is generated. */
function foldersIn(directory: string): string[] {
  return [directory, ...globSync(`${directory}/**/*/`)].filter(folder => !folder.startsWith(ownDirectory))
}

/** @param tell is told the faults, each with file and line, whenever the compiler has looked; none: it compiles */
function watchTypes(tell: (faults: string[]) => void): ChildProcess {
  const tsc = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc')
  const args = `--watch --noEmit --pretty false --preserveWatchOutput -p ${projectSettings().types}`
  const child = spawn(process.execPath, [tsc, ...args.split(' ')], { stdio: ['ignore', 'pipe', 'inherit'] })
  let found: string[] = []
  createInterface({ input: child.stdout }).on('line', line => {
    if (/: error TS\d+: /.test(line)) found.push(line)
    if (!/Found \d+ errors?\./.test(line)) return
    tell(found)
    found = []
  })
  return child
}
