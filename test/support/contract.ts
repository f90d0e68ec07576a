import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { readContract } from '../../src/contract.ts'
import type { Contract } from '../../src/engine/contract.ts'
import type { RateLimits } from '../../src/engine/extensions.ts'

/**
 * The project's contract with the plans of its first release: tests count requests by their numbers, and go on to do so
 * whatever the plans of the present document are. Each process reads it once.
 */
export function steadyContract(): Promise<Contract> {
  contract ??= readSteady()
  return contract
}
let contract: Promise<Contract> | undefined

async function readSteady(): Promise<Contract> {
  const contract = await readContract()
  if (!contract.rateLimits) return contract
  const first: { 'x-rate-limits': RateLimits } = parse(await readFile('spec/released/1.0.0.yaml', 'utf8'))
  const plans = { ...contract.rateLimits.plans, ...first['x-rate-limits'].plans }
  return { ...contract, rateLimits: { ...contract.rateLimits, plans } }
}
