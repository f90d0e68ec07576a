import { type Given, nearest as likeliest, Misuse } from 'spec-served/internal/command/arguments'
import type { Model, OperationModel } from 'spec-served-document/model'
import { partsOf, responseFor } from 'spec-served-document/model'
import { textOf } from 'spec-served-document/reading/nodes'
import type { Reference, Schema } from 'spec-served-document/types'
import { sentenceOf } from '../lint/usual.ts'
import { type NewOperation, pathParameterNames } from './operation.ts'

/** The wish for a new operation. Its neighbours supply the rest. */
export interface Wish
  extends Given<'id' | 'tag' | 'summary' | 'description' | 'reply' | 'body' | 'scope' | 'stability'> {
  method: string
  path: string
  /** whether the reply is a list of `reply`, in pages */
  list?: boolean
  /** whether the record has a strong ETag, which If-Match guards */
  versioned?: boolean
  /** further refusals, as 409=PetInUse */
  refusal?: readonly string[] | undefined
  /** whether the tag may be one that the document does not have yet */
  isNewTag?: boolean
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Plans a new operation. The operations at the nearest paths supply what the options leave out.
 * @throws Misuse if they can't supply it, or if the document has the operation already
 */
export function planOperation(model: Model, wish: Wish): NewOperation {
  const method = wish.method.toUpperCase()
  if (!methods.includes(method))
    throw new Misuse(
      `${wish.method} is no method: take one of ${methods.join(', ')}${likeliest(method, methods)}`,
    )
  const { path } = wish
  refusePath(model, method, path)
  const near = nearest(model, path)
  const reply = replyFor(model, wish, method, near)
  const isArray = isArrayIn(model, reply)
  const isList = method === 'GET' && (wish.list === true || isArray)
  if (wish.list && method !== 'GET') throw new Misuse('--list is for GET')
  if (isList && path.endsWith('}')) throw new Misuse(`${path} names one record: a list has a path of its own`)
  const id = wish.id ?? idFor(method, path, isList)
  const existing = model.operation(id)
  if (existing)
    throw new Misuse(`There is an operation ${id} already (${existing.method} ${existing.path}): give --id`)
  if (!/^[A-Za-z_$][\w$]*$/.test(id)) throw new Misuse(`${id} can’t name a handler: give --id`)
  const summary = wish.summary ?? sentenceOf(id)
  const stability = oneOf('--stability', wish.stability, ['stable', 'beta', 'experimental'])
  return {
    id,
    method,
    path,
    tag: (wish.isNewTag && wish.tag) || tagFor(model, wish.tag, near),
    scope: oneOf('--scope', wish.scope, ['read', 'write', 'admin']) ?? usualScope(model, method, near),
    summary,
    description: wish.description ?? `${summary}.`,
    stability: stability === 'stable' ? undefined : stability,
    isList,
    isVersioned: wish.versioned === true,
    reply: reply && wish.list && !isArray ? { type: 'array', items: reply } : reply,
    body: bodyFor(model, wish.body, method),
    refusals: refusalsFor(model, wish.refusal ?? []),
  }
}

function refusePath(model: Model, method: string, path: string): void {
  if (!/^(\/([\w.~-]+|\{[A-Za-z_]\w*\}))+$/.test(path))
    throw new Misuse(`${path} is no path: write it as /pets/birthdays or /pets/{petId}/toys`)
  const parameters = pathParameterNames(path)
  if (new Set(parameters).size < parameters.length) throw new Misuse(`${path} has a parameter twice`)
  if (/^\/(docs|openapi\.(json|yaml))(\/|$)/.test(path)) throw new Misuse(`${path} belongs to the docs`)
  const shape = (text: string) => text.replace(/\{\w+\}/g, '{}')
  const same = model.operations.filter(candidate => shape(candidate.path) === shape(path))
  const other = same.find(operation => operation.path !== path)
  if (other) throw new Misuse(`${path} is the same path as ${other.path}: write it so`)
  const twin = same.find(operation => operation.method === method)
  if (twin) throw new Misuse(`The document has ${method} ${path} already: ${twin.id}`)
}

/** The operations at the paths that have most of a path's beginning, the nearest first. */
function nearest(model: Model, path: string): OperationModel[] {
  const segments = path.split('/')
  const common = ({ path: other }: OperationModel) => {
    const others = other.split('/')
    const parted = segments.findIndex((segment, index) => segment !== others[index])
    return parted < 0 ? segments.length : parted
  }
  // A path begins with an empty segment, which all have in common.
  return model.operations.filter(other => common(other) > 1).sort((a, b) => common(b) - common(a))
}

function tagFor({ document, operations }: Model, tag: string | undefined, near: OperationModel[]): string {
  const groups = new Set((document.tags ?? []).map(item => item['x-parent']))
  const names = [...(document.tags ?? []), ...operations.flatMap(({ operation }) => operation.tags)]
  const all = new Set(names.map(name => (typeof name === 'string' ? name : name.name)))
  const tagNames = [...all].filter(name => !groups.has(name))
  const chosen = tag ?? near[0]?.operation.tags[0]
  if (chosen !== undefined && tagNames.includes(chosen)) return chosen
  const why = tag === undefined ? `No operation is near, of ${operations.length}` : `There is no tag ${tag}`
  throw new Misuse(`${why}: give --tag with one of ${tagNames.join(', ')}${likeliest(tag ?? '', tagNames)}`)
}

function usualScope({ operations }: Model, method: string, near: OperationModel[]): string | undefined {
  if (operations.every(({ operation }) => textOf(operation, 'x-required-scope') === undefined))
    return undefined
  const isAdmin = near[0] && textOf(near[0].operation, 'x-required-scope') === 'admin'
  return isAdmin ? 'admin' : method === 'GET' ? 'read' : 'write'
}

/** Returns the value of an option that takes one of some words. */
function oneOf(name: string, word: string | undefined, words: readonly string[]): string | undefined {
  if (word === undefined || words.includes(word)) return word
  throw new Misuse(`${name} is one of ${words.join(', ')}${likeliest(word, words)}`)
}

const isArrayIn = (model: Model, schema: Schema | Reference | undefined) =>
  schema !== undefined && partsOf(model, schema).some(part => part.type === 'array')

function schemaNamed(model: Model, option: string, name: string): Reference {
  const schemaNames = Object.keys(model.document.components?.schemas ?? {})
  if (schemaNames.includes(name)) return { $ref: `#/components/schemas/${name}` }
  throw new Misuse(
    `There is no schema ${name}: write it into the document first, or give ${option} with one of ${schemaNames.join(', ')}${likeliest(name, schemaNames)}`,
  )
}

/** Returns the schema of a success: that of `--reply`, or that of the operations at the nearest paths. */
function replyFor(
  model: Model,
  { reply, path, list }: Wish,
  method: string,
  near: OperationModel[],
): Schema | Reference | undefined {
  if (reply !== undefined) return schemaNamed(model, '--reply', reply)
  if (method === 'DELETE') return undefined
  const shownBy = (operation: OperationModel | undefined) =>
    operation && Object.values(responseFor(operation, 200)?.content ?? {})[0]?.schema
  const found =
    method === 'GET' && !path.endsWith('}') && !list
      ? near.map(shownBy).find(schema => isArrayIn(model, schema))
      : shownBy(near.find(other => other.path === path && other.method === 'GET'))
  if (found) return found
  throw new Misuse('Give --reply with the schema of what a success shows')
}

function bodyFor(model: Model, body: string | undefined, method: string): string | undefined {
  if (method === 'GET' || method === 'DELETE') {
    if (body !== undefined) throw new Misuse(`${method} has no body: leave --body out`)
    return undefined
  }
  if (body === undefined) throw new Misuse(`Give --body with the schema of what ${method} is sent`)
  schemaNamed(model, '--body', body)
  return body
}

function refusalsFor({ document }: Model, refusals: readonly string[]): Map<string, string> {
  const responseNames = Object.keys(document.components?.responses ?? {})
  return new Map(
    refusals.map((text): [string, string] => {
      const [, status = '', name = ''] = /^([45]\d\d)=(\w+)$/.exec(text) ?? []
      if (responseNames.includes(name)) return [status, name]
      throw new Misuse(
        `--refusal is a status and its response, as 409=PetInUse; the responses are ${responseNames.join(', ')}${likeliest(name, responseNames)}`,
      )
    }),
  )
}

const pascal = (text: string) =>
  text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, c: string) => c.toUpperCase())
const singular = (text: string) => text.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
const verbs: Record<string, string> = { POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' }

/** A name by method and path: `listBirthdays`, `createToy`, `getToy`. */
function idFor(method: string, path: string, isList: boolean): string {
  const words = path.split('/').filter(Boolean)
  const literals = words.filter(word => !word.startsWith('{'))
  const last = pascal(literals.at(-1) ?? words.at(-1) ?? '')
  if (isList) return `list${last}`
  const isOne = method === 'POST' || path.endsWith('}')
  return `${verbs[method] ?? 'get'}${isOne ? singular(last) : last}`
}
