import { createServer } from 'node:http'
import { serve } from 'spec-served-lab/support/engine'
import { listen } from 'spec-served-lab/support/http'
import { modelFrom } from 'spec-served-lab/support/model'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { openRunning } from '../../check/running.ts'
import { checkContract } from '../../check/service.ts'
import { readInterface } from '../../records/interface.ts'

/** Returns the faults that the check finds in a service. */
async function faultsOf(document: object, url: string): Promise<string[]> {
  const model = await modelFrom(document)
  const contract = readInterface(model)
  const world = await openRunning({ contract, url: new URL(url), keys: [], writes: true, most: 2_000 })
  onTestFinished(() => world.end())
  const { faults } = await checkContract({ model, open: async () => world, seed: 1 })
  return faults.map(({ operation, message }) => `${operation}: ${message}`)
}

test('a declared 416 for a range behind the end of a file is no fault', async () => {
  const document = parse(`
openapi: 3.1.0
info: { title: Files, version: '1' }
paths:
  /file:
    get:
      operationId: file
      parameters: [{ name: Range, in: header, schema: { type: string, pattern: '^bytes=[1-9][0-9]{2}-$' } }]
      responses:
        '200': { description: whole, content: { image/png: {} } }
        '206': { description: part, content: { image/png: {} } }
        '400': { description: refused }
        '416': { description: none }
`)
  const app = await serve(document, { file: async () => ({ status: 200, body: Buffer.from('0123456789') }) })
  onTestFinished(() => app.close())
  expect(await faultsOf(document, await app.listen({ port: 0, host: '127.0.0.1' }))).toEqual([])
})

test('the bounds of whole numbers of 64 bits are not rounded to others', async () => {
  const bounds = 'minimum: -9223372036854775808, maximum: 9223372036854775807'
  const document = parse(`
openapi: 3.1.0
info: { title: Counters, version: '1' }
paths:
  /counters/{n}:
    get:
      operationId: counter
      parameters: [{ name: n, in: path, required: true, schema: { type: integer, format: int64, ${bounds} } }]
      responses: { '204': { description: fine }, '400': { description: no number of 64 bits } }
  /powers:
    get:
      operationId: power
      parameters: [{ name: n, in: query, required: true, schema: { type: integer, enum: [1, 9007199254740993] } }]
      responses: { '204': { description: fine }, '400': { description: another number } }
  /ratios:
    get:
      operationId: ratio
      parameters: [{ name: n, in: query, required: true, schema: { type: number, ${bounds} } }]
      responses: { '204': { description: fine }, '400': { description: no number of 64 bits } }
`)
  const sent: string[] = []
  const fits = (text: string) => {
    const [, whole] = /^(-?\d+)(\.\d+)?(e-\d+)?$/i.exec(text) ?? []
    return whole !== undefined && BigInt(whole) >= -(2n ** 63n) && BigInt(whole) < 2n ** 63n
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://a')
    const [, text = searchParams.get('n') ?? ''] = /^\/counters\/([^/]*)$/.exec(pathname) ?? []
    if (!/^\/(counters\/[^/]+|ratios|powers)$/.test(pathname)) return response.writeHead(404).end()
    if (!['GET', 'HEAD'].includes(request.method ?? ''))
      return response.writeHead(405, { allow: 'GET, HEAD' }).end()
    sent.push(decodeURIComponent(text))
    const isPower = ['1', '9007199254740993'].includes(text)
    if (pathname === '/powers') return response.writeHead(isPower ? 204 : 400).end()
    return response.writeHead(fits(decodeURIComponent(text)) ? 204 : 400).end()
  })
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${await listen(server)}`
  expect(await faultsOf(document, url)).toEqual([])
  expect(sent.filter(text => text.includes('9223372036854776'))).toEqual([])
})
