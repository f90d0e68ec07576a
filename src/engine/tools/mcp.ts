import { once } from 'node:events'
import { chosenFrom } from 'spec-served/internal/agents/choice'
import { sdk } from 'spec-served/internal/agents/mcp'
import type { Host } from 'spec-served/internal/agents/server'
import { type Tool, toolsOf } from 'spec-served/internal/agents/tools'
import { forwardedWith } from 'spec-served/internal/callers/forwarding'
import { checkCredential, type Given, Misuse } from 'spec-served/internal/command/arguments'
import { ownDocument } from 'spec-served/internal/command/project'
import { loadEnvFile } from 'spec-served/internal/process/config'
import { readSome } from 'spec-served/internal/runtime/read-some'
import { type Sending, sendWithin } from 'spec-served/internal/validation/sending'
import { modelOf } from 'spec-served-document/model'
import { failureText, visibleText } from 'spec-served-document/visible-text'
import { contractOf } from './generate/contract.ts'
import { serveMocks } from './mock/serve.ts'
import { parseWithOverlays, readWithOverlays } from './project-document.ts'

type Wishes = Given<'spec' | 'url' | 'key' | 'tools'> & {
  'read-only': boolean
  overlay: string[] | undefined
  root: string | undefined
}

/** Serves tools on stdin and stdout until the agent leaves. */
export async function run({
  spec,
  overlay: overlays,
  root: folder,
  url,
  key: keyOption,
  ...chosen
}: Wishes): Promise<number> {
  loadEnvFile()
  const key = keyOption ?? process.env.API_KEY
  const [{ serveStdio }, { openMcp, ourFailure }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('spec-served/internal/agents/server'),
  ]).catch(error => {
    const isMissing = Object(error).code === 'ERR_MODULE_NOT_FOUND' && String(error).includes(sdk)
    throw isMissing ? new Error(`Tools for agents need a package: npm install ${sdk}`) : error
  })
  if (key !== undefined) checkCredential(key)
  const base = url === undefined ? undefined : URL.parse(url)
  if (base === null) throw new Misuse('--url needs a URL, such as https://api.example/v1')
  const { document, overlaid: text } =
    base && spec === undefined
      ? await servedAt(base)
      : await readWithOverlays(spec ?? ownDocument, { overlays, folder })
  const model = modelOf(document, base?.pathname)
  const contract = contractOf(text, model)
  const app = base ? undefined : await serveMocks(text, model, { isOurs: false, mcp: false })
  const secret = key ?? (app && 'mock')
  const origin = base?.origin ?? 'http://localhost'
  const names = chosen.tools?.split(',')
  let tools: readonly Tool[]
  try {
    tools = chosenFrom(toolsOf(contract), { names, readOnly: chosen['read-only'] })
  } catch (error) {
    throw new Misuse((error as Error).message) // it throws Errors
  }
  // Only the service knows the scopes of a key. Without a key, secured operations are of no use.
  const usable = tools.filter(({ facts }) => secret !== undefined || !facts.secured)
  const ids = new Set(usable.map(({ operation }) => operation.id))
  const { serverFor } = openMcp(contract, () => new Date())
  const host: Host = {
    ...{ forwarded: forwardedWith(model, secret, origin), tools, allowed: async () => ids },
    send: app ? sendWithin(app, '127.0.0.1') : sendTo,
    failed(error) {
      console.error(visibleText(failureText(error)))
      throw new Error(ourFailure)
    },
  }
  const server = serveStdio(() => serverFor(host), { maxSubscriptions: 0 })
  await once(process.stdin, 'close')
  await Promise.all([server.close(), app?.close()])
  return 0
}

/** Sends a call to the service. It follows no redirect, because the key is for this service alone. */
async function sendTo({ request, refusal }: Sending): Promise<Response> {
  if (!refusal) return fetch(request, { redirect: 'manual' })
  const wire = refusal.toWire()
  return Response.json(wire, { status: wire.status })
}

/** The largest document that is taken from a service, in bytes, and the longest wait for it, in ms. */
const most = { bytes: 64 * 2 ** 20, ms: 60_000 }

/** Returns the document that a service shows. */
async function servedAt(base: URL) {
  const place = new URL('/openapi.json', base)
  const signal = AbortSignal.timeout(most.ms)
  const reply = await fetch(place, { signal }).catch((cause: unknown) => cause)
  let reason = String(reply)
  if (reply instanceof Response && reply.ok) {
    const { bytes, isCut } = await readSome(reply, most.bytes, signal)
    if (!isCut) return parseWithOverlays(bytes.toString(), place.href)
    reason = `more than ${most.bytes / 2 ** 20} MiB, or not in ${most.ms / 1_000} s`
  } else if (reply instanceof Response) reason = `status ${reply.status}`
  throw new Misuse(`there is no document at ${place} (${reason}): name its file by --spec`)
}
