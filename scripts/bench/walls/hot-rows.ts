import type { Bench, OurServer } from '../bench.ts'
import type { Group } from '../turns.ts'
import { list, ratio, requests, variant, type Wall } from './wall.ts'

const callers = [1, 8, 64]
const animals = 1_000

/** How much more slowly all buy one animal than they buy many. */
export function hotRowsWall(bench: Bench, served: OurServer): Wall {
  const ordersOf = (count: number, connections: number) => {
    const { order } = requests
    const name = count === 1 ? 'one animal' : `${count.toLocaleString('en')} animals`
    return variant(bench, name, served, order && { ...order, ids: [1, count] }, { connections })
  }
  const groups = callers.map(
    (count): Group => ({
      title: `orders by ${count} callers`,
      variants: [ordersOf(animals, count), ordersOf(1, count)],
    }),
  )
  /** One that is asked for by all, against one caller who takes any. */
  const alone = groups[0]?.variants[0]
  return {
    name: 'Hot rows',
    groups,
    figures: () => [
      [
        `orders of one animal, of those of ${animals.toLocaleString('en')}, by ${callers.join(', ')} callers`,
        list(groups.map(({ variants: [many, one] }) => (one ? ratio(one, many) : Number.NaN))),
      ],
      [
        `orders of one animal by ${callers.join(', ')} callers, of those by one caller of many`,
        list(groups.map(({ variants: [, one] }) => (one ? ratio(one, alone) : Number.NaN))),
      ],
    ],
  }
}
