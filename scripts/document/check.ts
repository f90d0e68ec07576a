import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import {
  createConfig,
  getLineColLocation,
  lint,
  type Oas3Rule,
  type RawUniversalConfig,
} from '@redocly/openapi-core'
import { parseDocument } from 'yaml'
import { bindRules } from './bind-rules.ts'
import { completenessRules } from './completeness-rules.ts'
import { factRules } from './fact-rules.ts'
import type { OpenApi } from './model.ts'

/** What is wrong with a document, and where. Lines and columns count from 1. */
export interface Fault {
  file: string
  line: number
  column: number
  rule: string
  message: string
}

const named = (rules: Record<string, unknown>, group: string) =>
  Object.fromEntries(Object.keys(rules).map(name => [`${group}/${name}`, 'error' as const]))

/** Project rules read the whole document at once; Redocly's walk only supplies it and the places in it. */
const asRedoclyRules: Record<string, Oas3Rule> = Object.fromEntries(
  Object.entries({ ...factRules, ...completenessRules }).map(([name, rule]) => [
    name,
    () => ({
      Root(root: unknown, { report, location }) {
        for (const { at, message } of rule(root as OpenApi)) // the walk begins at an OpenAPI document
          report({ message, location: location.child([...at]).key() })
      },
    }),
  ]),
)

const plugins = [
  { id: 'bind', rules: { oas3: bindRules } },
  { id: 'project', rules: { oas3: asRedoclyRules } },
]

const bindConfig: RawUniversalConfig = {
  plugins,
  rules: {
    struct: 'error',
    'no-unresolved-refs': 'error',
    'operation-operationId': 'error',
    'operation-operationId-unique': 'error',
    'no-identical-paths': 'error',
    'path-parameters-defined': 'error',
    ...named(bindRules, 'bind'),
  },
}

const factConfig: RawUniversalConfig = { plugins, rules: named(factRules, 'project') }

const fullConfig: RawUniversalConfig = {
  plugins,
  extends: ['recommended'],
  rules: { ...named(factRules, 'project'), ...named(completenessRules, 'project') },
}

/**
 * How much is asked of a document: `bind` of any that routes are made from, `facts` of one that this project's facts
 * are generated from, `full` of one that this project publishes (Redocly's recommended rules included).
 */
export type Demand = 'bind' | 'facts' | 'full'

/** Lists what is wrong with a document. Warnings count. */
export async function checkDocument(file: string, demand: Demand): Promise<Fault[]> {
  const unreadable = await syntaxFaults(file)
  if (unreadable.length > 0) return unreadable
  // The project's rules follow references and read operations as such, so what all documents need comes first.
  const unbindable = await lintWith(bindConfig, file)
  if (demand === 'bind' || unbindable.length > 0) return unbindable
  return lintWith(demand === 'facts' ? factConfig : fullConfig, file)
}

async function syntaxFaults(file: string): Promise<Fault[]> {
  const { errors } = parseDocument(await readFile(file, 'utf8'))
  return errors.slice(0, 10).map(({ message, linePos }) => {
    const { line, col } = linePos?.[0] ?? { line: 1, col: 1 }
    return {
      file: relative('.', file),
      line,
      column: col,
      rule: 'yaml',
      message: message.split('\n')[0] ?? '',
    }
  })
}

async function lintWith(rules: RawUniversalConfig, file: string): Promise<Fault[]> {
  const problems = await lint({ ref: file, config: await createConfig(rules) })
  return problems
    .map(({ ruleId, message, location: [first] }) => {
      const start = first ? getLineColLocation(first).start : { line: 1, col: 1 }
      const where = first ? relative('.', first.source.absoluteRef) : file
      return { file: where, line: start.line, column: start.col, rule: ruleId, message }
    })
    .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column)
}

/** One fault a line, in the form that editors and terminals make clickable. */
export function formatFaults(faults: readonly Fault[]): string {
  return faults
    .map(({ file, line, column, rule, message }) => `${file}:${line}:${column} ${rule} ${message}`)
    .join('\n')
}
