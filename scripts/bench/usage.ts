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
