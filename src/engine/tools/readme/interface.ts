import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { declarationsOf } from '../texts/declarations.ts'

/** The modules whose exports are promised, by their names. */
const doors = ['spec-served', 'spec-served/client', 'spec-served/testing', 'spec-served-cli/testing']

/** Returns the file of a module that another one names. */
const fileOf = (name: string, from = '.') =>
  name.startsWith('.') ? join(from, '..', name) : fileURLToPath(import.meta.resolve(name))

/** Returns, in Markdown, all that the packages promise. */
export const interfaces = (): string =>
  doors.map(name => `\n# \`${name}\`\n${interfaceOf(fileOf(name))}`).join('')

/**
 * Returns, in Markdown, the name, kind, doc comment and declaration of each export that a module has from others.
 * It reads texts alone, as looking up types takes several times as long.
 * @throws Error that names an export without a doc comment, or with a type that is not written
 */
export function interfaceOf(file: string): string {
  const keyOf = ([name]: Section) => name.toLowerCase()
  const sections = parse(file).statements.flatMap(statement => sectionsOf(file, statement))
  sections.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return sections.map(([, text]) => `\n${text}\n`).join('')
}

type Section = readonly [name: string, text: string]

const parse = (file: string) =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true)

/** Returns a section for each export of a statement. */
function sectionsOf(file: string, statement: ts.Statement): Section[] {
  const { exportClause: names, moduleSpecifier: from } = ts.isExportDeclaration(statement) ? statement : {}
  if (!names || !ts.isNamedExports(names) || !from || !ts.isStringLiteral(from))
    throw new Error(`${file}: \`${statement.getText()}\` is not of the form \`export { NAMES } from MODULE\``)
  const source = parse(fileOf(from.text, file))
  return names.elements.map(({ name: { text: name }, propertyName }) => {
    const declaredName = propertyName?.text ?? name
    const declared = source.statements.filter(candidate => namesIn(candidate).includes(declaredName))
    try {
      const declaration = declarationsOf(source.fileName, declared.map(item => item.getText()).join('\n'))
      return [name, sectionFor(name, declaredName, docOf(declared), declaration)]
    } catch (error) {
      throw new Error(`${name}, which ${source.fileName} exports: ${(error as Error).message}`) // nothing else is thrown
    }
  })
}

function namesIn(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name: declared }) => declared.getText())
  const { name } = statement as ts.DeclarationStatement // absent where nothing is declared
  return name ? [name.getText()] : []
}

function sectionFor(name: string, declaredName: string, doc: string, exported: string): string {
  const declaration = exported.replaceAll(/^export (declare )?/gm, '').trim()
  const [kind] = declaration.split(' ', 1)
  const alias = declaredName === name ? '' : `, in the code \`${declaredName}\``
  return `## \`${name}\` (${kind}${alias})\n\n${doc}\n\n\`\`\`ts\n${declaration}\n\`\`\``
}

/** The tags of doc comments. */
const tagNames = new Set(['param', 'returns', 'throws', 'template', 'see', 'deprecated', 'example'])

/** Returns the text of the doc comment, with a line for each tag. */
function docOf([declared]: readonly ts.Statement[]): string {
  if (!declared) throw new Error('it does not declare that; export it from where it is declared')
  const doc = ts.getJSDocCommentsAndTags(declared).findLast(ts.isJSDoc)
  const text = ts.getTextOfJSDocComment(doc?.comment)
  if (!doc || !text) throw new Error('it has no doc comment; say in one what it is for')
  const tags = (doc.tags ?? []).map(tag => {
    if (!tagNames.has(tag.tagName.text))
      throw new Error(
        `its doc comment has the tag @${tag.tagName.text}: write the name of a package in backticks`,
      )
    const subject = ts.isJSDocParameterTag(tag) ? ` \`${tag.name.getText()}\`` : ''
    return `- ${tag.tagName.text}${subject}: ${ts.getTextOfJSDocComment(tag.comment)?.replaceAll(/\s+/g, ' ')}`
  })
  return [text, ...(tags.length > 0 ? [tags.join('\n')] : [])].join('\n\n')
}
