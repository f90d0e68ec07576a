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
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const files = ts.sys.readDirectory('src', ['.ts']).map(file => resolve(file))
  const directory = resolve('src/generated')
  let generated: GeneratedFiles = new Map()
  let version = 0
  const overlay = (file: string) =>
    dirname(file) === directory ? generated.get(file.slice(directory.length + 1)) : undefined

  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => files,
    getScriptVersion: file => (overlay(file) === undefined ? '0' : String(version)),
    getScriptSnapshot(file) {
      const text = overlay(file) ?? ts.sys.readFile(file)
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
  // Handlers first: it is there that a change shows.
  const inOrder = files
    .filter(file => dirname(file) !== directory)
    .sort((a, b) => Number(b.includes('/handlers/')) - Number(a.includes('/handlers/')))

  return files => {
    generated = files
    version += 1
    for (const file of inOrder) {
      const [first] = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)]
      if (first) {
        const { line } = first.file?.getLineAndCharacterOfPosition(first.start ?? 0) ?? { line: 0 }
        const where = `${first.file?.fileName.slice(process.cwd().length + 1)}:${line + 1}`
        return `${where} ${ts.flattenDiagnosticMessageText(first.messageText, ' ')}`.slice(0, 300)
      }
    }
    return undefined
  }
}
