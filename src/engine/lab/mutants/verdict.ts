import { loadService } from 'spec-served/internal/command/project'
import { judge as judgeForClients } from 'spec-served-cli/internal/changes/judge'
import { databaseFaults } from 'spec-served-cli/internal/check/database'
import { emptyDatabase } from 'spec-served-cli/internal/check/empty-database'
import { beforeSunsets, checkContract, type InterfacePart } from 'spec-served-cli/internal/check/service'
import { type Built, builtBy, openStarted, type Setting } from 'spec-served-cli/internal/check/world'
import { contractOf } from 'spec-served-cli/internal/generate/contract'
import { generate } from 'spec-served-cli/internal/generate/emit'
import { rulesFor } from 'spec-served-cli/internal/lint/lint'
import { type Model, modelOf } from 'spec-served-document/model'
import { DocumentRefused } from 'spec-served-document/reading/fault'
import { type ReadDocument, readValue } from 'spec-served-document/reading/read'
import type { OpenApi } from 'spec-served-document/types'
import type { Mutant } from './changes.ts'
import { createTypeCheck } from './type-check.ts'

/**
 * The outcome of a mutant. `derived`: the regenerated service follows the changed document, and differs from before.
 * `caught`: the check fails. `kept`: the promise about replies is stricter, and all replies keep it as they are: no
 * client can tell. `survived`: neither.
 */
export interface Verdict {
  outcome: 'derived' | 'caught' | 'kept' | 'survived'
  /** the part of the check that told, and what it said */
  by: string
  detail: string
}

export interface Judge {
  judge(mutant: Mutant): Promise<Verdict>
  close(): Promise<void>
}

/** Examples tell by themselves when they no longer fit; here the behaviour is to tell. */
const rules = Object.entries(rulesFor.full).filter(([name]) => name !== 'examples')

/** Prepares to judge mutants of a document. */
export async function openJudge(original: ReadDocument): Promise<Judge> {
  const base = modelOf(original.document)
  const loaded = await loadService()
  const { db, close } = await emptyDatabase(loaded)
  const typeError = createTypeCheck()
  const serviceOf = (model: Model) => builtBy(loaded, contractOf(JSON.stringify(model.document), model))
  const day = new Date().toISOString().slice(0, 10)

  /** The first fault of a service against a document, if there is one. */
  async function faultOf(service: Built, model: Model, only?: InterfacePart): Promise<string | undefined> {
    const now = beforeSunsets(model, new Date())
    const open = (setting: Setting) => openStarted(service, db, now, setting)
    try {
      const [fault] = (await checkContract({ model, open, seed: 1, only, untilFault: true })).faults
      return fault && `${fault.operation}: ${fault.message}`
    } catch (error) {
      return `the service fails: ${error}`
    }
  }

  async function outcomeOf(changed: OpenApi): Promise<Verdict> {
    const caught = (by: string, detail: string): Verdict => ({ outcome: 'caught', by, detail })
    const derived = (detail: string): Verdict => ({ outcome: 'derived', by: 'service', detail })
    let read: ReadDocument
    try {
      read = await readValue(changed, 'a mutant')
    } catch (error) {
      if (error instanceof DocumentRefused) return caught('rules of the document', error.message)
      throw error
    }
    const model = modelOf(read.document)
    for (const [name, rule] of rules)
      for (const { message } of rule(model)) return caught('rules of the document', `${name}: ${message}`)
    const [difference] = await databaseFaults(db, model, loaded.shownTables)
    if (difference !== undefined) return caught('database', difference)
    const typeFault = typeError(await generate(model.document, 'a mutant', 'none'))
    if (typeFault !== undefined) return caught('types', typeFault)

    const service = serviceOf(model)
    const part = affectedPart(base, model)
    const unkept = await faultOf(service, model, part)
    if (unkept !== undefined) return caught('service', unkept)

    const before = await faultOf(service, base, { ...affectedPart(model, base), seen: model })
    if (before !== undefined) return derived(`against the document as it was, ${before}`)
    const after = await faultOf(serviceOf(base), model, part)
    if (after !== undefined) return derived(`the service as it was: ${after}`)

    const findings = judgeForClients(original, read, day).filter(({ rule }) => !rule.startsWith('version-'))
    const breaking = findings.find(({ severity }) => severity === 'breaking')
    if (breaking) return caught('compatibility', `${breaking.rule}: ${breaking.what}`)
    const [finding] = findings
    const explanation = finding
      ? `${finding.rule}: ${finding.what}; ${finding.why}`
      : 'nothing tells it from the original'
    const isStricter = finding !== undefined && findings.every(({ severity }) => severity === 'info')
    if (!isStricter) return { outcome: 'survived', by: 'service', detail: explanation }
    // The rest of the interface may show what this part does not.
    const unkeptElsewhere = await faultOf(service, model)
    return unkeptElsewhere === undefined
      ? { outcome: 'kept', by: 'service', detail: explanation }
      : caught('service', unkeptElsewhere)
  }

  return { judge: mutant => outcomeOf(mutant.apply()), close }
}

/** The part of the interface in which two documents differ. */
function affectedPart(before: Model, after: Model): InterfacePart {
  const differ = (partOf: (model: Model) => unknown) =>
    text(before, partOf(before)) !== text(after, partOf(after))
  // Lengths of time are those of what some operations do, and which ones no document says.
  const isEverywhere = differ(({ document }) => [
    document.security,
    document.components?.securitySchemes,
    document['x-lifetimes'],
  ])
  const affected = after.operations.filter(
    ({ id }) =>
      isEverywhere ||
      differ(model => {
        const { path, method, operation } = model.operation(id) ?? {}
        return [path, method, operation]
      }),
  )
  return {
    operations: new Set(affected.map(({ id }) => id)),
    limits: isEverywhere || differ(({ document }) => document['x-rate-limits']),
    seen: before,
  }
}

/** A part of a document as text, with what it refers to in place. */
function text(model: Model, node: unknown, within: readonly unknown[] = []): string {
  if (Array.isArray(node)) return `[${node.map(child => text(model, child, within)).join()}]`
  if (typeof node !== 'object' || node === null) return JSON.stringify(node) ?? ''
  const resolved = model.resolve(node)
  if (within.includes(resolved)) return `↑${within.indexOf(resolved)}`
  return `{${Object.entries(resolved)
    .map(([key, child]) => `${key}:${text(model, child, [...within, resolved])}`)
    .join()}}`
}
