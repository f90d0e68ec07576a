import { execFile } from 'node:child_process'

/** Runs an operator's command to its end. */
export function petstore(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    const options = { env: { PATH: process.env.PATH, ...env } }
    execFile('node', ['scripts/petstore.ts', ...args], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}
