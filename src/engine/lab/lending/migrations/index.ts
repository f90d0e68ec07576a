import type { Migrations } from 'spec-served'
import * as lending from './0001-lending.ts'

/** Every migration of the project's tables, in order. A released one is never changed; a new one is added below it. */
export const migrations: Migrations = { '0001-lending': lending }
