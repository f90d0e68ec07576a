import ts from 'typescript'

/** How a module is compiled from its text alone. */
export const compilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  isolatedDeclarations: true,
}

/**
 * The declarations of a module, or of a statement in it, from the text alone.
 * @throws Error when a type is not written that would have to be found out
 */
export function declarationsOf(fileName: string, text: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(text, {
    fileName,
    compilerOptions,
    reportDiagnostics: true,
  })
  const [fault] = diagnostics
  if (fault) throw new Error(ts.flattenDiagnosticMessageText(fault.messageText, '\n'))
  return outputText
}
