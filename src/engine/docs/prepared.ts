import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digest } from '../replies/conditional.ts'

/** Beside the installed packages: who can write there can change the program as well. */
export const preparedFiles = join(import.meta.dirname, '../../../node_modules/.cache/docs')

/** A file of the page as it was made smaller when the packages were installed. */
export interface Prepared {
  bytes: Buffer
  /** the same in the coding br */
  br: Buffer
}

/** What a file was made of goes into its name: after a change of that, the file is not found. */
export const preparedName = (original: string | Buffer): string => digest(original).slice(0, 32)

/** The smaller form of a file; undefined where it was not prepared. */
export async function readPrepared(
  original: Buffer,
  directory: string = preparedFiles,
): Promise<Prepared | undefined> {
  const path = join(directory, preparedName(original))
  try {
    const [bytes, br] = await Promise.all([readFile(path), readFile(`${path}.br`)])
    return { bytes, br }
  } catch {
    return undefined
  }
}
