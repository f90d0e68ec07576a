/** The chapter on agents: the address of the MCP server, the header field for a key, and configurations of clients. */
function agentsPart({ React, h, contents, component }) {
  function Agents() {
    const [client, choose] = React.useState(agentClients[0])
    const { title, file, write } = client
    const url = `${location.origin}${docsLinks().mcp}`
    const headers = agentHeaders(contents())
    const name = slugOf(contents().document.info.title)
    const head = h(component('Tabs'), {
      label: 'Client',
      tabs: agentClients,
      selected: client.name,
      select: chosen => choose(agentClients.find(({ name }) => name === chosen)),
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

/** The header fields of a document's first security scheme; undefined if it needs none. */
function agentHeaders(found) {
  const [scheme] = Object.values(securitySchemesOf(found))
  if (!scheme) return undefined
  return scheme.in === 'header' ? { [scheme.name]: 'YOUR KEY' } : { Authorization: 'Bearer YOUR TOKEN' }
}

/** Common clients, with the file of each and the form of an entry there. */
const agentClients = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    file: '.mcp.json',
    write: (name, url, headers) => ({ mcpServers: { [name]: { type: 'http', url, headers } } }),
  },
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
