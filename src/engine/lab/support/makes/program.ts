import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Whether a program is installed. @param args with which it ends at once */
export function hasProgram(name: string, args: readonly string[]): boolean {
  try {
    execFileSync(name, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Starts a service of this folder that writes its address as its first line. */
export async function program(name: string, args: readonly string[]) {
  const child = spawn(name, args, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // so that what it starts ends with it
  })
  const [address] = await once(createInterface(child.stdout), 'line')
  return {
    url: `http://${address}`,
    close: () => {
      if (child.pid !== undefined) process.kill(-child.pid)
    },
  }
}
