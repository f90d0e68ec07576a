import type { CallToolResult, Tool as Definition } from '@modelcontextprotocol/server'
import type { Tool } from './tools.ts'

/** The tools that agents have. */
export interface Choice {
  /** tags and operations; absent: all */
  names?: readonly string[] | undefined
  /** whether only operations that read are tools */
  readOnly?: boolean | undefined
}

/** Returns the chosen tools. @throws Error with a name that is neither a tag nor an operation */
export function chosenFrom(tools: readonly Tool[], { names, readOnly = false }: Choice): Tool[] {
  const namesOf = ({ definition, operation: { id, operation } }: Tool) => [
    ...[definition.name, id],
    ...(operation.tags ?? []),
  ]
  const known = new Set(tools.flatMap(namesOf))
  const unknown = names?.find(name => !known.has(name))
  if (unknown !== undefined)
    throw new Error(`No tag and no operation is called ${unknown}: choose tools by names of the document.`)
  return tools.filter(
    tool =>
      (!readOnly || tool.definition.annotations?.readOnlyHint === true) &&
      (!names || namesOf(tool).some(name => names.includes(name))),
  )
}

/** The most tools in a list. A caller with more finds them by a search. */
export const mostListed = 128
/** The most tools that a search shows. */
const mostFound = 5

const text = { type: 'string' as const }

/** Finds and describes tools where there are too many for a list. */
export const searchTool = {
  name: 'search_tools',
  title: 'Find tools',
  description: `Finds the tools for a task, and shows the ${mostFound} that fit best with the schemas of their arguments.`,
  inputSchema: {
    type: 'object',
    properties: { query: { ...text, description: 'Words of the task, or the name of a tool.' } },
    required: ['query'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
} satisfies Definition

/** Calls a tool that a search has found. */
export const callTool = {
  name: 'call_tool',
  title: 'Call a tool',
  description: 'Calls a tool that search_tools has found.',
  inputSchema: {
    type: 'object',
    properties: { name: text, arguments: { type: 'object', description: 'As the tool’s schema says.' } },
    required: ['name'],
  },
} satisfies Definition

/** Returns the tools that have most words of a query: in their names first, then in their descriptions. */
export function searched(tools: readonly Tool[], query: unknown): CallToolResult {
  const words =
    `${query}`
      .toLowerCase()
      .slice(0, 1_000)
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const scored = tools.map(({ definition, operation: { operation } }) => {
    const name = `${definition.name} ${definition.title}`.toLowerCase()
    const all = `${definition.description} ${operation.tags?.join(' ')}`.toLowerCase()
    const score = words.map(word => (name.includes(word) ? 3 : 0) + (all.includes(word) ? 1 : 0))
    return {
      definition,
      score: score.reduce((sum, one) => sum + one, name.startsWith(`${query} `.toLowerCase()) ? 100 : 0),
    }
  })
  const best = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  const found = best.slice(0, mostFound).map(({ definition: { name, title, description, inputSchema } }) => ({
    ...{ name, title, description, inputSchema },
  }))
  const content = [
    { type: 'text' as const, text: JSON.stringify({ tools: found, others: best.length - found.length }) },
  ]
  return { content }
}
