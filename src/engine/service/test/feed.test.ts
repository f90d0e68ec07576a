import { contractOf } from 'spec-served-cli/internal/generate/contract'
import { serveContract } from 'spec-served-cli/internal/mock/serve'
import { modelFrom } from 'spec-served-lab/support/model'
import { expect, onTestFinished, test } from 'vitest'

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
