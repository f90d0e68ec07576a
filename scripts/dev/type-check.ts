import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('tsconfig.json', import.meta.url))

/**
 * Lets the compiler watch all code that the server runs.
 * @param tell is told the faults, each with file and line, whenever it has looked; none: it compiles
 */
export function watchTypes(tell: (faults: string[]) => void): ChildProcess {
  const args = ['--watch', '--preserveWatchOutput', '--pretty', 'false', '--project', project]
  const child = spawn('node_modules/.bin/tsc', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let line = ''
  let faults: string[] = []
  child.stdout?.on('data', data => {
    const lines = (line + String(data)).split('\n')
    line = lines.pop() ?? ''
    for (const text of lines) {
      if (/: error TS\d+: /.test(text)) faults.push(text)
      if (!/Found \d+ errors?\. Watching/.test(text)) continue
      tell(faults)
      faults = []
    }
  })
  return child
}
