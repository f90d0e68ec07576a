import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { modelOf } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import { misjudged } from 'spec-served-lab/support/compile'
import {
  clientCalls,
  faultsOfExchanges,
  ownDocuments as files,
  programOf,
  writeClient,
} from 'spec-served-lab/support/exchanges'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { beforeAll, expect, test } from 'vitest'

const all = resolve(sharedOutput())
const directoryOf = (file: string) => join(all, file.replaceAll(/\W/g, '-'))
const modelAt = async (file: string) => modelOf((await readDocument(file)).document)

beforeAll(async () => {
  for (const file of files) await writeClient(directoryOf(file), await modelAt(file))
})

test('a valid call of each operation compiles with the client of its document', async () => {
  const programs = files.map(async file =>
    programOf(all, directoryOf(file), clientCalls(await modelAt(file))),
  )
  expect(await misjudged(all, (await Promise.all(programs)).join('\n'))).toEqual([])
})

test.each(files)(
  'a client exchanges a request and a reply of each operation with the mock: %s',
  async file => {
    const model = await modelAt(file)
    const calls = clientCalls(model)
    expect(calls).toHaveLength(model.operations.length)
    expect(await faultsOfExchanges(directoryOf(file), await readFile(file, 'utf8'), model, calls)).toEqual([])
  },
)
