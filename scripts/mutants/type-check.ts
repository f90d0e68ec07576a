import { join, resolve } from 'node:path'
import ts from 'typescript'
import type { GeneratedFiles } from '../document/emit.ts'

/**
 * Prepares the compiler, which keeps what it has read between two checks of `src` with other generated files than those on
 * disk.
 * @returns a function that gives the first error, or undefined
 */
export function createTypeCheck(): (generated: GeneratedFiles) => string | undefined {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const files = ts.sys.readDirectory('src', ['.ts']).map(file => resolve(file))
  // Elsewhere, what the document says changes no type.
  const affected = files.filter(file => /\/src\/(handlers|store|commands|[\w-]+\.ts)/.test(file))
  let changed: ReadonlyMap<string, string> = new Map()
  let version = 0
  const textOf = (file: string) => changed.get(file) ?? ts.sys.readFile(file)
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => files,
    getScriptVersion: file => (changed.has(file) ? String(version) : '0'),
    getScriptSnapshot(file) {
      const text = textOf(file)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: settings => ts.getDefaultLibFilePath(settings),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })
  return generated => {
    changed = new Map([...generated].map(([name, text]) => [resolve(join('src/generated', name)), text]))
    version += 1
    for (const file of affected) {
      const [first] = service.getSemanticDiagnostics(file)
      if (!first) continue
      const { line } = first.file?.getLineAndCharacterOfPosition(first.start ?? 0) ?? { line: 0 }
      const where = `${file.slice(process.cwd().length + 1)}:${line + 1}`
      return `${where} ${ts.flattenDiagnosticMessageText(first.messageText, ' ')}`.slice(0, 300)
    }
    return undefined
  }
}
