import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rulesInWords } from './rules.ts'

const folder = join(import.meta.dirname, 'page')

/** The style sheets of the page, in the order in which a browser reads them. */
const sheets =
  'colours base layout navigation guide operations requests code replies dialogs small-screens'.split(' ')

/** A file, in the form that @fastify/swagger-ui asks for. */
export interface ThemeFile {
  filename: string
  content: string
}

/**
 * Reads the files of `page/`; those of a kind become one, which a browser asks for once.
 * @param links for the scripts, as `servedLinks`
 */
export async function readTheme(links: object): Promise<Record<'css' | 'js' | 'svg', ThemeFile>> {
  const scripts = (await readdir(folder)).filter(name => name.endsWith('.js')).sort()
  const [css, js, svg] = await Promise.all([
    joined(sheets.map(name => `${name}.css`)),
    joined(scripts),
    joined(['favicon.svg']),
  ])
  return {
    css: { filename: 'page.css', content: css },
    js: {
      filename: 'page.js',
      content: `globalThis.servedLinks = ${JSON.stringify(links)}\n${js}\n${rulesInWords}`,
    },
    svg: { filename: 'favicon.svg', content: svg },
  }
}

async function joined(names: readonly string[]): Promise<string> {
  const texts = await Promise.all(names.map(name => readFile(join(folder, name), 'utf8')))
  return texts.join('\n')
}
