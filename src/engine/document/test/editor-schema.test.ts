import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import { editorSchema } from 'spec-served-cli/internal/generate/editor-schema'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const text = await readFile('spec/openapi.yaml', 'utf8')
const validate = new Ajv({ allErrors: true, strict: false, validateFormats: false, verbose: true }).compile(
  JSON.parse(editorSchema()),
)

/** Returns an editor's marks in the document after one piece is changed: place and property. */
function marksWith(from: string, to: string): string[] {
  expect(text).toContain(from)
  validate(parse(text.replace(from, to)))
  return (validate.errors ?? []).map(
    ({ instancePath, keyword, params }) =>
      `${instancePath} ${params.additionalProperty ?? params.missingProperty ?? keyword}`,
  )
}

test('an editor that goes by the schema that the document names has nothing against it', async () => {
  expect(marksWith('openapi: 3.0.3', 'openapi: 3.0.3')).toEqual([])
  const [, name] = /^# yaml-language-server: \$schema=(.+)$/m.exec(text) ?? []
  expect(await readFile(`spec/${name}`, 'utf8')).toBe(editorSchema())
  const settings = JSON.parse(await readFile('.vscode/settings.json', 'utf8'))
  expect(settings['yaml.schemas'][`./spec/${name}`]).toContain('spec/openapi.yaml')
})

test.each([
  [
    'a misspelt extension',
    'x-required-scope:',
    'x-requierd-scope:',
    /^\/paths\/~1pets\/\w+ x-requierd-scope$/m,
  ],
  [
    'a value that an extension does not have',
    '      x-stability: beta\n',
    '      x-stability: bata\n',
    /x-stability enum$/m,
  ],
  ['an extension in another place', 'info:\n', 'info:\n  x-stability: beta\n', /^\/info x-stability$/m],
  [
    'a misspelt field',
    'operationId: listPets',
    'operationID: listPets',
    /^\/paths\/~1pets\/get operationID$/m,
  ],
  ['a keyword that schemas do not have', 'maxLength:', 'maxlength:', /maxlength$/m],
])('it marks %s', (_, from, to, mark) => {
  expect(marksWith(from, to).join('\n')).toMatch(mark)
})
