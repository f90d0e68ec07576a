import fs from 'node:fs'
import { promisify } from 'node:util'
import type { PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** An open file in Emscripten. Source: emscripten.org, File System API. */
interface Stream {
  node: object
  /** Node's number of the file */
  nfd: number
}

type Operation = (...args: never[]) => unknown

/** Emscripten's file system on Node's: what it calls for files and directories, as far as it is extended here. */
interface NodeFiles {
  realPath(node: object): string
  tryFSOperation<T>(work: () => T): T
  stream_ops: Record<string, Operation> & { fsync?(stream: Stream): number }
  node_ops: Record<string, Operation>
}

type Options = Parameters<NodeFS['init']>

/** The operations that change what a file holds, and those that change what a directory names. */
const changesOfFiles = ['write', 'setattr', 'allocate', 'msync']
const changesOfDirectories = ['mknod', 'rename', 'unlink', 'rmdir', 'symlink', 'setattr']

const fsync = promisify(fs.fsync)
const endOfTurn = promisify(setImmediate)

/** A database is on a disk that has failed to keep what was written. */
export class DiskFailed extends Error {
  readonly code = '58030'
}

export type DurableFiles = ReturnType<typeof createDurableFiles>

/**
 * The files of the embedded database, kept on the disk: Emscripten has no `fsync`. PostgreSQL flushes its write-ahead log
 * at each commit, and waits. Here it goes on at once, and `settled` says when the disk has what was committed: all commits
 * that come until then share the next flush. Nothing else is changed before it, as the log is what repairs it.
 * @param directory the database's
 * @param faultOf returns why nothing may be changed in the directory now; undefined: it may be
 * @param onFailed called once if the disk fails, after which nothing is reported as kept
 */
export function createDurableFiles(
  directory: string,
  faultOf: () => Error | undefined,
  onFailed: (error: Error) => void = () => {},
) {
  /** the part of the log that was written last */
  let part: { path: string; file: number } | undefined
  let written = 0
  let flushed = 0
  let parts = 0
  let underWay: Promise<void> | undefined
  let next: Promise<void> | undefined
  let failure: DiskFailed | undefined

  function fail(cause: unknown): DiskFailed {
    if (failure) return failure
    // After a failure the system takes what it could not write for written.
    failure = new DiskFailed('What was written did not reach the disk', { cause })
    onFailed(failure)
    return failure
  }

  function allow(): void {
    const fault = failure ?? faultOf()
    if (fault) throw refusal(fault)
  }

  function flushNow(file: number): void {
    try {
      fs.fsyncSync(file)
    } catch (error) {
      fail(error)
      throw error
    }
  }

  /** Flushes the log before anything that relies on it. */
  function flushLog(): void {
    if (!part || flushed === written) return
    flushNow(part.file)
    flushed = written
  }

  function open(path: string): number {
    if (part?.path === path) return part.file
    flushLog()
    if (part) close(part.file)
    part = { path, file: fs.openSync(path, 'r+') } // PostgreSQL closes its own whenever it likes
    parts++
    return part.file
  }

  const close = (file: number): void => {
    if (underWay) underWay.finally(() => fs.closeSync(file)).catch(() => {})
    else fs.closeSync(file)
  }

  async function flushLater(): Promise<void> {
    await (underWay ?? endOfTurn())
    next = undefined
    if (failure) throw failure
    if (!part || flushed === written) return
    underWay = flush(part.file, written)
    await underWay
  }

  async function flush(file: number, until: number): Promise<void> {
    try {
      await fsync(file)
      flushed = Math.max(flushed, until)
    } catch (error) {
      throw fail(error)
    } finally {
      underWay = undefined
    }
  }

  function extend(files: NodeFiles): void {
    const { stream_ops: streams, node_ops: nodes } = files
    const guard = (
      before: (...args: never[]) => void,
      operations: Record<string, Operation>,
      names: string[],
    ) => {
      for (const name of names) {
        const operation = operations[name]
        if (!operation) continue
        operations[name] = (...args) => {
          files.tryFSOperation(() => before(...args))
          return operation(...args)
        }
      }
    }
    const pathOf = ({ node }: Stream) => files.realPath(node)
    const beforeFile = (stream: Stream) => {
      allow()
      if (flushed !== written && !isLog.test(pathOf(stream))) flushLog()
    }
    guard(beforeFile, streams, changesOfFiles)
    guard(
      () => {
        allow()
        flushLog()
      },
      nodes,
      changesOfDirectories,
    )
    streams.fsync = stream =>
      files.tryFSOperation(() => {
        allow()
        const path = pathOf(stream)
        if (isPart.test(path)) {
          open(path)
          written++
        } else if (process.platform !== 'win32' || fs.fstatSync(stream.nfd).isFile()) flushNow(stream.nfd)
        return 0
      })
  }

  class Files extends NodeFS {
    override async init(...[pglite, options]: Options) {
      const { emscriptenOpts } = await super.init(pglite, options)
      const extended: typeof options.preRun = [
        ...(emscriptenOpts.preRun ?? []),
        ({ NODEFS }) => extend(NODEFS as unknown as NodeFiles), // typed by a package that nobody needs to install
      ]
      return { emscriptenOpts: { ...emscriptenOpts, preRun: extended } }
    }
  }

  return {
    files: (): NonNullable<PGliteOptions['fs']> => new Files(directory),
    faultOf: (): Error | undefined => failure,
    /** Resolves when all that was committed is on the disk; undefined: it is. @throws DiskFailed, also later */
    settled(): Promise<void> | undefined {
      if (flushed === written) return undefined
      next ??= flushLater()
      return next
    },
    /** Returns how many parts of the log, of 16 MB each, were begun. */
    parts: () => parts,
    close(): void {
      if (part) close(part.file)
      part = undefined
    },
  }
}

/** A file of the write-ahead log, and one that is a part of it. */
const isLog = /[/\\]pg_wal[/\\][^/\\]+$/
const isPart = /[/\\]pg_wal[/\\][0-9A-F]{24}$/

/** Emscripten knows the system's errors by their codes. */
const refusal = (cause: unknown) =>
  Object.assign(new Error('Nothing may be written', { cause }), { code: 'EIO' })
