import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { readDocument } from 'spec-served-document/reading/read'
import { runScript } from 'spec-served-lab/support/command'
import { misjudged } from 'spec-served-lab/support/compile'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { expect, test } from 'vitest'
import { generate } from '../generate/emit.ts'

// Handlers bring the types of the whole engine, which take the compiler most of a minute.
const directory = sharedOutput()

const bytes = `
openapi: 3.1.0
info: { title: Bytes, version: "1" }
paths:
  /form:
    post:
      operationId: form
      requestBody:
        required: true
        content:
          multipart/form-data: { schema: { $ref: "#/components/schemas/Form" } }
      responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Form" } } } } }
  /bytes:
    put:
      operationId: bytes
      requestBody: { required: true, content: { image/*: { schema: { type: string, format: binary } } } }
      responses: { "200": { description: ok, content: { application/octet-stream: {} } } }
  /texts:
    put:
      operationId: texts
      requestBody: { content: { text/xml: { schema: { type: object } } } }
      responses: { "200": { description: ok, content: { application/xml: { schema: { type: object } } } } }
  /picture:
    get:
      operationId: picture
      responses:
        "200":
          description: ok
          headers: { ETag: { schema: { type: string } } }
          content: { image/*: {}, text/csv: { schema: { type: string } } }
        "404": { description: none }
  /coded:
    get:
      operationId: coded
      responses: { "204": { description: ok }, "404": { description: none, x-codes: [not_found, not_here] } }
  /events:
    get:
      operationId: events
      responses: { "200": { description: ok, content: { text/event-stream: { schema: { type: string } } } } }
components:
  schemas:
    Image: { contentMediaType: image/png }
    Form:
      type: object
      required: [image, files, encoded]
      properties:
        image: { $ref: "#/components/schemas/Image" }
        files: { type: array, items: { type: string, format: binary } }
        encoded: { type: string, contentEncoding: base64, contentMediaType: image/png }
        old: { type: string, format: byte }
`

const useOfBytes = `import { Readable } from 'node:stream'
import { refusal } from 'spec-served'
import type { Handler } from './handler.ts'

export const form: Handler<'form'> = async ({ body }) => {
  const length: number = body.image.data.length + body.files.map(file => file.data.length).length
  const texts: string[] = [body.image.filename ?? '', body.image.type, body.encoded, body.old ?? '']
  const asText: string = body.image // wrong
  const list: Buffer[] = body.files // wrong
  return { status: 200, body: { image: [length, texts, asText, list], files: ['text'], encoded: '' } }
}
export const bytes: Handler<'bytes'> = async ({ body }) => {
  if (body.length > 2) return { status: 200, body: Readable.from([body]) }
  return { status: 200, body: body.length > 1 ? Buffer.from(body) : new Uint8Array(1) }
}
export const noBytes: Handler<'bytes'> = async () => ({ status: 200, body: 1 }) // wrong
export const texts: Handler<'texts'> = async ({ body }) => {
  const text: string | undefined = body
  return { status: 200, body: text ?? '<a/>' }
}
export const noText: Handler<'texts'> = async () => ({ status: 200, body: { a: 1 } }) // wrong
export const picture: Handler<'picture'> = async () => {
  if (Math.random() > 2) return { status: 404 }
  if (Math.random() > 1) return { status: 200, headers: { 'Content-Type': 'text/csv; header=present' }, body: 'a' }
  return { status: 200, headers: { 'Content-Type': 'image/png' }, body: new Uint8Array(1) }
}
export const noPicture: Handler<'picture'> = async () => ({ status: 200, headers: { 'Content-Type': 'text/html' }, body: 'a' }) // wrong
export const noStatus: Handler<'picture'> = async () => ({ status: 205 }) // wrong: ReplyWith<Own, "picture", 404>
export const noCodes: Handler<'picture'> = async () => refusal('not_found', 'No.') // wrong: type 'ReturnStatusAndBody'
export const noSuchCode: Handler<'coded'> = async () => refusal('no_item', 'No.') // wrong: '"no_item"' is not assignable to type '"not_found" | "not_here"'
export const noTool: Handler<'picture'> = async (_, { caller }) => ({ status: 404 }) // wrong: type 'Tools<Own, "picture", "db">'
export const events: Handler<'events'> = async () => ({ status: 200, body: Readable.from(['data: 1']) })
`

test('the generator gives bytes, files and texts in handlers their types at run time', async () => {
  const out = join(directory, 'bytes')
  await writeFile(join(directory, 'bytes.yaml'), bytes)
  const made = await runScript('generate', ['--spec', join(directory, 'bytes.yaml'), '--out', out])
  expect(made.code, made.output).toBe(0)
  const types = await readFile('src/handlers/handler.ts', 'utf8')
  const elsewhere = types.replaceAll(`'../generated/`, `'./`).replaceAll(`'../`, `'${resolve('src')}/`)
  await writeFile(join(out, 'handler.ts'), elsewhere)
  expect(await misjudged(out, useOfBytes, [resolve('src/engine/service/engine.ts')])).toEqual([])
})

test('handlers of 3.2 documents compile, and give items as they come', async () => {
  const output = join(directory, '3.2')
  const handlers = {
    library: `export const searchBooks: Handler<'searchBooks'> = async ({ body }) => ({ status: 200, body: [{ isbn: '1', title: body.words }] })
export const linkBook: Handler<'linkBook'> = async ({ path, body }) => (path.isbn === body.series ? { status: 204 } : { status: 204 })
export const filterBooks: Handler<'filterBooks'> = async ({ query }) => ({ status: 200, body: [{ isbn: '1', title: String(query.filter?.shelf) }] })
export const webhook: webhooks['lost']['query']['responses'][204]['content'] = undefined
export const all: OperationId[] = ['searchBooks', 'linkBook', 'filterBooks', 'readBook', 'forgetBook']
// @ts-expect-error because a webhook is sent to clients, so it is no operation to serve
export const none: OperationId = 'bookOverdue'`,
    telemetry: `async function* events() { yield { data: 'a', event: 'reading' as const } }
export const followReadings: Handler<'followReadings'> = async () => ({ status: 200, body: events() })
export const exportReadings: Handler<'exportReadings'> = async () => ({ status: 200, body: [{ at: '', value: 1 }] })
export const sendReadings: Handler<'sendReadings'> = async ({ body }) => ({ status: 200, body: { taken: body.length } })
// @ts-expect-error because the document declares items of another type here
export const wrong: Handler<'exportReadings'> = async () => ({ status: 200, body: events() })`,
    payments: `export const pay: Handler<'pay'> = async ({ body }) => ({ status: 201, body: 'iban' in body ? { iban: body.iban } : body })`,
  }
  const source = await readFile('src/handlers/handler.ts', 'utf8')
  const files: string[] = []
  for (const [name, use] of Object.entries(handlers)) {
    const folder = join(output, name)
    await mkdir(folder, { recursive: true })
    const { document } = await readDocument(`src/engine/document/test/documents/${name}.yaml`)
    for (const [file, code] of await generate(document, name, '0')) await writeFile(join(folder, file), code)
    const moved = source.replaceAll("'../generated/", "'./").replaceAll("'../", `'${resolve('src')}/`)
    await writeFile(join(folder, 'handler.ts'), moved)
    const imports = `import type { Handler, OperationId } from './handler.ts'\nimport type { webhooks } from './schema.ts'\n`
    await writeFile(
      join(folder, 'handlers.ts'),
      `${imports}export type { Handler, OperationId, webhooks }\n${use}\n`,
    )
    files.push(resolve(folder, 'handlers.ts'))
  }
  const { compilerOptions } = JSON.parse(await readFile('tsconfig.json', 'utf8'))
  const project = join(output, 'tsconfig.json')
  await writeFile(project, JSON.stringify({ compilerOptions: { ...compilerOptions, noEmit: true }, files }))
  const told = await promisify(execFile)('tsc', ['-p', project]).catch(error => error)
  // Faults in declarations of the engine's plugins are not in these files.
  expect((told.stdout as string).split('\n').filter(line => line.startsWith(output))).toEqual([])
})
