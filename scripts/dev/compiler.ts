import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** TypeScript's own messages once it has looked at everything. */
const looked = new Set([6193, 6194])

let isHeld = false
/** what it would do if it were not held */
let waiting: (() => void) | undefined
let faults: string[] = []

const system: ts.System = {
  ...ts.sys,
  setTimeout(run: (...args: unknown[]) => void, ms: number, ...args: unknown[]) {
    const due = () => run(...args)
    return setTimeout(() => {
      if (isHeld) waiting = due
      else due()
    }, ms)
  },
}
const names: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: name => name,
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getNewLine: () => '\n',
}
const note = (fault: ts.Diagnostic) => void faults.push(ts.formatDiagnostic(fault, names).trimEnd())

ts.createWatchProgram(
  ts.createWatchCompilerHost(
    fileURLToPath(new URL('tsconfig.json', import.meta.url)),
    undefined,
    system,
    ts.createSemanticDiagnosticsBuilderProgram,
    note,
    ({ code }) => {
      if (!looked.has(code)) return
      process.send?.(faults)
      faults = []
    },
  ),
)
process.on('message', (hold: boolean) => {
  isHeld = hold
  if (isHeld) return
  waiting?.()
  waiting = undefined
})
process.on('disconnect', () => process.exit())
