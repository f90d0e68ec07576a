import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, release, totalmem, type } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where results go, outside of git. */
const place = fileURLToPath(new URL('../../test/.output/bench', import.meta.url))

/** Writes files, and says where they are. */
export async function writeResults(files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(place, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text)
  const names = Object.keys(files).join(', ')
  console.log(`\n${names}: in ${relative(process.cwd(), place) || place}`)
}

/** The machine on which something was measured. */
export function machine(database: string): string {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const model = first?.model.trim() || process.arch
  return `${cpus().length} cores (${model}), ${memory} GiB, ${type()} ${release().split('-')[0]}, Node ${process.versions.node}, PostgreSQL ${database.split(' ')[0]}`
}

/** Shows how far it is, with the time that is left by what it took so far. */
export function progress(steps: number): (message: string) => void {
  const began = performance.now()
  let done = 0
  return message => {
    done += 1
    const left = ((performance.now() - began) / done) * (steps - done)
    const minutes = left > 90_000 ? `${Math.round(left / 60_000)} min` : `${Math.ceil(left / 1_000)} s`
    console.log(`[${done}/${steps}] ${message}${done < steps ? `; ${minutes} left` : ''}`)
  }
}
