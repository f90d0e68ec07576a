import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'

/** The files that make Swagger UI this page, in the order in which a browser reads them. */
export const themeFiles = [
  'colours.css',
  'base.css',
  'introduction.css',
  'navigation.css',
  'operations.css',
  'requests.css',
  'responses.css',
  'dialogs.css',
  'small-screens.css',
  'favicon.svg',
  'words.js',
  'tools.js',
  'colour-scheme.js',
  'introduction.js',
  'plans.js',
  'search.js',
  'quota.js',
  'links.js',
  'tag-tree.js',
  'badges.js',
  'authorization.js',
  'parameters.js',
  'try-it.js',
  'responses.js',
  'plugin.js',
] as const

/** A file, in the form that @fastify/swagger-ui asks for. */
export interface ThemeFile {
  filename: string
  content: string
}

/** Reads them, by what they are. */
export async function readTheme(): Promise<Record<'css' | 'js' | 'svg', ThemeFile[]>> {
  const files = await Promise.all(
    themeFiles.map(async filename => ({
      filename,
      content: await readFile(new URL(`page/${filename}`, import.meta.url), 'utf8'),
    })),
  )
  const ending = (kind: string) => files.filter(({ filename }) => extname(filename) === kind)
  return { css: ending('.css'), js: ending('.js'), svg: ending('.svg') }
}
