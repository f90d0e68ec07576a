import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Given, listed, Misuse } from 'spec-served/internal/command/arguments'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { modelOf } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import { figures, type Trial, writeReadme } from './figures.ts'
import { plant } from './planting.ts'
import { type Plant, plants } from './plants.ts'
import { pythonHere, serversFor, type Tried } from './servers.ts'
import { anywhere, type Finding, installSchemathesis, ours, schemathesis, type Tool } from './tools.ts'

/** The directory of the results, outside of git. */
const output = 'test/.output/bench-check'

const toolNames = ['check', 'schemathesis']
const serverNames = Object.keys(plants)

/** Tries the check and Schemathesis on servers of several makes, without faults and with planted ones. */
export async function run({
  readme,
  ...values
}: Given<'only' | 'tools'> & { readme: boolean }): Promise<number> {
  if (readme && (values.only ?? values.tools) !== undefined)
    throw new Misuse('--readme goes with all servers and tools')
  const only = listed('only', values.only, serverNames)
  const wanted = listed('tools', values.tools, toolNames)
  const python = pythonHere()
  if (python === undefined) console.log('There is no Python 3 on this machine: what needs it is left out.')
  const tools = [
    ...(wanted.includes('check') ? [ours] : []),
    ...(wanted.includes('schemathesis') && python !== undefined ? await installed(python) : []),
  ]
  const directory = temporaryDirectory()
  await mkdir(output, { recursive: true })
  try {
    const servers = (await serversFor(directory, python)).filter(({ name }) => only.includes(name))
    const trials: Trial[] = []
    for (const tried of servers)
      for (const tool of tools) {
        const trial = await tryOn(tried, tool, directory)
        trials.push(trial)
        console.log(lineOf(trial))
      }
    const table = figures(trials)
    console.log(`\n${table}`)
    await writeFile(join(output, 'trials.json'), JSON.stringify(trials, null, 2))
    if (readme) await writeReadme(table)
    return 0
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Returns Schemathesis; nothing where it can't be installed. */
async function installed(python: string): Promise<Tool[]> {
  console.log('installing Schemathesis …')
  try {
    return [schemathesis(await installSchemathesis(python))]
  } catch (error) {
    console.log(`Schemathesis is left out, as it can’t be installed: ${String(error).slice(0, 200)}`)
    return []
  }
}

/** Tries a tool on a server without faults, then with faults. Each time the server is a new one. */
async function tryOn(tried: Tried, tool: Tool, directory: string): Promise<Trial> {
  const faults = plants[tried.name] ?? []
  const right = await runOn(tried, tool, [], directory)
  console.log(
    `  ${tool.name}, ${tried.title}, without faults: ${right.requests} requests, ${right.seconds.toFixed(0)} s`,
  )
  for (const { operation, text } of right.findings) console.log(`    tells of ${operation}: ${text}`)
  const wrong = await runOn(tried, tool, faults, directory)
  console.log(
    `  ${tool.name}, ${tried.title}, with faults: ${wrong.requests} requests, ${wrong.seconds.toFixed(0)} s`,
  )
  for (const { operation, text, kind } of wrong.findings)
    console.log(`    tells of ${operation}: ${text} (${kind})`)
  const isNew = (finding: Finding) =>
    !right.findings.some(
      candidate => candidate.operation === finding.operation && candidate.text === finding.text,
    )
  const tellsOf = (fault: Plant) => (finding: Finding) =>
    isNew(finding) &&
    [...fault.operations, anywhere].includes(finding.operation) &&
    finding.kind !== undefined &&
    fault.kinds.includes(finding.kind)
  return {
    tool: tool.name,
    server: tried.title,
    found: faults.filter(fault => wrong.findings.some(tellsOf(fault))).map(({ name }) => name),
    missed: faults.filter(fault => !wrong.findings.some(tellsOf(fault))).map(({ name }) => name),
    falseAlarms: new Set(right.findings.map(({ operation, kind, text }) => `${operation} ${kind ?? text}`))
      .size,
    requests: [right.requests, wrong.requests],
    seconds: [right.seconds, wrong.seconds],
  }
}

async function runOn(tried: Tried, tool: Tool, faults: readonly Plant[], directory: string) {
  const served = await tried.start(directory)
  const { operations } = modelOf((await readDocument(tried.document)).document)
  const changes = faults.map(({ operations: [first], change }) => {
    const { method = '', path = '' } = operations.find(({ id }) => id === first) ?? {}
    const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]*\}/g, '[^/]+')
    return { method, path: new RegExp(`^${tried.base}${pattern}$`), change }
  })
  const proxy = await plant(served.url, changes)
  const begin = performance.now()
  try {
    const findings = await tool.judge(tried, proxy.url, join(directory, 'report.json'))
    return { findings, requests: proxy.requests(), seconds: (performance.now() - begin) / 1_000 }
  } finally {
    proxy.stop()
    await served.stop()
  }
}

const lineOf = ({ tool, server, found, missed, falseAlarms }: Trial) =>
  `${server}, ${tool}: ${found.length} of ${found.length + missed.length} faults found, ${falseAlarms} false alarms${missed.length > 0 ? `; missed: ${missed.join(', ')}` : ''}`
