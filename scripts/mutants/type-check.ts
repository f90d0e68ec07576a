import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import type { GeneratedFiles } from '../document/emit.ts'

/** Compiles `src` with other generated files than those on disk. */
export type TypeCheck = (generated: GeneratedFiles) => string | undefined

/**
 * Prepares the compiler, which keeps what it has read of all other files.
 * @returns a function that gives the first error, or undefined
 */
export function createTypeCheck(): TypeCheck {
  const directory = resolve('src/generated')
  const compiler = openCompiler(['src'])
  // Of what the others say nothing of it changes a type. Handlers first: it is there that a change shows.
  const isGenerated = (file: string) => dirname(file) === directory
  const touched = reaching(compiler.files, isGenerated)
  const inOrder = compiler.files
    .filter(file => touched.has(file) && !isGenerated(file))
    .sort((a, b) => Number(b.includes('/handlers/')) - Number(a.includes('/handlers/')))
  return generated => {
    compiler.change(new Map([...generated].map(([name, text]) => [join(directory, name), text])))
    return compiler.firstError(inOrder)
  }
}

/** Which files import a file, by its whole path. */
function importersIn(files: readonly string[]): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const file of files)
    for (const { fileName } of ts.preProcessFile(ts.sys.readFile(file) ?? '').importedFiles) {
      const imported = resolve(dirname(file), fileName)
      importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  return importers
}

/** The files that import some, those that import these, and so on, with the first. */
function reaching(files: readonly string[], isFirst: (file: string) => boolean): ReadonlySet<string> {
  const importers = importersIn(files)
  const found = new Set(files.filter(isFirst))
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer)
  return found
}

/** A compiler that keeps what it has read. */
interface Compiler {
  /** with their whole paths */
  files: readonly string[]
  /** Other texts than those on disk; all others are as they stand there. */
  change(texts: ReadonlyMap<string, string>): void
  /** The first error in one of these files, in this order; undefined when there is none. */
  firstError(files: readonly string[]): string | undefined
}

function openCompiler(directories: readonly string[]): Compiler {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const files = directories.flatMap(directory =>
    ts.sys.readDirectory(directory, ['.ts']).map(file => resolve(file)),
  )
  let changed: ReadonlyMap<string, string> = new Map()
  let version = 0

  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => files,
    getScriptVersion: file => (changed.has(file) ? String(version) : '0'),
    getScriptSnapshot(file) {
      const text = changed.get(file) ?? ts.sys.readFile(file)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: options => join(dirname(ts.getDefaultLibFilePath(options)), 'lib.es2024.d.ts'),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  }
  const service = ts.createLanguageService(host)

  return {
    files,
    change(texts) {
      changed = texts
      version += 1
    },
    firstError(among) {
      for (const file of among) {
        const [first] = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)]
        if (first) {
          const { line } = first.file?.getLineAndCharacterOfPosition(first.start ?? 0) ?? { line: 0 }
          const where = `${first.file?.fileName.slice(process.cwd().length + 1)}:${line + 1}`
          return `${where} ${ts.flattenDiagnosticMessageText(first.messageText, ' ')}`.slice(0, 300)
        }
      }
      return undefined
    },
  }
}
