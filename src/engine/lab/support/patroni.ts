import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { freePort } from 'spec-served-cli/internal/local/postgres'
import { type EtcdMember, startEtcd } from './etcd.ts'

const database = 'postgres'
const password = 'postgres'
const programs = '/usr/lib/postgresql'
/** Longest wait for the cluster to be whole, in ms: a node that comes back recovers, is rewound and follows. */
const wholeWithin = 90_000
/** Longest wait for a node's word on the cluster, in ms. A stopped node takes a question and says nothing. */
const saysWithin = 1_000

/** One PostgreSQL and the Patroni that runs it. */
export interface PatroniNode {
  name: string
  /** of its PostgreSQL */
  url: string
  /** Kills Patroni and every process of its PostgreSQL at once (SIGKILL), as a machine that is gone. */
  kill(): Promise<void>
  start(): void
  /**
   * Stops Patroni and every process of its PostgreSQL as they are (SIGSTOP), as a machine that hangs.
   * @returns a function that lets them go on
   */
  freeze(): () => void
}

/** PostgreSQL with synchronous replicas under Patroni, three etcds, and HAProxy before them, on one machine. */
export interface PatroniCluster {
  /** leads to the primary, whichever it is */
  url: string
  nodes: readonly PatroniNode[]
  etcds: readonly EtcdMember[]
  /** The node that has the leader's key in etcd now, as those that live say. */
  leader(): Promise<PatroniNode | undefined>
  /** Waits until there are a primary, one synchronous replica and as many others as are left, and all stream. */
  whole(): Promise<void>
  /** the directory of the logs */
  directory: string
  close(): Promise<void>
}

/** Debian's packages that it needs and that are not there. */
export function missingForPatroni(): string[] {
  const commands = { patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy' }
  const missing = Object.entries(commands).flatMap(([command, name]) =>
    spawnSync('which', [command]).status === 0 ? [] : [name],
  )
  return binaries() === undefined ? [...missing, 'postgresql'] : missing
}

/** The version of Patroni; empty: it is not there. */
export function patroniVersion(): string {
  const { stdout } = spawnSync('patroni', ['--version'], { encoding: 'utf8' })
  return /[\d.]+/.exec(stdout ?? '')?.[0] ?? ''
}

/** Returns the programs' directory of Debian's newest PostgreSQL. */
function binaries(): string | undefined {
  try {
    const newest = Math.max(...readdirSync(programs).map(Number).filter(Number.isFinite))
    return Number.isFinite(newest) ? join(programs, String(newest), 'bin') : undefined
  } catch {
    return undefined
  }
}

interface Member {
  name: string
  role: string
  state: string
}

/** Starts three nodes by `scripts/production/patroni.yml`; their data are gone when it is closed. */
export async function startPatroni(): Promise<PatroniCluster> {
  const directory = temporaryDirectory()
  const user = otherUser()
  if (user) chownSync(directory, user.uid, user.gid)
  const launch = (name: string, command: string, args: string[], env: Record<string, string> = {}) => {
    const log = openSync(join(directory, `${name}.log`), 'a')
    return spawn(command, args, {
      ...user,
      env: { PATH: process.env.PATH ?? '', HOME: directory, ...env },
      stdio: ['ignore', log, log],
    })
  }
  const port = await freePort()
  const etcd = await startEtcd(directory, launch)
  const places = await Promise.all(
    [1, 2, 3].map(async number => ({
      name: `postgres-${number}`,
      address: `127.0.0.1:${await freePort()}`,
      api: `127.0.0.1:${await freePort()}`,
    })),
  )
  const nodes = places.map(place => nodeAt(place, directory, etcd.hosts, launch))
  const haproxy = launch('haproxy', 'haproxy', ['-db', '-f', 'scripts/production/haproxy-postgres.cfg'], {
    POSTGRES_BIND: `127.0.0.1:${port}`,
    ...Object.fromEntries(places.map(({ address }, i) => [`POSTGRES_${i + 1}`, address])),
    ...Object.fromEntries(places.map(({ api }, i) => [`PATRONI_${i + 1}`, api.split(':')[1] ?? ''])),
  })

  /** Returns the reply of the first node that gives one. */
  const members = () =>
    Promise.any(
      places.map(async ({ api }): Promise<Member[]> => {
        const reply = await fetch(`http://${api}/cluster`, { signal: AbortSignal.timeout(saysWithin) })
        if (!reply.ok) throw new Error(`It does not know: ${reply.status}`)
        const state: { members: Member[] } = JSON.parse(await reply.text())
        return state.members
      }),
    ).catch(() => [])
  let isKept = false
  const cluster: PatroniCluster = {
    url: urlOf(`127.0.0.1:${port}`),
    nodes,
    etcds: etcd.members,
    directory,
    async leader() {
      const leading = (await members()).find(({ role }) => role === 'leader')
      return nodes.find(({ name }) => name === leading?.name)
    },
    async whole() {
      const end = performance.now() + wholeWithin
      for (;;) {
        const roles = (await members()).filter(({ state }) => /running|streaming/.test(state))
        const has = (wanted: string) => roles.some(({ role }) => role === wanted)
        if (roles.length === nodes.length && has('leader') && has('sync_standby')) return
        if (performance.now() > end) {
          isKept = true
          throw new Error(`The cluster is not whole: ${JSON.stringify(await members())}, see ${directory}`)
        }
        await sleep(200)
      }
    },
    async close() {
      await Promise.all(nodes.map(({ kill }) => kill()))
      haproxy.kill('SIGKILL')
      await Promise.all(etcd.members.map(({ kill }) => kill()))
      if (!isKept) rmSync(directory, { recursive: true, force: true })
    },
  }
  try {
    for (const node of nodes) node.start()
    await cluster.whole()
    await untilReached(cluster.url)
    return cluster
  } catch (error) {
    for (const { name } of places) {
      const log = readFileSync(join(directory, `patroni-${name}.log`), 'utf8')
      console.error(log.split('\n').slice(-20).join('\n'))
    }
    await cluster.close()
    throw error
  }
}

/** Prepares a node, which does not run yet. @param hosts of etcd @param launch starts a program that logs under a name */
function nodeAt(
  { name, address, api }: { name: string; address: string; api: string },
  directory: string,
  hosts: readonly string[],
  launch: (name: string, command: string, args: string[], env: Record<string, string>) => ChildProcess,
): PatroniNode {
  const data = join(directory, name)
  let patroni: ChildProcess | undefined
  return {
    name,
    url: urlOf(address),
    start() {
      patroni = launch(`patroni-${name}`, 'patroni', ['scripts/production/patroni.yml'], {
        PATRONI_NAME: name,
        PATRONI_RESTAPI_LISTEN: api,
        PATRONI_RESTAPI_CONNECT_ADDRESS: api,
        PATRONI_POSTGRESQL_LISTEN: address,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: address,
        PATRONI_POSTGRESQL_DATA_DIR: data,
        PATRONI_POSTGRESQL_BIN_DIR: binaries() ?? '',
        PATRONI_POSTGRESQL_PGPASS: join(directory, `${name}.pgpass`),
        PATRONI_ETCD3_HOSTS: hosts.join(),
        PATRONI_SUPERUSER_PASSWORD: password,
        PATRONI_REPLICATION_PASSWORD: password,
      })
    },
    async kill() {
      if (!patroni || patroni.exitCode !== null || patroni.signalCode !== null) return
      const ended = once(patroni, 'exit')
      for (const pid of [patroni.pid, ...processesOf(data)]) signalIfThere(pid, 'SIGKILL')
      await ended
      while (processesOf(data).length > 0) await sleep(20)
    },
    freeze() {
      const pids = new Set([patroni?.pid])
      const stop = () => {
        for (const pid of processesOf(data)) {
          signalIfThere(pid, 'SIGSTOP')
          pids.add(pid)
        }
      }
      signalIfThere(patroni?.pid, 'SIGSTOP')
      stop()
      stop() // and what the first of them has started before it stopped
      return () => {
        for (const pid of pids) signalIfThere(pid, 'SIGCONT')
      }
    },
  }
}

/** Waits until HAProxy has seen the primary. */
async function untilReached(connectionString: string): Promise<void> {
  const end = performance.now() + 10_000
  for (;;) {
    const client = new pg.Client({ connectionString })
    const fault = await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    )
    await client.end().catch(() => {})
    if (!fault) return
    if (performance.now() > end) throw fault
    await sleep(100)
  }
}

const urlOf = (address: string) => `postgres://postgres:${password}@${address}/${database}`

/** Whom PostgreSQL runs as where this process is root, which it refuses to be; undefined: as this process. */
function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** The processes of the PostgreSQL of a data directory that live. */
function processesOf(data: string): number[] {
  let postmaster: string
  try {
    postmaster = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''
  } catch {
    return [] // it has never run, or has ended
  }
  const all = spawnSync('ps', ['-o', 'pid=,args=', '-p', postmaster, '--ppid', postmaster], {
    encoding: 'utf8',
  })
  return all.stdout
    .split('\n')
    .filter(line => line.includes('postgres'))
    .map(line => Number.parseInt(line, 10))
}

function signalIfThere(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal)
  } catch {
    // it has ended meanwhile
  }
}
