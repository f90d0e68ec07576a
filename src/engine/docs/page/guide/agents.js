/** @import { Contents } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { docsLinks } from '../basics/addresses.js'
import { slugOf } from '../basics/words.js'
import { securitySchemesOf } from '../document/security.js'

/**
 * The chapter on agents: the address of the MCP server, the header field for a key, and configurations of clients.
 * @param {Tools} tools
 * @returns {Part}
 */
export function agentsPart({ React, h, contents, component }) {
  function Agents() {
    const [client, choose] = React.useState(claudeCode)
    const { title, file, write } = client
    const url = `${location.origin}${docsLinks().mcp}`
    const headers = agentHeaders(contents())
    const name = slugOf(contents().document.info?.title ?? '')
    const head = h(component('Tabs'), {
      label: 'Client',
      tabs: agentClients,
      selected: client.name,
      select: chosen => choose(agentClients.find(candidate => candidate.name === chosen) ?? claudeCode),
    })
    return h(
      'div',
      null,
      h(
        'p',
        null,
        'Agents call the operations as tools of an MCP server (Streamable HTTP) at ',
        h('code', null, url),
        '. An agent has the tools that its key allows, with the same limits, rules and errors as any client.',
      ),
      h('p', null, 'Put this into ', h('code', null, file), headers && ', with your key:'),
      h(component('Code'), {
        text: JSON.stringify(write(name, url, headers), null, 2),
        label: `Configuration for ${title}`,
        head,
      }),
    )
  }

  return { components: { Agents } }
}

/**
 * The header fields of a document's first security scheme; undefined if it needs none.
 * @param {Contents} found
 * @returns {Record<string, string> | undefined}
 */
function agentHeaders(found) {
  const [scheme] = Object.values(securitySchemesOf(found))
  if (!scheme) return undefined
  return scheme.in === 'header' && scheme.name
    ? { [scheme.name]: 'YOUR KEY' }
    : { Authorization: 'Bearer YOUR TOKEN' }
}

/**
 * A client, with its file and the form of an entry there.
 * @typedef {object} AgentClient
 * @property {string} name
 * @property {string} title
 * @property {string} file
 * @property {(name: string, url: string, headers: Record<string, string> | undefined) => object} write
 */

/** @type {AgentClient} */
const claudeCode = {
  name: 'claude-code',
  title: 'Claude Code',
  file: '.mcp.json',
  write: (name, url, headers) => ({ mcpServers: { [name]: { type: 'http', url, headers } } }),
}

/** @type {AgentClient[]} */
const agentClients = [
  claudeCode,
  {
    name: 'cursor',
    title: 'Cursor',
    file: '.cursor/mcp.json',
    write: (name, url, headers) => ({ mcpServers: { [name]: { url, headers } } }),
  },
  {
    name: 'vs-code',
    title: 'VS Code',
    file: '.vscode/mcp.json',
    write: (name, url, headers) => ({ servers: { [name]: { type: 'http', url, headers } } }),
  },
]
