/**
 * Node's HTTP. An `import` of it would read all that it exports, its client for the web's `fetch` too, which takes some
 * of the time and memory of a start and is not used.
 */
export const { createServer, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http')
