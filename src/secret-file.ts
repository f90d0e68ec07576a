import { closeSync, openSync, readSync } from 'node:fs'

/** No secret is longer, in bytes; more is another file, or one that never ends. */
const longest = 65_536

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this process may not read it',
  EPERM: 'this process may not read it',
  EISDIR: 'it is a directory',
}

/**
 * Reads a secret from a file, without the ends of lines that editors and `echo` leave behind it.
 * @throws Error whose message ends the sentence "NAME_FILE …"
 */
export function readSecretFile(file: string): string {
  const quoted = JSON.stringify(file)
  const text = contentOf(file, quoted).replace(/[\r\n]+$/, '')
  if (text === '') throw new Error(`names ${quoted}, which is empty`)
  return text
}

function contentOf(file: string, quoted: string): string {
  const bytes = Buffer.alloc(longest + 1)
  let length = 0
  try {
    const descriptor = openSync(file, 'r')
    try {
      for (let read = -1; read !== 0 && length <= longest; length += read)
        read = readSync(descriptor, bytes, length, bytes.length - length, null)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException // what the system's refusals are
    throw new Error(`names ${quoted}, which can't be read: ${reasons[code] ?? message}`, { cause: error })
  }
  if (length > longest) throw new Error(`names ${quoted}, which is longer than ${longest} bytes`)
  return bytes.toString('utf8', 0, length)
}
