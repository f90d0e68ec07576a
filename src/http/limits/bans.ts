import type { Caller } from '../../contract/caller.ts'
import type { Db } from '../../database/tables.ts'
import { banApiKey } from '../../store/api-keys.ts'
import type { KeyDirectory } from '../../store/key-directory.ts'
import { banAddress, loadAddressBans } from '../../store/limits.ts'

/** How often a process reads the bans of addresses that others have written, in ms. */
const readEvery = 4_000

/** The bans of keys and addresses, stored so that they outlive a restart. */
export interface Bans {
  /** Until when the address is banned; null when it is not. */
  ofAddress(address: string): Date | null
  ban(caller: Caller, until: Date): Promise<void>
  close(): void
}

export async function openBans(db: Db, keys: KeyDirectory, now: () => Date): Promise<Bans> {
  let addresses = await loadAddressBans(db, now())
  // Without an answer the bans known so far stay in force.
  const reading = setInterval(async () => {
    addresses = await loadAddressBans(db, now()).catch(() => addresses)
  }, readEvery).unref()

  return {
    ofAddress(address) {
      const until = addresses.get(address)
      return until && until > now() ? until : null
    },
    async ban(caller, until) {
      if (caller.kind === 'key') {
        await banApiKey(db, caller.keyId, until)
        keys.forget(caller.keyId)
      } else {
        addresses.set(caller.address, until)
        await banAddress(db, caller.address, until)
      }
    },
    close: () => clearInterval(reading),
  }
}
