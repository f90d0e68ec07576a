/** Characters that a terminal obeys, or that a reader does not see. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const escaped = (character: string) =>
  character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns a safe line for people, whoever wrote it. A character that would change its look is written as \uXXXX. */
export const visibleLine = (text: string): string => text.replaceAll(unseen, escaped)

/** The same for a text of several lines. JSON keeps its value. */
export const visibleText = (text: string): string => text.split('\n').map(visibleLine).join('\n')

const moreFiles =
  'This process may open no more files: raise its limit to 1024 or more (ulimit -n, or LimitNOFILE of systemd)'

/** The meaning of the system's failures on files, and what to do. Source: errno of POSIX.1-2024. */
const fileFailures: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder: check the name',
  ENOTDIR: 'a part of this path is a file, and a folder is needed: name another',
  EISDIR: 'this is a folder, and a file is needed: name a file in it',
  EEXIST: 'this is there already: name another, or remove it',
  EACCES: 'this user may not use it: change its permissions, or name another',
  EPERM: 'this user may not use it: change its permissions, or name another',
  EROFS: 'its file system can only be read: name another place',
  ENOSPC: 'its disk is full: make room, or name another place',
  EDQUOT: 'its quota of the disk is used up: make room, or name another place',
}

/** The text of a failure for people: a line for each fault, without stacks. */
export function failureText(error: unknown): string {
  const text =
    error instanceof AggregateError
      ? [error.message, ...error.errors.map(textOf)].join('\n  ')
      : textOf(error)
  return lacksFiles(error) ? `${text}. ${moreFiles}` : text
}

/** Whether a failure comes from the limit of open files. */
function lacksFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(lacksFiles)) return true
  return ('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) || lacksFiles(error.cause)
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, syscall, path, dest }: { [name: string]: unknown } = Object(error)
  const meaning = typeof syscall === 'string' ? fileFailures[String(code)] : undefined
  // The system names two files where one is moved or copied.
  const files = [path, dest].filter(file => typeof file === 'string').join(' and ')
  return meaning === undefined || files === '' ? error.message : `${files}: ${meaning}`
}
