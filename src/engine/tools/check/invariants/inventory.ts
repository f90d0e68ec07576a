import { decodeOr } from 'spec-served-document/contract/path-templates'
import { showsSecret } from 'spec-served-document/reading/facts'
import { fields, parameters } from '../../records/conventions.ts'
import type { Endpoint, Interface, Kind } from '../../records/interface.ts'
import type { Body, Draft, WireReply } from '../../records/messages.ts'
import { pagesFrom } from '../wire.ts'
import { recordFaults } from './replies.ts'

/** How many records of a list are read by themselves. */
const compared = 40

/** Keeps the records of each kind that were made and removed. Lists must show all that are left, and nothing else. */
export function createInventory(
  { kinds, model, shape }: Interface,
  read: (url: string) => Promise<WireReply>,
  isEmpty: boolean,
) {
  const idsByKind = () => new Map(kinds.map(({ parameter }) => [parameter, new Set<string>()]))
  const [made, removed] = [idsByKind(), idsByKind()]

  /** The URL that a list is read from: its longest pages, of a service that runs elsewhere. */
  function startOf({ path, parameters: all }: Endpoint): string {
    const { maximum } = shape(all.find(({ name }) => name === parameters.limit)?.schema)
    return isEmpty || maximum === undefined ? path : `${path}?${parameters.limit}=${maximum}`
  }

  return {
    note({ path, method }: Endpoint, draft: Draft, { body, headers }: WireReply): void {
      if (headers[fields.replayed] !== undefined) return
      for (const { parameter, maker } of kinds) {
        const isBatch = method === 'POST' && path.startsWith(`${maker.path}/`) && Array.isArray(body)
        if (method === 'POST' && path === maker.path && headers.location !== undefined)
          made.get(parameter)?.add(decodeOr(headers.location.slice(maker.path.length + 1)))
        if (isBatch && !path.includes('{')) for (const { id } of body) made.get(parameter)?.add(String(id))
        if (method === 'DELETE' && path === `${maker.path}/{${parameter}}`)
          removed.get(parameter)?.add(String(draft.path[parameter]))
      }
    },

    async conclude(): Promise<{ endpoint: Endpoint; message: string }[]> {
      const faults: { endpoint: Endpoint; message: string }[] = []
      const look = async ({ parameter, maker, list, reader }: Kind) => {
        const all = [...(made.get(parameter) ?? [])]
        if (!list || all.length === 0) return
        const add = (message: string) => faults.push({ endpoint: list, message })
        const items: Body[] = []
        for await (const { reply } of pagesFrom(startOf(list), read))
          if (Array.isArray(reply.body)) items.push(...reply.body)
        const ids = items.map(({ id }) => String(id))
        const listed = new Set(ids)
        if (listed.size < ids.length) add('it lists a record twice')
        const isGone = (id: string) => removed.get(parameter)?.has(id)
        const due = new Set(all.filter(id => !isGone(id)))
        for (const id of due)
          if (!listed.has(id)) add(`it does not list ${id}, which was made and not removed`)
        // The check issues credentials to itself.
        const isOurs = isEmpty && !showsSecret(model, maker)
        for (const id of ids)
          if (!due.has(id) && isOurs)
            add(`it lists ${id}, which nobody has made${isGone(id) ? ' again' : ''}`)
        if (!reader) return
        const step = Math.ceil(items.length / compared)
        for (const item of items.filter((_, index) => index % step === 0)) {
          const url = `${maker.path}/${encodeURIComponent(String(item.id))}`
          const reply = await read(url)
          if (reply.status !== reader.success)
            add(`it lists ${item.id}, and GET ${url} is answered ${reply.status}`)
          const properties = new Set(Object.keys({ ...item, ...Object(reply.body) }))
          const [fault] = recordFaults({ body: item, headers: {}, properties }, { ...reply, properties }, url)
          if (fault) add(`of ${item.id}, ${fault}`)
        }
      }
      await Promise.all(kinds.map(look))
      return faults
    },
  }
}
