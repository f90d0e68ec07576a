import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { runScript } from 'spec-served-lab/support/command'
import { modelFrom } from 'spec-served-lab/support/model'
import {
  otherCredentials,
  otherDocument,
  type Reply,
  type Spoilt,
  startOther,
} from 'spec-served-lab/support/other-service'
import { expect, onTestFinished, test, vi } from 'vitest'
import { callersFrom } from '../../check/auth.ts'
import { createProgress } from '../../check/progress.ts'
import { openRunning } from '../../check/running.ts'
import { checkContract } from '../../check/service.ts'
import { type Bounds, NoReply, openWire } from '../../check/wire.ts'
import { readInterface } from '../../records/interface.ts'
import { createNotes } from './statements.ts'

const known = await modelFrom(otherDocument)
const statements = createNotes()

/** Runs the check on a service that knows nothing of this project. */
async function check(spoilt: Spoilt = {}, credentials: readonly string[] = otherCredentials, model = known) {
  const url = new URL(await startOther(spoilt))
  const keys = callersFrom(model, credentials, {})
  const world = await openRunning({ contract: readInterface(model), url, keys, writes: true, most: 5_000 })
  onTestFinished(() => world.end())
  const outcome = await checkContract({ model, open: async () => world, seed: 1, onFault: statements.note })
  return { ...outcome, told: outcome.faults.map(fault => `${fault.operation}: ${fault.message}`) }
}

/** Changes the replies to a request. */
const at = (to: string, change: (reply: Reply) => Partial<Reply>): Spoilt => ({
  reply: (reply, request) => (request === to && reply.status < 300 ? { ...reply, ...change(reply) } : reply),
})
const text = (to: string, body: string) => at(to, () => ({ text: body }))
const field = (name: string, value?: string) =>
  at('GET /books', ({ headers: { [name]: _, ...headers } }) => ({
    headers: value === undefined ? headers : { ...headers, [name]: value },
  }))
const book = (more: string) => text('GET /books', `[{"id":1,"title":"A"${more}}]`)

/** Faults that show in each operation of a kind, or at the one that reads what another has written. */
const shared =
  /no key|unknown key|left out of a replacement|body without|invalid request was|as each time|a password|records that were just made| 500$/

test('a right service of another make has no fault, and each of its operations is reached', async () => {
  const { told, silent, promises } = await check()
  expect(told).toEqual([])
  expect(silent).toEqual([])
  expect(promises.filter(({ state }) => state === 'looked at').map(({ by }) => by)).toEqual([
    'parameters, bodies and responses',
    'security',
    'a POST beside operations on one of its records',
    'a limit of a list whose records a POST makes',
    'a list whose records a POST makes, in a document of others',
  ])
})

test('paths that end with a slash are about the same records', async () => {
  const paths = Object.entries(otherDocument.paths).map(([path, item]) => [`${path}/`, item])
  const model = await modelFrom({ ...otherDocument, paths: Object.fromEntries(paths) })
  const right = await check({}, otherCredentials, model)
  expect(right.told).toEqual([])
  expect(right.silent).toEqual([])
  const wrong = await check({ keepsRemoved: true }, otherCredentials, model)
  expect(wrong.told).toContainEqual(
    expect.stringMatching(/^removeBook: it is gone, and yet GET .books.\d+. is/),
  )
})

test.each<[string, Spoilt, RegExp]>([
  [
    'a missing Content-Type',
    at('GET /anything', () => ({ headers: {} })),
    /^getAnything: .*a body without Content-Type/,
  ],
  [
    'a malformed Content-Type',
    at('GET /anything', () => ({ headers: { 'content-type': 'text' } })),
    /^getAnything: .*"text" is no media type/,
  ],
  [
    'another Content-Type',
    at('GET /motto', () => ({ headers: { 'content-type': 'text/html' } })),
    /^getMotto: .*has text\/html, but declares text\/plain/,
  ],
  [
    'malformed JSON under an open schema',
    text('GET /anything', '{"a":1'),
    /^getAnything: .*the body is not valid JSON/,
  ],
  [
    'a name twice in an object',
    text('GET /anything', '{"a":{"b":1,"b":2}}'),
    /^getAnything: .*the body\/a\/b stands twice/,
  ],
  ['a writeOnly property in a reply', book(',"pin":"1234"'), /^listBooks: .*the body\/0\/pin is writeOnly/],
  [
    'an integer beyond 64 bits',
    text('GET /books', '[{"id":9223372036854775808,"title":"A"}]'),
    /^listBooks: .*the body\/0\/id is 9223372036854775808, which is beyond/,
  ],
  ['a missing property', text('GET /books', '[{"id":1}]'), /^listBooks: .*the body\/0\/title is required/],
  [
    'null where no null may be',
    text('GET /books', '[{"id":1,"title":null}]'),
    /^listBooks: .*the body\/0\/title must be string/,
  ],
  ['an empty body', text('GET /anything', ''), /^getAnything: .*declares a body, and there is none/],
  [
    'an integer field with a fraction',
    field('x-total', '1.5'),
    /^listBooks: .*the header X-Total must be integer/,
  ],
  [
    'a number field with a word',
    field('x-balance', 'much'),
    /^listBooks: .*the header X-Balance must be number/,
  ],
  ['a missing field', field('x-balance'), /^listBooks: .*the header X-Balance is missing/],
  ['a boolean field with a digit', field('x-whole', '1'), /^listBooks: .*the header X-Whole must be boolean/],
  [
    'an object field that is JSON',
    field('x-range', '{"from": 1, "to": 2}'),
    /^listBooks: .*the header X-Range is JSON, and its schema asks for the style simple/,
  ],
  [
    'an object field with a word',
    field('x-range', 'from=first'),
    /^listBooks: .*the header X-Range\/from must be integer/,
  ],
  [
    'one wrong cookie of two',
    at('GET /books', ({ headers }) => ({ headers: { ...headers, 'set-cookie': ['a=1', 'b=x'] } })),
    /^listBooks: .*the header Set-Cookie must have the form/,
  ],
  [
    'an undeclared status',
    at('GET /motto', () => ({ status: 203 })),
    /^getMotto: .*does not declare the status 203/,
  ],
  ['a failure', at('GET /motto', () => ({ status: 500 })), /^getMotto: .*does not declare the status 500/],
  [
    'a declared failure',
    at('GET /nothing', () => ({ status: 500, headers: {}, text: '' })),
    /^getNothing: any request: a valid request was answered 500/,
  ],
  [
    'a list that is longer than asked for',
    { ignoresLimit: true },
    /^listBooks: limit=1 gives a list of \d+ items/,
  ],
  [
    'a value beyond a bound that is taken',
    { takesAnyLimit: true },
    /^listBooks: \/query\/limit .*: an invalid request was answered 200/,
  ],
  [
    'a bound that is refused',
    { refusesLimit: 50 },
    /^listBooks: \/query\/limit its maximum: a valid request was answered 400/,
  ],
  [
    'a bound that is refused with 422',
    { refusesWith422: 50 },
    /^listBooks: \/query\/limit its maximum: a valid request was answered 422/,
  ],
  [
    'a property that is lost',
    { losesNotes: true },
    /^addBook: note was sent as ".*", and its reply shows absent, as each time/,
  ],
  [
    'another default',
    { losesDefaults: true },
    /^addBook: genre was left out, and its reply shows "poetry" in place of its default "novel"/,
  ],
  [
    'a replacement that keeps one property of two',
    { keepsNotes: true },
    /^replaceBook: note was left out of replacements, and stays .*, and pages is gone/,
  ],
  [
    'an offset without effect',
    { ignoresOffset: true },
    /^listBooks: offset=1 begins with \d+, and the second record is \d+/,
  ],
  ['a filter without effect', { ignoresGenre: true }, /^listBooks: genre=\w+ gives records with genre \w+/],
  [
    'a record twice in a list',
    at('GET /books', ({ text: body }) => ({
      text: JSON.stringify([...JSON.parse(body), JSON.parse(body)[0]].filter(Boolean)),
    })),
    /^listBooks: a record stands twice in it/,
  ],
  [
    'a list without the new records',
    text('GET /books', '[]'),
    /^listBooks: it shows none of the records that were just made/,
  ],
  [
    'a removal of other records',
    { takesOthersAway: true },
    /^getBook: it is not there any more, as another one was changed and removed/,
  ],
  [
    'a change of other records',
    { changesOthers: true },
    /^getBook: its title is another, as another one was changed and removed/,
  ],
  [
    'a patch that takes other properties away',
    { patchesAll: true },
    /^changeBook: \w+ is taken away by a change of \w+/,
  ],
  [
    'a failure for a record that nobody made',
    { failsAtNothing: true },
    /^getBook: getBook does not declare the status 500/,
  ],
  [
    'a password in a reply',
    { tellsPassword: true },
    /^addBook: .*the body\/password is a password that no schema declares/,
  ],
  [
    'a body that is taken against its schema',
    { takesLongTitles: true },
    /^addBook: \/body\/title too long: an invalid request was answered 201/,
  ],
  [
    'a record that is not kept',
    { forgets: true },
    /^addBook: it is stored, and yet GET \/books\/\d+ is answered 404/,
  ],
  [
    'a record that is not removed',
    { keepsRemoved: true },
    /^removeBook: it is gone, and yet GET \/books\/\d+ is answered 200/,
  ],
  [
    'an operation that needs no credential',
    { needsNoToken: true },
    /^addBook: no key is answered 201 instead of 401/,
  ],
  [
    'any credential that is taken',
    { takesAnyToken: true },
    /^by_field: the unknown key .* is answered 200 instead of 401/,
  ],
])('%s is told with its cause', async (_, spoilt, told) => {
  const found = await check(spoilt)
  expect(found.told.join('\n')).toMatch(new RegExp(told.source, 'm'))
  const [operation = ''] = /\w+/.exec(told.source) ?? []
  const others = found.told.filter(candidate => !candidate.startsWith(operation))
  // The same fault may show in each operation of its kind.
  expect(others.filter(candidate => !shared.test(candidate))).toEqual([])
})

// Needs the tests above. `vitest -u` writes the list, which the test of the probes reads.
test('each statement of the check that has named a fault of theirs still does', async () => {
  await expect(await statements.seen()).toMatchFileSnapshot('statements-others.txt')
})

test('a fault in the reply to a creation hides no other fault', async () => {
  const wrong = await check({ ...at('POST /books', () => ({ status: 202 })), keepsRemoved: true })
  expect(wrong.told).toContainEqual(expect.stringMatching(/^addBook: .*does not declare the status 202/))
  expect(wrong.told).toContainEqual(expect.stringMatching(/^removeBook: it is gone, and yet/))
  const failing = await check({ failsAtOddTitles: true, keepsRemoved: true, takesAnyPages: true })
  expect(failing.told).toContainEqual(expect.stringMatching(/^addBook: .* 500/))
  expect(failing.told).toContainEqual(expect.stringMatching(/^removeBook: it is gone, and yet/))
  expect(failing.told).toContainEqual(
    expect.stringMatching(/^addBook: \/body\/pages .*: an invalid request was answered 201/),
  )
})

test('a credential that opens nothing is a fault, and operations without a success are reported', async () => {
  const { told, silent } = await check({}, ['token=wrong'])
  expect(told).toEqual(['the service: the credential token opened nothing: no secured operation let it in'])
  expect(silent).toContain('addBook')
})

test('bytes that are not HTTP, and an error of the check itself, are faults with their places, and the rest is looked at', async () => {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', bytes => {
      const isBroken = String(bytes).startsWith('GET /motto')
      const reply = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
      socket.write(isBroken ? 'HELLO\r\n\r\n' : `${reply}noise after a reply`)
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const url = new URL(`http://127.0.0.1:${port}`)
  const running = { contract: readInterface(known), url, keys: [], writes: false, most: 500 }
  const world = await openRunning(running)
  onTestFinished(() => world.end())
  const open = async () => ({
    ...world,
    async send(request: Parameters<typeof world.send>[0]) {
      if (request.url === '/report') throw new TypeError('a fault of ours')
      return world.send(request)
    },
  })
  const { faults, silent } = await checkContract({ model: known, open, seed: 1 })
  const told = faults.map(fault => `${fault.operation}: ${fault.message}`)
  expect(told).toContainEqual(expect.stringMatching(/^getMotto: there is no reply by HTTP: Parse Error/))
  expect(told).toContainEqual(
    expect.stringMatching(/^the check: it broke off here, .*: a fault of ours \(.*\.ts:\d+\)/),
  )
  expect(told).toContainEqual(expect.stringMatching(/^listBooks: .*the body must be array/))
  expect(silent).not.toContain('getAnything')
})

test('an interrupted check ends with what it has found, and says so', async () => {
  const url = new URL(await startOther(text('GET /books', '{}')))
  const controller = new AbortController()
  const world = await openRunning({
    ...{ contract: readInterface(known), url, keys: [], writes: false, most: 500 },
    signal: controller.signal,
  })
  onTestFinished(() => world.end())
  const onFault = () => controller.abort()
  const { faults, requests, promises } = await checkContract({
    model: known,
    open: async () => world,
    seed: 1,
    onFault,
  })
  expect(faults.map(({ operation }) => operation)).toEqual(['listBooks'])
  expect(requests).toBeLessThan(5)
  expect(promises[0]?.why).toContain('was interrupted')
})

/** Runs the command in a folder without a project. */
async function command(spoilt: Spoilt, ...args: string[]) {
  const directory = temporaryDirectory()
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'library.json'), JSON.stringify(otherDocument))
  const url = await startOther(spoilt)
  return runScript('check:contract', ['--url', url, '--spec', 'library.json', ...args], directory)
}
const auth = otherCredentials.flatMap(otherCredential => ['--auth', otherCredential])

test('the command needs no project. It says what it writes and which promises it looked at', async () => {
  const { code, output } = await command({}, '--yes', '--strict', ...auth)
  expect(output).toMatch(
    /creates records: addBook\n.*: addCover\n.*changes records .*: replaceBook, changeBook\n.*removes records .*: removeBook/,
  )
  expect(output).toMatch(/operations that never answered 2xx: none/)
  expect(output).toMatch(/looked at +requests and replies have the forms/)
  expect(output).toMatch(/not made +plans, quotas and bans \(x-rate-limits\)/)
  expect(code).toBe(0)
})

test('without a terminal and without --yes the command sends nothing. --read-only lets it read', async () => {
  let sent = 0
  const count: Spoilt = {
    reply(reply) {
      sent += 1
      return reply
    },
  }
  const refused = await command(count, ...auth)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/Nothing was sent: --yes/) })
  expect(sent).toBe(0)
  const read = await command(
    { reply: (reply, to) => (to.startsWith('GET') ? reply : { ...reply, status: 500 }) },
    '--read-only',
    ...auth,
  )
  expect(read).toMatchObject({ code: 0, stdout: expect.stringMatching(/never answered 2xx: addBook/) })
  expect((await command({}, '--read-only', '--strict', ...auth)).code).toBe(1)
})

test.each([
  ['text', [], 'stderr'],
  ['JUnit', ['--reporter', 'junit'], 'stdout'],
] as const)(
  'a run in which nothing succeeds does not end as passed, and says what to do: %s',
  async (_, more, to) => {
    const nothing: Spoilt = { reply: reply => ({ ...reply, status: 404, text: '' }) }
    const ended = await command(
      nothing,
      '--yes',
      '--operation',
      'getBook',
      '--operation',
      'removeBook',
      ...auth,
      ...more,
    )
    expect(ended.code).toBe(1)
    expect(ended[to]).toMatch(/No operation answered with a success.*base path.*credential.*--examples/)
    if (to === 'stdout') expect(ended.stdout).toMatch(/failures="1"/)
  },
)

test('a credential of the environment is used, and no report has its value', async () => {
  vi.stubEnv('QUERY', 'query-secret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const spoilt = text('GET /by-query', '{')
  for (const form of ['json', 'junit']) {
    const { code, output, stdout } = await command(
      spoilt,
      '--read-only',
      '--auth',
      'query',
      '--reporter',
      form,
    )
    expect(code).toBe(1)
    expect(output).not.toContain('query-secret')
    expect(stdout).toMatch(/by_query 200: the body is not valid JSON/)
    if (form !== 'junit') expect(JSON.parse(stdout)).toBeTruthy()
  }
  const { stderr } = await command(spoilt, '--read-only', '--auth', 'querry=1')
  expect(stderr).toMatch(/there is no security scheme querry: did you mean query/)
})

test('work under way moves in one line of a terminal, and is a line a step elsewhere', () => {
  const shownOn = (isTTY: boolean) => {
    const lines: string[] = []
    const write = (line: string) => lines.push(line) > 0
    const progress = createProgress({ isTTY, columns: 40, write }, 0)
    for (const detail of ['forms', 'callers']) progress.tell('requests', detail)
    progress.clear()
    return lines.join('')
  }
  expect(shownOn(true)).toBe('\r\x1b[K… requests: forms\r\x1b[K… requests: callers\r\x1b[K')
  expect(shownOn(false)).toBe('… requests\n')
})

/** Replies of a server that would have a reader take without end, by their paths. */
const hostile: Readonly<Record<string, (reply: ServerResponse) => void>> = {
  '/endless': reply => {
    const more = () => {
      while (reply.writable && reply.write(Buffer.alloc(65_536)));
    }
    reply.on('drain', more)
    more()
  },
  '/bomb': reply => {
    reply.setHeader('content-encoding', 'gzip')
    reply.end(gzipSync(Buffer.alloc(8 * 2 ** 20)))
  },
  '/trickle': reply => {
    const timer = setInterval(() => reply.write('x'), 20)
    reply.on('close', () => clearInterval(timer))
  },
  '/silent': () => {},
  '/events': reply => {
    reply.setHeader('content-type', 'text/event-stream')
    const timer = setInterval(() => reply.write('data: 1\n\ndata: 2'), 20)
    reply.on('close', () => clearInterval(timer))
  },
}

/** Connections with narrow bounds to that server, and the bytes that it could write. @param delay of other replies, in ms */
async function openHostile(bounds: Partial<Bounds> = {}, delay = 0) {
  const sockets = new Set<Socket>()
  const server = createHttpServer(({ url = '' }, reply) =>
    (hostile[url] ?? (() => setTimeout(() => reply.end('{}'), delay)))(reply),
  )
  server.on('connection', socket => sockets.add(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const all = {
    ms: 60_000,
    lateMs: 60_000,
    sequenceMs: 500,
    bytes: 2 ** 20,
    expandedBytes: 2 ** 20,
    ...bounds,
  }
  const wire = openWire(() => new URL(`http://127.0.0.1:${port}`), all)
  onTestFinished(() => {
    wire.close()
    server.closeAllConnections()
    server.close()
  })
  return {
    ask: (url: string) => wire.send({ method: 'GET', url, headers: {} }),
    read: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
  }
}

test.each([
  ['/endless', {}, 'its content has more than 1 MiB'],
  ['/bomb', {}, 'its content has more than 1 MiB out of its coding'],
  ['/trickle', { ms: 300 }, 'none in 0.3 s'],
  ['/silent', { ms: 300 }, 'none in 0.3 s'],
])('a hostile reply (%s) ends at its bound, and the next request is sent', async (url, bounds, told) => {
  const { ask, read } = await openHostile(bounds)
  await expect(ask(url)).rejects.toThrow(told)
  expect((await ask('/')).status).toBe(200)
  expect(read()).toBeLessThan(32 * 2 ** 20)
})

test('a connection that the server closes as it is used again is no fault of its reply', async () => {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      socket.once('data', () => socket.destroy())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const wire = openWire(() => new URL(`http://127.0.0.1:${port}`))
  onTestFinished(() => {
    wire.close()
    server.close()
  })
  const ask = () => wire.send({ method: 'POST', url: '/', headers: {} })
  await Promise.all([ask(), ask(), ask()])
  expect((await ask()).status).toBe(200)
})

test('a late reply is a fault only where the server answers other requests soon', async () => {
  const quick = await openHostile({ ms: 2_000 })
  await expect(quick.ask('/silent')).rejects.toMatchObject({ isSlow: false })
  const slow = await openHostile({ ms: 300 }, 3_000)
  await expect(slow.ask('/')).rejects.toMatchObject({
    isSlow: true,
    message: expect.stringContaining('none in'),
  })
})

test('a slow server has no fault by that alone, and what it did not answer is left out', async () => {
  const url = new URL(await startOther())
  const running = { contract: readInterface(known), url, keys: [], writes: false, most: 500 }
  const world = await openRunning(running)
  onTestFinished(() => world.end())
  const open = async () => ({
    ...world,
    async send(request: Parameters<typeof world.send>[0]) {
      if (request.url === '/motto')
        throw new NoReply('there is no reply by HTTP: none in 60 s', request, true)
      return world.send(request)
    },
  })
  const { faults, rows } = await checkContract({ model: known, open, seed: 1 })
  expect(faults).toEqual([])
  expect([...(rows.get('forms of requests')?.left ?? [])]).toContainEqual(
    expect.stringMatching(/^getMotto: .*none in 60 s, and the server answers nothing else soon/),
  )
})

test('a sequence without an end is read for some time, to the end of an item', async () => {
  const { ask } = await openHostile()
  const { status, text: read } = await ask('/events')
  expect(status).toBe(200)
  expect(read).toMatch(/^data: 1\n\n(data: 2data: 1\n\n)+$/)
})

test('replies that come too late are not waited for without end, however many there are', async () => {
  const { ask } = await openHostile({ ms: 100, lateMs: 200 })
  await expect(ask('/silent')).rejects.toThrow('none in 0.1 s')
  await expect(ask('/silent')).rejects.toThrow() // a quick server was asked twice for the first
  await expect(ask('/')).rejects.toThrow('it was not sent, as too many replies came too late')
})

test.each([[[]], [['--reporter', 'json']], [['--reporter', 'junit']]])(
  'what a service sends can’t change how a terminal shows a report with the options %j',
  async args => {
    const sent = '{"a\x1b]0;owned\x07\u009b2J\u202e\nforged: a line'
    const { output } = await command(text('GET /by-query', sent), '--read-only', ...auth, ...args)
    expect(output).toContain('forged: a line')
    expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(output).not.toMatch(/^forged: a line/m)
  },
)
