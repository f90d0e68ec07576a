import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { ownModel } from 'spec-served-lab/support/model'
import { shell } from 'spec-served-lab/support/package'
import { expect, test } from 'vitest'
import { clientPackage } from '../client/package.ts'

const directory = sharedDirectory()

test('a fresh app installs the client as a folder, compiles with its types, and calls', async () => {
  const [client, app] = [join(directory, 'client'), join(directory, 'app')]
  for (const folder of [client, app]) await mkdir(folder)
  for (const [file, text] of await clientPackage(await ownModel(), 'petstore-client'))
    await writeFile(join(client, file), text)
  await writeFile(join(app, 'package.json'), '{ "type": "module" }')
  const code = `import { createClient } from 'petstore-client'

declare const process: { argv: string[] }
const client = createClient({ baseUrl: process.argv[2] ?? '' })
const { data } = await client.GET('/pets', { query: { limit: 1 } })
const name: string | undefined = data?.[0]?.name
console.log(name)
`
  await writeFile(join(app, 'main.ts'), code)
  const installed = await shell('npm install ../client --offline --no-audit --no-fund', app)
  expect(installed.code, installed.output).toBe(0)
  const options = '--noEmit --strict --module nodenext --target es2024 --lib es2024,dom,dom.iterable'
  const types = await shell(`tsc ${options} main.ts`, app)
  expect(types.output).toBe('')

  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('[{"id":1,"name":"Rex"}]')
  }).listen(0, '127.0.0.1')
  try {
    const { port } = await new Promise<AddressInfo>(done =>
      server.on('listening', () => done(server.address() as AddressInfo)),
    ) // it listens on TCP
    const run = await shell(`node main.ts http://127.0.0.1:${port}`, app)
    expect(run).toMatchObject({ code: 0, output: 'Rex\n' })
  } finally {
    server.close()
  }
})
