import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { settingsTable } from '../../scripts/settings-table.ts'

const readme = await readFile('README.md', 'utf8')
const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))

/** A table's cells, without the white space that lays it out. */
const cells = (table: string) =>
  table
    .trim()
    .split('\n')
    .map(row => row.split('|').map(cell => cell.trim().replace(/^-+$/, '---')))

test('README’s table of settings is what the code reads', () => {
  const table = /<!-- settings -->([\s\S]*)<!-- \/settings -->/.exec(readme)?.[1] ?? ''
  expect(cells(table)).toEqual(cells(settingsTable()))
})

test('every npm command that README names exists', () => {
  const named = [...readme.matchAll(/npm run ([\w:-]+)/g)].map(match => match[1])
  expect(named.length).toBeGreaterThan(3)
  for (const name of named) expect(Object.keys(scripts)).toContain(name)
})

test('every path that README names exists', async () => {
  const examples = ['migrations/0002-birthday.ts']
  for (const [, path = ''] of readme.matchAll(/`((?:src|test|scripts|spec|migrations)\/[\w./-]+)`/g))
    if (!examples.includes(path))
      await expect(
        readFile(path).catch(error => error.code),
        path,
      ).resolves.not.toBe('ENOENT')
})
