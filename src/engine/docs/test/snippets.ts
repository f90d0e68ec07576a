import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { request as ask, createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { listen } from 'spec-served-lab/support/http'

const execute = promisify(execFile)

/** Runs a program to its end; its output, or the error with all that it wrote. */
export const run = async (
  program: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) => (await execute(program, args, { timeout: 300_000, ...options })).stdout

/** How the code of a language is run: all of it in as few processes as can be. */
export interface Language {
  /** as its tab says */
  title: string
  /** asks whether the machine has it */
  version: [string, ...string[]]
  /** @param codes by operationId; @param directory to work in */
  runAll(codes: ReadonlyMap<string, string>, directory: string): Promise<void>
}

const files = async (codes: ReadonlyMap<string, string>, directory: string, ending: string) => {
  await mkdir(directory, { recursive: true })
  const names = [...codes].map(([id, code]) => ({ file: resolve(directory, `${id}${ending}`), code }))
  for (const { file, code } of names) await writeFile(file, `${code}\n`)
  return names.map(({ file }) => file)
}

/** Imports modules one after the other. */
const importAll = 'for (const file of process.argv.slice(1)) await import(file)'

export const languages: Language[] = [
  {
    title: 'curl',
    version: ['curl', '--version'],
    async runAll(codes) {
      for (const code of codes.values()) await run('sh', ['-c', code])
    },
  },
  {
    title: 'JavaScript',
    version: [process.execPath, '--version'],
    async runAll(codes, directory) {
      await run(process.execPath, [
        '--input-type=module',
        '-e',
        importAll,
        '--',
        ...(await files(codes, directory, '.mjs')),
      ])
    },
  },
  {
    title: 'TypeScript',
    version: [process.execPath, '--version'],
    async runAll(codes, directory) {
      const written = await files(codes, directory, '.ts')
      await copyFile('src/generated/schema.ts', join(directory, 'schema.ts'))
      const config = {
        extends: resolve('tsconfig.json'),
        compilerOptions: { noEmit: true },
        include: ['*.ts'],
        exclude: [],
      }
      await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
      await run(resolve('node_modules/.bin/tsc'), ['-p', directory])
      await run(process.execPath, ['--input-type=module', '-e', importAll, '--', ...written])
    },
  },
  {
    title: 'Java',
    version: ['javac', '--version'],
    async runAll(codes, directory) {
      const methods = [...codes].map(([id, code]) => `static void ${id}() throws Exception {\n${code}\n}`)
      const calls = [...codes.keys()].map(id => `${id}();`)
      const all = `import java.net.*;\nimport java.net.http.*;\nclass All {\n${methods.join('\n')}
public static void main(String[] args) throws Exception { ${calls.join(' ')} }\n}`
      const [file = ''] = await files(new Map([['All', all]]), directory, '.java')
      await run('javac', ['-d', directory, file])
      await run('java', ['-cp', directory, 'All'])
    },
  },
  {
    title: 'Python',
    version: ['python3', '-c', 'import requests'],
    async runAll(codes, directory) {
      const each = 'import runpy, sys\nfor file in sys.argv[1:]: runpy.run_path(file)'
      await run('python3', ['-c', each, ...(await files(codes, directory, '.py'))])
    },
  },
  {
    title: 'Go',
    version: ['go', 'version'],
    async runAll(codes, directory) {
      const ids = [...codes.keys()].map(id => id.toLowerCase())
      // To link one program of each takes long: they are checked as they stand, and run as parts of one.
      for (const [id, code] of codes) {
        await files(new Map([['main', code]]), join(directory, 'asis', id.toLowerCase()), '.go')
        const part = code.replace(/^package main$/m, 'package part').replace(/^func main\(\)/m, 'func Main()')
        await files(new Map([['part', part]]), join(directory, 'parts', id.toLowerCase()), '.go')
      }
      const imports = ids.map(id => `import ${id}_ "snippets/parts/${id}"\n`).join('')
      const calls = ids.map(id => `${id}_.Main()\n`).join('')
      await writeFile(join(directory, 'all.go'), `package main\n${imports}func main() {\n${calls}}\n`)
      await writeFile(join(directory, 'go.mod'), 'module snippets\n\ngo 1.21\n')
      const options = {
        cwd: directory,
        env: { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-ldflags=-w' },
      }
      await run('go', ['vet', './asis/...'], options)
      await run('go', ['run', '.'], options)
    },
  },
]

/** A request as it came over the wire, and how it was answered. */
export interface Recorded {
  method: string
  url: string
  key: string | undefined
  type: string | undefined
  body: unknown
  status: number
}

/** Passes requests on to a server and keeps a record of them. The caller stops it. */
export async function startRecorder(target: string) {
  let records: Recorded[] = []
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part)
    const bytes = Buffer.concat(parts)
    const { method = '', url = '', headers } = incoming
    const passed = ask(target + url, { method, headers: { ...headers, connection: 'close' } }, reply => {
      const key = headers['x-api-key']
      records.push({
        method,
        url,
        key: typeof key === 'string' ? key : undefined,
        type: headers['content-type'],
        body: bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
        status: reply.statusCode ?? 0,
      })
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers)
      reply.pipe(outgoing)
    })
    passed.end(bytes)
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    /** Returns the requests that came since the last call. */
    take() {
      const taken = records
      records = []
      return taken
    },
    stop: () => new Promise(done => server.close(done)),
  }
}
