import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks in a second, as Linux counts the time of processes (`getconf CLK_TCK`). */
const ticks = 100

/** The fields of /proc/PID/stat after the name, which may hold anything: `[0]` is the third of them, the state. */
function fields(pid: number | string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined // it has ended, or the system has no /proc
  }
}

const sum = (read: string[] | undefined, ...indexes: number[]) =>
  read ? indexes.reduce((total, index) => total + Number(read[index]), 0) / ticks : Number.NaN

/** The CPU seconds that a process has taken, all of its threads; NaN where the system does not tell. */
export const cpuOf = (pid: number): number => sum(fields(pid), 11, 12)

/** The CPU seconds that a process, its children and those of them that have ended have taken. */
export function cpuOfFamily(pid: number): number {
  const own = sum(fields(pid), 11, 12, 13, 14)
  if (Number.isNaN(own)) return own
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const children = processes.map(fields).filter(read => read?.[1] === String(pid))
  return children.reduce((total, read) => total + sum(read, 11, 12), own)
}

/** The memory that a process holds, in MiB; NaN where the system does not tell. */
export function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
  } catch {
    return Number.NaN
  }
}

/** The sessions of a PostgreSQL in one of its databases, and the memory that they share with nobody, in MiB. */
export function sessionsOf(postmaster: number, database: string): { count: number; memory: number } {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const sessions = all.filter(
    pid => fields(pid)?.[1] === String(postmaster) && textOf(pid, 'cmdline').includes(` ${database} `),
  )
  const own = sessions.flatMap(pid => [...textOf(pid, 'smaps_rollup').matchAll(/^Private_\w+: +(\d+)/gm)])
  const kilobytes = own.reduce((total, [, size]) => total + Number(size), 0)
  return { count: sessions.length, memory: kilobytes > 0 ? kilobytes / 1_024 : Number.NaN }
}

function textOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return '' // it has ended, or is somebody else's
  }
}
