import { books } from 'spec-served-lab/support/makes/books'
import { desk } from 'spec-served-lab/support/makes/desk'
import { events } from 'spec-served-lab/support/makes/events'
import { loans } from 'spec-served-lab/support/makes/loans'
import type { Make } from 'spec-served-lab/support/makes/make'
import { members } from 'spec-served-lab/support/makes/members'
import { notes } from 'spec-served-lab/support/makes/notes'
import { payments } from 'spec-served-lab/support/makes/payments'
import { hasProgram } from 'spec-served-lab/support/makes/program'
import { rooms } from 'spec-served-lab/support/makes/rooms'
import { seedBank } from 'spec-served-lab/support/makes/seeds'
import { tasks } from 'spec-served-lab/support/makes/tasks'
import { modelFrom } from 'spec-served-lab/support/model'
import { onTestFinished } from 'vitest'
import { callersFrom } from '../../check/auth.ts'
import { openRunning } from '../../check/running.ts'
import { checkContract } from '../../check/service.ts'
import { Enough, type Fault } from '../../check/summary.ts'
import { readInterface } from '../../records/interface.ts'
import { createNotes } from './statements.ts'

const makes: Readonly<Record<string, Make>> = {
  'notes on Hono': notes,
  'books on Express': books,
  'members on Express': members,
  'loans as FastAPI writes them': loans,
  'payments as FastAPI writes them': payments,
  'events on Express': events,
  'a desk on Express': desk,
  'a seed bank on Express': seedBank,
  ...(hasProgram('python3', ['--version']) && { 'tasks as FastAPI writes them, in Python': tasks }),
  ...(hasProgram('go', ['version']) && { 'rooms as huma writes them, in Go': rooms }),
}

/** Those that each machine can run. */
const usual = [notes, books, members, loans, payments, events, desk, seedBank]
/** The statements of the check that have named a fault. */
export const statements = createNotes()

/** Runs the check on a service, right or with a fault, until it tells of that. */
export async function check(make: Make, seed = 1, [fault, told]: [string?, RegExp?] = []) {
  const { document, auth, start } = make
  const model = await modelFrom(document)
  const { url, close } = await start(fault)
  onTestFinished(close)
  const contract = readInterface(model)
  const keys = callersFrom(model, auth, {})
  const world = await openRunning({ contract, url: new URL(url), keys, writes: true, most: 20_000 })
  onTestFinished(() => world.end())
  const open = async () => world
  const textOf = ({ operation, message }: Fault) => `${operation}: ${message}`
  const onFault = (found: Fault) => {
    if (usual.includes(make)) statements.note(found)
    if (told?.test(textOf(found))) throw new Enough()
  }
  const { faults, silent, notes: remarks } = await checkContract({ model, open, seed, onFault })
  return { told: faults.map(textOf), silent, notes: remarks }
}

/** Each service, by the words for it. */
export const all = Object.entries(makes)

/** Each fault of each service, with how the check names it. @param most the most of each service */
export const faultsOf = (most = Infinity) =>
  all.flatMap(([name, make]) =>
    Object.entries(make.faults)
      .slice(0, most)
      .map(([fault, told]): [string, string, Make, RegExp] => [name, fault, make, told]),
  )

/** in ms: the first start of a program compiles it */
export const compiled = 290_000
