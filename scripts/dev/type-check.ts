import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('compiler.ts', import.meta.url))

/** The compiler, which looks at all code that the server runs whenever some of it has changed. */
export interface TypeCheck {
  /** Lets it wait with what it has to do: it takes a core of its own for seconds. */
  hold(): void
  release(): void
  close(): void
}

/** @param tell is told the faults, each with file and line, whenever it has looked; none: it compiles */
export function watchTypes(tell: (faults: string[]) => void): TypeCheck {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  child.on('message', (faults: string[]) => tell(faults))
  const ask = (isHeld: boolean) => void (child.connected && child.send(isHeld))
  return {
    hold: () => ask(true),
    release: () => ask(false),
    close: () => void child.kill(),
  }
}
