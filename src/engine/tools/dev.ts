import { type ChildProcess, fork, spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  checkProject,
  moduleBeside,
  ownDirectory,
  ownDocument,
  projectSettings,
} from 'spec-served/internal/command/project'
import { onSignal } from 'spec-served/internal/process/stopping'
import { DocumentRefused, formatFaults } from 'spec-served-document/reading/fault'
import { makeFrom, writeFiles } from './generate/made.ts'
import { wiringNotes } from './generate/write.ts'
import { end } from './local/process.ts'
import { watchFolders } from './watch.ts'

/** The variable that says to a server that it takes the place of another one. */
const restart = 'SPEC_SERVED_RESTART'

const say = (text: string) => console.log(`dev: ${text}`)

export async function run({ 'no-types': isUntyped }: { 'no-types': boolean }): Promise<number> {
  checkProject()
  const faults = { document: [] as string[], types: [] as string[] }
  let server: ChildProcess | undefined
  /** Hands the faults to the server, for the docs page. */
  const show = () => server?.connected && server.send({ faults: [...faults.document, ...faults.types] })
  const written = new Map<string, string>()
  const renew = async (all: readonly string[] = []) => {
    const begun = performance.now()
    const areOurs = await Promise.all(all.map(file => isOurs(file, written)))
    const changed = all.filter((_, index) => !areOurs[index])
    if (all.length > 0 && changed.length === 0) return
    const fault = await generated(written)
    faults.document = fault === undefined ? [] : [fault]
    if (fault === undefined) {
      const isAgain = server !== undefined
      if (server?.connected) server.send({ quiet: true }) // its end is no news
      await end(server)
      server = startServer(isAgain, url => {
        const names = changed.length > 3 ? [...changed.slice(0, 3), `${changed.length - 3} more`] : changed
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
        say(`restarted (${names.join(', ')}), ${seconds} s, at ${url}`)
      })
    } else say(`not loaded, and the document before is still served:\n${fault}`)
    show()
  }
  let working = renew()
  const watched = ['spec', 'src', 'migrations'].filter(existsSync)
  const watching = watchFolders(
    () => watched.flatMap(foldersIn),
    changed => {
      working = working.then(() => renew(changed))
    },
  )
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

/** @param listens is called when a server that takes the place of another one listens */
function startServer(isAgain: boolean, listens: (url: string) => void): ChildProcess {
  const server = fork(moduleBeside('./dev/serve', import.meta), {
    env: { ...process.env, ...(isAgain && { [restart]: '1' }) },
  })
  server.on('message', url => listens(String(url)))
  server.once('exit', code => {
    if (code) say(`the server has ended (${code}): the next change starts it again`)
  })
  return server
}

/**
 * Makes what follows from the document.
 * @param written gets the texts of its files
 * @returns what keeps that from being done, or undefined
 */
async function generated(written: Map<string, string>): Promise<string | undefined> {
  try {
    const { model, files, types, wiring, doubled } = await makeFrom(ownDocument)
    if (doubled.length > 0) return formatFaults(doubled)
    const all = new Map([...files, ...(await types())])
    await writeFiles(all)
    for (const [file, text] of all) written.set(file, text)
    for (const line of wiring ? wiringNotes(wiring, model) : []) say(line)
    return undefined
  } catch (error) {
    return error instanceof DocumentRefused ? error.message : String(error)
  }
}

/** Whether a file is as this command has written it; '' stands for one that it has removed. */
async function isOurs(file: string, written: ReadonlyMap<string, string>): Promise<boolean> {
  return written.has(file) && (await readFile(file, 'utf8').catch(() => '')) === written.get(file)
}

/** A directory and those below it, but for what is generated. */
function foldersIn(directory: string): string[] {
  return [directory, ...globSync(`${directory}/**/*/`)].filter(folder => !folder.startsWith(ownDirectory))
}

/** @param tell gets the faults, each with file and line, whenever the compiler has looked; none: it compiles */
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
