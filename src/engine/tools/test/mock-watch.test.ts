import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { expect, onTestFinished, test } from 'vitest'

const program = fileURLToPath(import.meta.resolve('spec-served/cli'))

const document = `openapi: 3.1.0
info: { title: Books, version: 1.0.0 }
paths:
  /book:
    get:
      operationId: getBook
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: parts/book.yaml } } } }
`
const schema = (title: string) => `type: object\nexample: { title: ${title} }\n`

test('a mock that watches its document serves what changes, and keeps the one before a fault', async () => {
  const folder = temporaryDirectory()
  await mkdir(join(folder, 'parts'))
  const [spec, part] = [join(folder, 'api.yaml'), join(folder, 'parts/book.yaml')]
  await writeFile(spec, document)
  await writeFile(part, schema('Emma'))
  const mock = spawn(process.execPath, [program, 'mock', '--watch', '--spec', spec, '--port', '0'])
  onTestFinished(async () => {
    mock.kill()
    await once(mock, 'close')
  })
  let output = ''
  mock.stdout.on('data', text => {
    output += text
  })
  const url = () => /at (http:\S+?),/.exec(output)?.[1]
  await expect.poll(url).toBeDefined()
  const titleNow = async () => {
    const reply = await fetch(`${url()}/book`).catch(() => undefined)
    return reply?.ok ? Object(await reply.json()).title : undefined
  }
  expect(await titleNow()).toBe('Emma')

  await writeFile(`${part}.new`, schema('Persuasion'))
  await rename(`${part}.new`, part) // as editors do
  await expect.poll(titleNow).toBe('Persuasion')

  await writeFile(spec, 'openapi: 3.1.0\npaths: [')
  await expect.poll(() => output).toContain('not loaded, and the document before is still served')
  expect(await titleNow()).toBe('Persuasion')
})
