/** An item of a set of slots, which remembers its own. */
export interface Slotted {
  slot: number | undefined
}

/**
 * A set whose items come and go with each request. A `Set` or `Map` makes a new table of itself again and again. The old
 * tables keep requests in memory until the next full collection of garbage, which costs a fifth of a read's time.
 */
export function createSlots<Item extends Slotted>() {
  const items: (Item | undefined)[] = []
  const free: number[] = []
  return {
    size: () => items.length - free.length,
    add(item: Item): void {
      item.slot = free.pop() ?? items.length
      items[item.slot] = item
    },
    /** Removes an item, unless it is gone already. */
    remove(item: Item): void {
      if (item.slot === undefined) return
      items[item.slot] = undefined
      free.push(item.slot)
      item.slot = undefined
    },
    /** Calls a function for each item, in no particular order. It may remove the item. */
    forEach(visit: (item: Item) => void): void {
      for (const item of items) if (item) visit(item)
    },
  }
}
