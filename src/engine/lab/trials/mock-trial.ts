import { basename } from 'node:path'
import { canBeMet } from 'spec-served-cli/internal/check/keys'
import { isWritable } from 'spec-served-cli/internal/check/requests'
import { mockValues } from 'spec-served-cli/internal/mock/values'
import { type Endpoint, type Interface, readInterface } from 'spec-served-cli/internal/records/interface'
import { type Model, modelOf, responseFor } from 'spec-served-document/model'
import { DocumentRefused } from 'spec-served-document/reading/fault'
import { readDocument } from 'spec-served-document/reading/read'
import { createSchemas } from 'spec-served-document/values/schemas'
import { checkMock } from '../support/checked-mock.ts'

/** A fault that the check has found. */
interface Told {
  operation: string
  message: string
  evidence: string
}

/** The findings of the check in the mock of a document. */
export interface MockReport {
  operations: number
  requests: number
  faults: readonly Told[]
  /** the faults of replies whose schema no value was found for */
  contradictions: readonly Told[]
  /** the operations that never answered 2xx, by why they did not */
  silent: Readonly<Record<string, readonly string[]>>
  /** what the check left out, and why */
  left: readonly string[]
  /** whether the bounds of time or requests ended the check */
  isCut: boolean
  seconds: number
}

/** Tells the faults of replies for which the document has no value that fits. */
function contradictionsIn(model: Model): (fault: Told) => boolean {
  const values = mockValues(createSchemas(model))
  return ({ operation: id, message }) => {
    const operation = model.operation(id)
    const status = Number(/^\S+ (\d{3}): the body/.exec(message)?.[1])
    const response = operation && responseFor(operation, status)
    const schemas = Object.values(response?.content ?? {}).flatMap(({ schema }) => (schema ? [schema] : []))
    return schemas.some(schema => !values.fitting(schema, []).fits)
  }
}

/** Returns why an operation never answered 2xx, as far as the document tells it. */
function reasonOf(contract: Interface, endpoint: Endpoint, isCut: boolean): string {
  const [type = ''] = endpoint.mediaTypes
  if (endpoint.secured && !canBeMet(contract, endpoint)) return 'it demands two credentials in one place'
  if (endpoint.success === 0) return 'the document has no success'
  if (type !== '' && !isWritable(type)) return 'the check writes no such body'
  if (isCut) return 'cut short'
  const names = [...endpoint.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  if (names.some(name => !contract.makers.has(name))) return 'no operation makes its record'
  return names.length > 0 ? 'no reply names its record' : 'refused'
}

async function tryMock(file: string, folder: string, seconds: number, requests: number): Promise<MockReport> {
  const { document, overlaid } = await readDocument(file, { folder })
  const model = modelOf(document)
  const { faults, sent, isCut, silent, promises } = await checkMock(overlaid, model, { seconds, requests })
  const contract = readInterface(model)
  const reasons = Map.groupBy(
    contract.endpoints.filter(({ id }) => silent.includes(id)),
    endpoint => reasonOf(contract, endpoint, isCut),
  )
  const findings = faults.map(({ operation, message, evidence = '' }) => ({ operation, message, evidence }))
  const isContradiction = contradictionsIn(model)
  const [contradictions = [], others = []] = [true, false].map(is =>
    findings.filter(candidate => isContradiction(candidate) === is),
  )
  return {
    ...{ operations: model.operations.length, requests: sent, isCut },
    silent: Object.fromEntries([...reasons].map(([reason, all]) => [reason, all.map(({ id }) => id)])),
    ...{ faults: others, contradictions },
    left: [...new Set(promises.flatMap(({ why }) => why))],
    seconds: performance.now() / 1_000,
  }
}

process.once('disconnect', () => process.exit())
const [documentFile = '', , documentFolder = '', duration, most] = process.argv.slice(2)
const report = await tryMock(documentFile, documentFolder, Number(duration), Number(most)).catch(
  (error: unknown) => {
    const [fault] = error instanceof DocumentRefused ? error.faults : []
    if (fault) return `refused at ${basename(fault.file).split('__').at(-1)}:${fault.line}: ${fault.message}`
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  },
)
process.send?.(report, () => process.disconnect?.())
