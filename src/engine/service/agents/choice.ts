import type { Tool as Definition } from '@modelcontextprotocol/server'
import { likest } from 'spec-served-document/spelling'
import { ApiError } from '../errors/api-error.ts'
import type { Tool } from './tools.ts'

/** The tools that agents have. */
export interface Choice {
  /** tags and operations; absent: all */
  names?: readonly string[] | undefined
  /** whether only operations that read are tools */
  readOnly?: boolean | undefined
}

/** Returns the chosen tools. @throws ApiError with a name that is neither a tag nor an operation */
export function chosenFrom(tools: readonly Tool[], { names, readOnly }: Choice): Tool[] {
  const namesOf = ({ definition, operation: { id, operation } }: Tool) =>
    [definition.name, id].concat(operation.tags ?? [])
  const allNames = new Set(tools.flatMap(namesOf))
  const unknown = names?.find(name => !allNames.has(name))
  const meant = unknown === undefined ? undefined : likest(unknown, allNames)
  if (unknown !== undefined)
    throw new ApiError(
      'invalid_request',
      `No tag and no operation is called ${unknown}: choose tools by names of the document.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    )
  const chosen = names ? tools.filter(tool => namesOf(tool).some(name => names.includes(name))) : [...tools]
  return readOnly ? chosen.filter(({ definition }) => definition.annotations?.readOnlyHint) : chosen
}

/** The most tools in a list. A caller with more finds them by a search. */
export const mostListed = 128
/** The most tools that a search shows. */
const mostFound = 5

/** Finds and describes tools where there are too many for a list. */
export const searchTool = {
  ...{ name: 'search_tools', title: 'Find tools' },
  description: `Finds the tools for a task, and shows the ${mostFound} that fit best with the schemas of their arguments.`,
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'Words of the task, or the name of a tool.' } },
    required: ['query'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
} satisfies Definition

/** Calls a tool that a search has found. */
export const callTool = {
  ...{ name: 'call_tool', title: 'Call a tool', description: 'Calls a tool that search_tools has found.' },
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      arguments: { type: 'object', description: 'As the tool’s schema says.' },
    },
    required: ['name'],
  },
} satisfies Definition

/** Returns the tools that have most words of a query: in their names first, then in their descriptions. */
export function searched(tools: readonly Tool[], query: unknown) {
  const asked = `${query}`.toLowerCase().slice(0, 1_000)
  const words = asked.match(/[\p{L}\p{N}]+/gu) ?? []
  const scored = tools.map(({ definition: { name, title, description, inputSchema }, operation }) => {
    const names = `${name} ${title}`.toLowerCase()
    const all = `${description} ${operation.operation.tags?.join(' ')}`.toLowerCase()
    const scores = words.map(word => (names.includes(word) ? 3 : 0) + (all.includes(word) ? 1 : 0))
    const score = scores.reduce((sum, part) => sum + part, names.startsWith(`${asked} `) ? 100 : 0)
    return { found: { name, title, description, inputSchema }, score }
  })
  const best = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  const found = best.slice(0, mostFound).map(choice => choice.found)
  return { tools: found, others: best.length - found.length }
}
