import { join, resolve } from 'node:path'
import type { GeneratedFiles } from 'spec-served-cli/internal/generate/emit'
import ts from 'typescript'

/**
 * Prepares the compiler.
 * @returns a function that gives the first error of `src`, without its tests, with other generated files than those on disk, or undefined
 */
export function createTypeCheck(): (generated: GeneratedFiles) => string | undefined {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const files = ts.sys
    .readDirectory('src', ['.ts'], ['engine/*/test', 'engine/lab'])
    .map(file => resolve(file))
  const host = ts.createCompilerHost(options)
  const fromDisk = host.getSourceFile
  const sourceFiles = new Map<string, ts.SourceFile | undefined>()
  return generated => {
    const changed = new Map(
      [...generated].map(([name, text]) => [resolve(join('src/generated', name)), text]),
    )
    host.getSourceFile = (file, version) => {
      const text = changed.get(file)
      if (text !== undefined) return ts.createSourceFile(file, text, version)
      if (!sourceFiles.has(file)) sourceFiles.set(file, fromDisk(file, version))
      return sourceFiles.get(file)
    }
    const program = ts.createProgram(files, options, host)
    const [first] = ts.getPreEmitDiagnostics(program)
    return first && ts.formatDiagnostic(first, host).slice(0, 300)
  }
}
