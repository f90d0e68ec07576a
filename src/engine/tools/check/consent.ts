import { createInterface } from 'node:readline/promises'
import { Misuse } from 'spec-served/internal/command/arguments'
import { visibleText } from 'spec-served-document/visible-text'
import type { Endpoint } from '../records/interface.ts'
import { isSafe } from './sending.ts'

/** The changes that the check will make to a service's data, in lines; none where it only reads. */
export function announcedWrites(endpoints: readonly Endpoint[]): string[] {
  const idsOf = (isOne: (endpoint: Endpoint) => boolean) => endpoints.filter(isOne).map(({ id }) => id)
  const groups = {
    'creates records': idsOf(({ makes }) => makes !== undefined),
    'calls without knowing what they do': idsOf(
      ({ method, makes }) => !isSafe(method) && !/^(PUT|PATCH|DELETE)$/.test(method) && makes === undefined,
    ),
    'changes records that it has made': idsOf(({ method }) => /^(PUT|PATCH)$/.test(method)),
    'removes records that it has made': idsOf(({ method }) => method === 'DELETE'),
  }
  return Object.entries(groups).flatMap(([what, ids]) =>
    ids.length > 0 ? [`  ${what}: ${ids.join(', ')}`] : [],
  )
}

/**
 * Says what the check will write, and asks a person on a terminal.
 * @returns whether it may
 * @throws Misuse where nobody can be asked
 */
export async function mayWrite(
  place: string,
  writes: readonly string[],
  isAgreed: boolean,
): Promise<boolean> {
  console.error(
    visibleText(
      `The check writes to ${place}, and leaves behind what it does not remove:\n${writes.join('\n')}`,
    ),
  )
  if (isAgreed) return true
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Misuse('Nothing was sent: --yes lets the check write, --read-only keeps it from that')
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await asking.question('Go on? [y/N] ')).trim())
  } finally {
    asking.close()
  }
}
