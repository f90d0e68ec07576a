import { readFile } from 'node:fs/promises'
import { rulesInWords } from './rules.ts'

/** The style sheets of the page, in the order in which a browser reads them. */
export const styles = [
  'colours.css',
  'base.css',
  'layout.css',
  'navigation.css',
  'guide.css',
  'operations.css',
  'requests.css',
  'code.css',
  'replies.css',
  'dialogs.css',
  'small-screens.css',
] as const

/** The scripts that make Swagger UI this page. */
export const scripts = [
  'words.js',
  'document.js',
  'tools.js',
  'colour-scheme.js',
  'loading.js',
  'layout.js',
  'search.js',
  'navigation.js',
  'guide.js',
  'introduction.js',
  'access.js',
  'plans.js',
  'rules.js',
  'errors.js',
  'headers.js',
  'changes.js',
  'quota.js',
  'links.js',
  'tag-tree.js',
  'heads.js',
  'authorization.js',
  'parameters.js',
  'fields.js',
  'schemas.js',
  'try-it.js',
  'sample-request.js',
  'snippets.js',
  'code.js',
  'replies.js',
  'answer.js',
  'plugin.js',
] as const

/** A file, in the form that @fastify/swagger-ui asks for. */
export interface ThemeFile {
  filename: string
  content: string
}

/** Reads them; those of a kind become one, which a browser asks for once. */
export async function readTheme(): Promise<Record<'css' | 'js' | 'svg', ThemeFile>> {
  const [css, js, svg] = await Promise.all([
    joined('page.css', styles),
    joined('page.js', scripts),
    joined('favicon.svg', ['favicon.svg']),
  ])
  return { css, js: { ...js, content: `${js.content}\n${rulesInWords}` }, svg }
}

async function joined(filename: string, names: readonly string[]): Promise<ThemeFile> {
  const texts = names.map(name => readFile(new URL(`page/${name}`, import.meta.url), 'utf8'))
  return { filename, content: (await Promise.all(texts)).join('\n') }
}
