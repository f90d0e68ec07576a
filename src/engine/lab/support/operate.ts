import { execFile } from 'node:child_process'

/** Runs an operator's command to its end. */
export function operate(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    const { PATH, NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env
    const options = { env: { PATH, NODE_OPTIONS, NODE_COMPILE_CACHE, ...env } }
    execFile('node', ['src/engine/service/cli.js', ...args], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}
