/**
 * Node's `http`, by which a service is served. An `import` of it would load Node's `fetch` and WebSocket as well, which
 * takes longer than Node itself takes to start, and few services use them.
 */
export const { createServer, ServerResponse, STATUS_CODES, validateHeaderValue } =
  process.getBuiltinModule('node:http')
