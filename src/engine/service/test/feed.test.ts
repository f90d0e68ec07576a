import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { contractOf } from 'spec-served-cli/internal/generate/contract'
import { serveContract } from 'spec-served-cli/internal/mock/serve'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { modelFrom } from 'spec-served-lab/support/model'
import { expect, onTestFinished, test } from 'vitest'
import { releasesIn } from '../docs/releases.ts'

const changelog = `# Changes of the interface

## Unreleased

- Not out yet.

## 1.1.0 (2026-11-28)

- A <b>new</b> field & more.

## 1.0.0 (2026-11-21)

The first release.
`

test('readers follow the releases of a service as a feed', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Cats & "Dogs"\u0007', version: '1' },
    paths: { '/cats': { get: { operationId: 'listCats', responses: { 200: { description: 'ok' } } } } },
  }
  const app = await serveContract({ ...contractOf('', await modelFrom(document)), changelog })
  onTestFinished(() => app.close())
  const reply = await app.inject('/docs/changes.atom')
  expect(reply.headers['content-type']).toBe('application/atom+xml; charset=utf-8')
  const feed = reply.body
  expect([...feed.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title)).toEqual([
    'Changes of Cats &amp; &quot;Dogs&quot;',
    '1.1.0',
    '1.0.0',
  ])
  expect([...feed.matchAll(/<updated>(.*?)<\/updated>/g)].map(([, time]) => time)).toEqual([
    '2026-11-28T00:00:00Z',
    '2026-11-28T00:00:00Z',
    '2026-11-21T00:00:00Z',
  ])
  expect(feed).toContain('<content type="text">- A &lt;b&gt;new&lt;/b&gt; field &amp; more.</content>')
  expect(feed).toContain('<link href="../docs#releases"/>')
  const ids = [
    ...feed.matchAll(/<id>(urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12})<\/id>/g),
  ]
  expect(new Set(ids.map(([, id]) => id)).size).toBe(3)
  // The same feed has the same identifiers, by which readers know what they have seen.
  expect((await app.inject('/docs/changes.atom')).body).toBe(feed)
})

const released = sharedDirectory()

test('readers get the document of each release, the newest first, and nothing else of its folder', async () => {
  for (const name of ['1.9.0.yaml', '1.10.0.yaml', '1.10.0-beta.1.yaml', 'operators.json', '.env', 'a.yaml'])
    await writeFile(join(released, name), `name: ${name}\n`)
  const releases = await releasesIn(pathToFileURL(`${released}/`))
  expect(releases.map(({ version }) => version)).toEqual(['1.10.0', '1.10.0-beta.1', '1.9.0'])
  expect(await releasesIn(pathToFileURL(join(released, 'none/')))).toEqual([])
  const document = { openapi: '3.1.0', info: { title: 'Cats', version: '2.0.0' }, paths: {} }
  const app = await serveContract({ ...contractOf('', await modelFrom(document)), releases })
  onTestFinished(() => app.close())
  const reply = await app.inject('/docs/releases/1.9.0.yaml')
  expect([reply.statusCode, reply.body]).toEqual([200, 'name: 1.9.0.yaml\n'])
  expect(reply.headers['content-type']).toBe('application/yaml; charset=utf-8')
  for (const name of ['2.0.0.yaml', 'a.yaml', '..%2F.env', '1.9.0'])
    expect((await app.inject(`/docs/releases/${name}`)).statusCode, name).toBe(404)
})
