import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, resolve } from 'node:path'
import { type Names, recordOf } from './power-cut.ts'

// Loaded before a program (`node --import`), this keeps beside its directory what a disk would have after a power cut, and
// flushes nothing to the real one:
// of each file the bytes that were there when it was flushed last, and of each directory the names. As on Linux' usual
// file systems, flushing a new file keeps its name as well; a file that was renamed or removed needs its directory flushed.

const root = resolve(process.env.FLUSHES_OF ?? '')
const { contentsOf, namesOf } = recordOf(root)

/** Bytes that were written since their file was flushed. */
type Range = readonly [from: number, to: number]
const whole = (): Range => [0, Number.POSITIVE_INFINITY]

const unflushed = new Map<string, Range[]>()
/** The number of the last flush that each file has; flushes of one file may overlap. */
const lastFlush = new Map<string, number>()
let flushes = 0
const namesByDirectory = new Map<string, Names>()
const paths = new Map<number, string>()
const original = { ...fs }

const isInside = (path: string) => path === root || path.startsWith(`${root}/`)
const idOf = ({ ino }: fs.BigIntStats) => String(ino)
const statusOf = (path: string) => original.statSync(path, { bigint: true, throwIfNoEntry: false })

function noteName(directory: string, names: Names): void {
  namesByDirectory.set(directory, names)
  const place = namesOf(directory)
  original.mkdirSync(join(place, '..'), { recursive: true })
  original.writeFileSync(place, JSON.stringify(names))
}

/** Keeps all that is there before the program begins: it has been there for long. */
function keepAll(directory: string): void {
  noteName(directory, namesIn(directory))
  for (const entry of original.readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) keepAll(path)
    else if (entry.isFile()) copyWhole(path)
  }
}

function namesIn(directory: string): Names {
  const names: Names = {}
  for (const entry of original.readdirSync(directory, { withFileTypes: true })) {
    const status = statusOf(join(directory, entry.name))
    if (status) names[entry.name] = entry.isDirectory() ? 'directory' : idOf(status)
  }
  return names
}

function copyWhole(path: string): void {
  const status = statusOf(path)
  if (status) original.copyFileSync(path, contentsOf(idOf(status)))
}

/** Returns a function that keeps what a file holds now. */
function take(file: number, path: string): () => void {
  const status = original.fstatSync(file, { bigint: true })
  if (status.isDirectory()) {
    const names = namesIn(path)
    return () => noteName(path, names)
  }
  const id = idOf(status)
  const number = ++flushes
  const size = Number(status.size)
  const ranges = original.existsSync(contentsOf(id)) ? [...(unflushed.get(id) ?? [])] : [whole()]
  const reading = original.openSync(path, 'r')
  const bytes = ranges.map(([from, to]) => {
    const buffer = Buffer.alloc(Math.max(0, Math.min(to, size) - from))
    return buffer.subarray(0, original.readSync(reading, buffer, 0, buffer.length, from))
  })
  original.closeSync(reading)
  return () => {
    if (number < (lastFlush.get(id) ?? 0)) return
    lastFlush.set(id, number)
    unflushed.set(id, unflushed.get(id)?.filter(range => !ranges.includes(range)) ?? [])
    const kept = original.openSync(contentsOf(id), original.constants.O_CREAT | original.constants.O_RDWR)
    original.ftruncateSync(kept, size)
    for (const [i, [from]] of ranges.entries())
      original.writeSync(kept, bytes[i] ?? Buffer.alloc(0), 0, null, from)
    original.closeSync(kept)
    const directory = join(path, '..')
    const names = namesByDirectory.get(directory) ?? {}
    if (!Object.values(names).includes(id))
      noteName(directory, { ...names, [path.slice(directory.length + 1)]: id })
  }
}

function noteRange(file: number, from: unknown, length: number): void {
  if (!paths.has(file)) return
  const id = idOf(original.fstatSync(file, { bigint: true }))
  const isKnown = typeof from === 'number' || typeof from === 'bigint'
  const range: Range = isKnown ? [Number(from), Number(from) + length] : whole()
  unflushed.set(id, [...(unflushed.get(id) ?? []), range])
}

/** A file that is new, or about to be replaced or removed, may get the number of another one. */
function noteWhole(path: fs.PathLike): void {
  const status = isInside(String(path)) ? statusOf(String(path)) : undefined
  if (status?.isFile()) unflushed.set(idOf(status), [whole()])
}

function noteOpen(file: number, path: fs.PathLike): void {
  if (!isInside(String(path))) return
  paths.set(file, String(path))
  if (original.fstatSync(file).size === 0) noteWhole(path)
}

const record = {
  openSync(path: fs.PathLike, ...rest: [fs.OpenMode, fs.Mode?]) {
    const file = original.openSync(path, ...rest)
    noteOpen(file, path)
    return file
  },
  closeSync(file: number) {
    paths.delete(file)
    original.closeSync(file)
  },
  open(path: fs.PathLike, flags: fs.OpenMode, done: (error: Error | null, file: number) => void) {
    original.open(path, flags, (error, file) => {
      if (!error) noteOpen(file, path)
      done(error, file)
    })
  },
  close(file: number, done: fs.NoParamCallback) {
    paths.delete(file)
    original.close(file, done)
  },
  writeSync(file: number, ...rest: [NodeJS.ArrayBufferView, number, number, number | null]) {
    const written = original.writeSync(file, ...rest)
    noteRange(file, rest[3], written)
    return written
  },
  ftruncateSync(file: number, length: number) {
    original.ftruncateSync(file, length)
    const path = paths.get(file)
    if (path !== undefined) noteWhole(path)
  },
  truncateSync(path: fs.PathLike, length: number) {
    original.truncateSync(path, length)
    noteWhole(path)
  },
  renameSync(from: fs.PathLike, to: fs.PathLike) {
    noteWhole(to)
    original.renameSync(from, to)
    for (const [file, path] of paths) if (path === from) paths.set(file, String(to))
  },
  unlinkSync(path: fs.PathLike) {
    noteWhole(path)
    original.unlinkSync(path)
  },
  rmSync(path: fs.PathLike, options?: fs.RmOptions) {
    noteWhole(path)
    original.rmSync(path, options)
  },
  fsyncSync(file: number) {
    const path = paths.get(file)
    if (path === undefined) original.fsyncSync(file)
    else take(file, path)()
  },
  fsync(file: number, done: fs.NoParamCallback) {
    const path = paths.get(file)
    if (path === undefined) return original.fsync(file, done)
    const keep = take(file, path)
    setImmediate(() => {
      keep()
      done(null)
    })
  },
}

if (process.env.FLUSHES_OF) {
  original.mkdirSync(contentsOf(''), { recursive: true })
  original.mkdirSync(root, { recursive: true })
  keepAll(root)
  Object.assign(fs, record)
  syncBuiltinESMExports()
}
