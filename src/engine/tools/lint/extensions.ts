import type { Kind } from 'spec-served-document/reading/grammar'
import { stabilities } from 'spec-served-document/reading/notice'

/** A JSON Schema (draft 07). */
export type JsonSchema = Readonly<Record<string, unknown>>

const day = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' }
const text = { type: 'string' }
const map = { type: 'object' }

/** The extensions that the generator understands, each at its place, with what may be written there. */
export const extensions: { readonly [K in Kind]?: Readonly<Record<string, JsonSchema>> } = {
  document: {
    'x-rate-limits': {
      type: 'object',
      required: ['windows', 'plans', 'anonymous', 'ban'],
      description: 'The plans, their windows and quotas, and when a caller is banned.',
    },
    'x-lifetimes': {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['seconds'],
        additionalProperties: false,
        properties: { seconds: { type: 'integer', minimum: 1 } },
      },
      description: 'How long what is promised lasts: idempotentReplies, deprecatedCalls, sunsetWarnings.',
    },
    'x-request-bounds': {
      type: 'object',
      additionalProperties: { type: 'integer', minimum: 1 },
      description:
        'The greatest request that is taken: bodyBytes, and in JSON bodyLevels and bodyValues; urlCharacters.',
    },
  },
  tag: { 'x-parent': { ...text, description: 'The tag under which the docs show this one.' } },
  operation: {
    'x-stability': {
      enum: stabilities,
      description: 'What clients may rely on; stable operations have none.',
    },
    'x-deprecated-at': { ...day, description: 'The day on which the end was announced.' },
    'x-deprecated-sunset': { ...day, description: 'The first day on which the operation is gone.' },
    'x-successor': { ...text, description: 'The operationId of what to use instead.' },
    'x-successor-url': { ...text, description: 'The same call as an address of the successor.' },
    'x-hideTryItPanel': { type: 'boolean', description: 'The docs offer no way to try it.' },
    'x-required-scope': { enum: ['read', 'write', 'admin'], description: 'The scope that a key needs.' },
    'x-mcp': {
      type: 'boolean',
      description: 'Whether agents have it as a tool: they do, unless its reply shows a secret.',
    },
    'x-quota-free': { type: 'boolean', description: 'Calls cost nothing of the quota.' },
    'x-effects': {
      type: 'array',
      items: map,
      description: 'What the request does to records besides what its body says.',
    },
  },
  parameter: {
    'x-mcp-header': {
      type: 'string',
      pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
      description:
        'Clients of agents send the argument as a header field, too, which proxies may read: Mcp-Param-NAME.',
    },
  },
  response: {
    'x-codes': { type: 'array', items: text, description: 'The codes that the error can carry.' },
    'x-further-rule': {
      type: 'boolean',
      description: 'The description says when it comes, which no effect can say.',
    },
  },
  schema: {
    'x-further-rule': {
      type: 'boolean',
      description: 'The description states a rule that no schema can say.',
    },
    'x-open-enum': {
      type: 'boolean',
      description: 'More values may come later: clients take values of replies that they do not know.',
    },
    'x-enum-descriptions': {
      type: 'object',
      additionalProperties: text,
      description: 'When each value comes, and what to do then.',
    },
  },
}
