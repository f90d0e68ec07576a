import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Compiles a module under the strictest settings.
 * @param directory within the project, where it is written as `use.ts`
 * @param others files that belong to the program as well
 * @returns the faults outside the lines that say `// wrong`, and those of these lines that have none, or none with the text
 * behind `// wrong: `
 */
export async function misjudged(
  directory: string,
  text: string,
  others: readonly string[] = [],
): Promise<string[]> {
  const { compilerOptions } = JSON.parse(await readFile('tsconfig.json', 'utf8'))
  const project = join(directory, 'tsconfig.json')
  await writeFile(join(directory, 'use.ts'), text)
  await writeFile(project, JSON.stringify({ compilerOptions, files: ['use.ts', ...others] }))
  const { stdout } = await run('tsc', ['--noEmit', '-p', project]).catch(error => error)
  const faults: string[] = stdout.match(/^\S+\(\d+,\d+\): error .*(\n .*)*/gm) ?? []
  const places = text.split('\n').flatMap((line, i) => {
    const [, isWrong, said = ''] = /(\/\/ wrong)(?:: (.*))?$/.exec(line) ?? []
    return isWrong ? [{ place: `use.ts(${i + 1},`, said }] : []
  })
  return [
    ...faults.filter(fault => !places.some(({ place }) => fault.includes(place))),
    ...places
      .filter(({ place, said }) => !faults.some(fault => fault.includes(place) && fault.includes(said)))
      .map(({ place, said }) => `${place} ${said}`),
  ]
}
