import { showsSecret } from '../../../src/engine/contract.ts'
import { fields } from '../conventions.ts'
import type { Endpoint, Interface } from '../interface.ts'
import type { Draft } from '../requests.ts'
import { nextPage, type WireReply } from '../wire.ts'
import { recordFaults } from './records.ts'

/** How many records of a list are read by themselves. */
const compared = 40
/** More pages than a check can fill. */
const mostPages = 1_000

/** What was made and removed of each kind of records: lists must show what is left, all of it and nothing else. */
export interface Inventory {
  note(endpoint: Endpoint, draft: Draft, reply: WireReply): void
  conclude(): Promise<{ endpoint: Endpoint; message: string }[]>
}

type Id = string
type Item = Record<string, unknown>

export function createInventory(
  { at, makers, model }: Interface,
  read: (url: string) => Promise<WireReply>,
  isEmpty: boolean,
): Inventory {
  const made = new Map<string, Set<Id>>()
  const removed = new Map<string, Set<Id>>()
  const of = (kinds: Map<string, Set<Id>>, parameter: string) => {
    const ids = kinds.get(parameter) ?? new Set<Id>()
    kinds.set(parameter, ids)
    return ids
  }

  async function itemsOf(path: string): Promise<Item[]> {
    const items: Item[] = []
    let url: string | undefined = path
    for (let pages = 0; url !== undefined && pages < mostPages; pages++) {
      const reply = await read(url)
      if (Array.isArray(reply.body)) items.push(...reply.body)
      url = nextPage(url, reply)
    }
    return items
  }

  return {
    note({ path, method }, draft, { body, headers }) {
      if (headers[fields.replayed] !== undefined) return
      for (const [parameter, maker] of makers) {
        const isBatch = method === 'POST' && path.startsWith(`${maker.path}/`) && Array.isArray(body)
        if (method === 'POST' && path === maker.path && headers.location !== undefined)
          of(made, parameter).add(decodeURIComponent(headers.location.slice(maker.path.length + 1)))
        if (isBatch && !path.includes('{')) for (const { id } of body) of(made, parameter).add(String(id))
        if (method === 'DELETE' && path === `${maker.path}/{${parameter}}`)
          of(removed, parameter).add(String(draft.path[parameter]))
      }
    },

    async conclude() {
      const faults: { endpoint: Endpoint; message: string }[] = []
      for (const [parameter, maker] of makers) {
        const list = at('GET', maker.path)
        const reader = at('GET', `${maker.path}/{${parameter}}`)
        if (!list || !made.has(parameter)) continue
        const add = (message: string) => faults.push({ endpoint: list, message })
        const items = await itemsOf(`${list.path}`)
        const ids = items.map(({ id }) => String(id))
        const listed = new Set(ids)
        if (listed.size < ids.length) add('it lists a record twice')
        const gone = of(removed, parameter)
        const due = new Set([...of(made, parameter)].filter(id => !gone.has(id)))
        for (const id of due)
          if (!listed.has(id)) add(`it does not list ${id}, which was made and not removed`)
        // The check issues credentials to itself.
        const isOurs = isEmpty && !showsSecret(model, maker)
        for (const id of ids)
          if (!due.has(id) && isOurs)
            add(`it lists ${id}, which nobody has made${removed.get(parameter)?.has(id) ? ' again' : ''}`)
        if (!reader) continue
        const step = Math.ceil(items.length / compared)
        for (const item of items.filter((_, index) => index % step === 0)) {
          const url = `${maker.path}/${encodeURIComponent(String(item.id))}`
          const { body, status } = await read(url)
          if (status !== reader.success) add(`it lists ${item.id}, and GET ${url} is answered ${status}`)
          const properties = new Set(Object.keys({ ...item, ...(body as object) })) // both are records
          const [fault] = recordFaults(
            { body: item, tag: undefined, properties },
            { body, tag: undefined, properties },
            url,
          )
          if (fault) add(`of ${item.id}, ${fault}`)
        }
      }
      return faults
    },
  }
}
