import { DocumentRefused, type Fault, faultAt, sortFaults } from './fault.ts'
import { componentKinds, type Field, grammar, isExtension, type Kind } from './grammar.ts'
import { isOfOtherLanguage, matcherOf, readPattern } from './pattern.ts'
import { lookUp, referenceTo } from './pointer.ts'
import { below, isObject, isReference, keyOf, type Located, openReferences } from './references.ts'
import { readSource, type Source } from './source.ts'
import { likest } from './spelling.ts'

/** A document in one piece: every reference leads to a component. */
export interface Bundle {
  /** a tree of its own, by the grammar; fields that it does not know are gone, but for those that begin with `x-` */
  tree: Record<string, unknown>
  /** where each object of the tree is written */
  places: WeakMap<object, Located>
  faults: Fault[]
  /** all that was read, its own first */
  files: readonly string[]
  /** what was passed over, as it says nothing in OpenAPI 3.0 */
  notes: Note[]
}

/** What its author may want to know, and where. */
export interface Note {
  at: Located
  message: string
}

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object']

/** Keywords whose wrong use changes which values are valid; a wrong use of others only tells less. */
const binding = new Set(['type', 'pattern', 'values', 'number', 'count'])

/** How deep, and how many objects in all, may be taken in the place of references that OpenAPI has none of. */
const [inlineDepth, inlineLimit] = [30, 50_000]

/** What most write for a field that must be there. */
const lines: Readonly<Record<string, string>> = {
  openapi: '`openapi: 3.0.3`',
  info: '`info: { title: My service, version: 1.0.0 }`',
  title: '`title: My service`',
  version: '`version: 1.0.0`',
  paths: '`paths: {}`',
  responses: '`responses: { default: { description: Done. } }`',
  content: '`content: { application/json: { schema: { type: object } } }`',
  in: '`in: query`',
  type: '`type: apiKey`',
  url: '`url: /`',
}

/** What an object of a kind is made of: what it must have, else some of what it may have. */
function fieldsOf(kind: Kind): string {
  const { fields, required = Object.keys(fields).slice(0, 3) } = grammar[kind]
  return required.length > 0 ? required.join(', ') : 'its fields'
}

/** What to do about a field that a kind of object does not have. */
function insteadOf(name: string, kind: Kind): string {
  const meant = likest(name, Object.keys(grammar[kind].fields))
  return meant === undefined ? 'leave it out' : `write ${meant}, or leave it out`
}

/** Reads the files that a document refers to, and puts all of it into one tree. */
export async function bundle(root: Source): Promise<Bundle> {
  const files = new Map<string, Source | readonly Fault[]>([[root.file, root]])
  for (;;) {
    const missing = new Set<string>()
    const result = copyDocument(root, files, missing)
    if (missing.size === 0) return result
    for (const file of missing)
      files.set(
        file,
        await readSource(file).catch((error: unknown) => {
          if (error instanceof DocumentRefused) return error.faults
          throw error
        }),
      )
  }
}

/** @param missing is filled with the files that are needed and were not read yet */
function copyDocument(
  root: Source,
  files: ReadonlyMap<string, Source | readonly Fault[]>,
  missing: Set<string>,
): Bundle {
  const inlining = new Set<string>()
  let copied = 0
  const faults: Fault[] = []
  const notes: Note[] = []
  const places = new WeakMap<object, Located>()
  const fault = ({ source, path }: Located, rule: string, message: string) => {
    faults.push(faultAt(source, path, rule, message))
  }
  const note = (at: Located, message: string) => {
    notes.push({ at, message })
  }
  const references = openReferences(root, files, missing, { fault, faults })
  const { follow, componentFor, waiting } = references

  const tree = copyObject('document', root.value, { source: root, path: [] }) ?? {}
  const components = (isObject(tree.components) ? tree.components : {}) as Record<
    string,
    Record<string, unknown>
  > // by the grammar
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { group, name, at } = next
    const value = copyReferable(componentKinds[group], lookUp(at.source.value, at.path), at)
    components[group] = { ...components[group], [name]: value }
  }
  if (Object.keys(components).length > 0) tree.components = components
  return { tree, places, faults: sortFaults(faults), files: [...files.keys()], notes }

  function copyObject(kind: Kind, value: unknown, at: Located): Record<string, unknown> | undefined {
    if (isReference(value) && !grammar[kind].others) {
      note(at, `OpenAPI has no references here (${kind}): what it leads to is taken in its place.`)
      const target = follow(value.$ref, at, below(at, '$ref'))
      return target && inlined(kind, target, at)
    }
    if (!isObject(value)) {
      fault(
        at,
        'structure',
        `An object is needed here (${kind}), and this is ${describe(value)}: write ${fieldsOf(kind)} below it.`,
      )
      return undefined
    }
    if (inlining.size > 0) copied += 1
    const { fields, required = [], others } = grammar[kind]
    const copy: Record<string, unknown> = {}
    places.set(copy, at)
    for (const [name, child] of Object.entries(value)) {
      const place = below(at, name)
      const field = Object.hasOwn(fields, name) ? fields[name] : name.startsWith('x-') ? undefined : others
      if (field) {
        const copied = copyField(field, child, place, required.includes(name))
        if (copied !== undefined) define(copy, name, copied)
      } else if (name.startsWith('x-')) define(copy, name, structuredClone(child))
      else if (name === '$ref')
        fault(place, 'reference', `No reference may stand here: write the ${kind} itself.`)
      else note(place, `${name} says nothing here (${kind}): ${insteadOf(name, kind)}.`)
    }
    for (const name of required)
      if (!Object.hasOwn(value, name) || value[name] === null)
        fault(at, 'structure', `${name} is missing here (${kind}): write ${lines[name] ?? name}.`)
    if (kind === 'discriminator' && isObject(copy.mapping))
      for (const [name, target] of Object.entries(copy.mapping))
        copy.mapping[name] = mapped(String(target), below(at, 'mapping', name))
    return copy
  }

  /** What a discriminator's value maps to: a schema by its name, or by a reference. */
  function mapped(target: string, at: Located): string {
    const isName = Object.hasOwn(lookUp(root.value, ['components', 'schemas']) ?? {}, target)
    const to = isName ? { source: root, path: ['components', 'schemas', target] } : follow(target, at, at)
    const component = to && componentFor('schema', to, at)
    return component ? referenceTo(['components', component.group, component.name]) : target
  }

  /** An object of a kind, or a reference to one. */
  function copyReferable(kind: Kind, value: unknown, at: Located): unknown {
    const { $ref } = isObject(value) ? value : {}
    if (typeof $ref !== 'string') return copyObject(kind, value, at)
    const reported = faults.length
    const target = follow($ref, at, below(at, '$ref'))
    if (!target) {
      // Nothing depends on an example that is not there.
      if (kind === 'example') for (const { message } of faults.splice(reported)) note(at, message)
      return undefined
    }
    if (kind === 'pathItem') return inlined(kind, target, at)
    const component = componentFor(kind, target, below(at, '$ref'))
    if (!component) return undefined
    const copy = { $ref: referenceTo(['components', component.group, component.name]) }
    places.set(copy, at)
    return copy
  }

  /** What no component can hold, a path item above all, is copied into the place of its reference. */
  function inlined(kind: Kind, target: Located, at: Located): Record<string, unknown> | undefined {
    return unlessWithinItself(kind, target, at, value => copyObject(kind, value, target))
  }

  function unlessWithinItself<T>(
    what: string,
    target: Located,
    at: Located,
    copy: (value: unknown) => T,
  ): T | undefined {
    const key = keyOf(target)
    if (inlining.size >= inlineDepth || copied > inlineLimit) {
      // One such fault is enough: where references grow without end there are as many more.
      if (!faults.some(({ rule }) => rule === 'depth'))
        fault(
          at,
          'depth',
          `Too much is to be taken in the place of references here: write the ${what} itself.`,
        )
      return undefined
    }
    if (inlining.has(key)) {
      fault(at, 'cycle', `This ${what} contains itself: leave out one of the references to it.`)
      return undefined
    }
    inlining.add(key)
    const made = copy(lookUp(target.source.value, target.path))
    inlining.delete(key)
    return made
  }

  function copyField(field: Field, value: unknown, at: Located, isRequired: boolean): unknown {
    if ('of' in field) return copyObjects(field, value, at)
    if (isRequired && value === null) return undefined // it is told as missing
    if (field.is === 'data') return structuredClone(value)
    const wrong = (wanted: string, shape: string) => {
      const message = `${wanted} is needed here, and this is ${describe(value)}: write ${shape}, as it is meant.`
      if (isRequired || binding.has(field.is)) fault(at, 'structure', message)
      else note(at, message)
      return undefined
    }
    switch (field.is) {
      case 'text':
        if (typeof value === 'number') return String(value)
        return typeof value === 'string' ? value : wrong('A text', '"…"')
      case 'boolean':
        return typeof value === 'boolean' ? value : wrong('true or false', 'one of them')
      case 'number':
        return typeof value === 'number' && Number.isFinite(value) ? value : wrong('A number', '1.5')
      case 'count':
        return Number.isInteger(value) && Number(value) >= 0 ? value : wrong('A whole number from 0', '10')
      case 'texts':
        return Array.isArray(value) && value.every(item => typeof item === 'string')
          ? [...new Set(value)]
          : wrong('A list of texts', '[a, b]')
      case 'textMap':
        return isObject(value) && Object.values(value).every(item => typeof item === 'string')
          ? { ...value }
          : wrong('A map of texts', '{ a: b }')
      case 'values':
        return Array.isArray(value) && value.length > 0
          ? structuredClone(value)
          : wrong('A list of values', '[a, b]')
      case 'type':
        return types.includes(String(value)) && typeof value === 'string'
          ? value
          : wrong(`One of ${types.join(', ')} (and \`nullable: true\` beside it for null)`, 'type: string')
      case 'pattern':
        if (typeof value !== 'string') return wrong('A text', '"…"')
        if (isOfOtherLanguage(value)) {
          note(at, 'This is no pattern of ECMA-262, but of another language: nothing is held against it.')
          return undefined
        }
        return copyPattern(value, at) ?? wrong('A regular expression of ECMA-262', '^[a-z]+$')
    }
  }

  /** Requests are held against it: there must be a way that takes no longer than the text is long. */
  function copyPattern(value: string, at: Located): string | undefined {
    const pattern = readPattern(value)
    const matcher = pattern === undefined ? undefined : matcherOf(pattern)
    if (matcher && 'fault' in matcher)
      fault(
        at,
        'structure',
        `The pattern ${matcher.fault}, and no way is known to match that in a time that grows no faster than the text: write it without, or leave it out and have the handler check the text.`,
      )
    return pattern
  }

  function copyObjects(field: Extract<Field, { of: Kind }>, value: unknown, at: Located): unknown {
    const one = (child: unknown, place: Located) =>
      field.refs ? copyReferable(field.of, child, place) : copyObject(field.of, child, place)
    if (value === null) {
      note(at, 'Nothing is written here.')
      return undefined
    }
    if (field.orBoolean && typeof value === 'boolean') return value
    if (field.in === undefined) return one(value, at)
    if (field.in === 'list') {
      if (!Array.isArray(value)) {
        fault(
          at,
          'structure',
          `A list is needed here, and this is ${describe(value)}: begin each of its items with a dash.`,
        )
        return undefined
      }
      const items = value.map((child, index) => one(child, below(at, String(index))))
      return items.filter(item => item !== undefined)
    }
    if (!isObject(value)) {
      fault(
        at,
        'structure',
        `A map is needed here, and this is ${describe(value)}: write names, and below each what it stands for.`,
      )
      return undefined
    }
    // A part named $ref is an object; a text can only be meant for a reference to a whole map.
    if (isReference(value)) {
      note(
        at,
        `OpenAPI has no reference here (a map of each ${field.of}): what it leads to is taken in its place.`,
      )
      const target = follow(value.$ref, at, below(at, '$ref'))
      const { $ref, ...others } = value
      const referred = target && unlessWithinItself('map', target, at, map => copyObjects(field, map, target))
      return { ...(isObject(referred) ? referred : {}), ...copyMap(field, others, at) }
    }
    return copyMap(field, value, at)
  }

  function copyMap(
    field: Extract<Field, { of: Kind }>,
    value: Record<string, unknown>,
    at: Located,
  ): Record<string, unknown> {
    const one = (child: unknown, place: Located) =>
      field.refs ? copyReferable(field.of, child, place) : copyObject(field.of, child, place)
    const copy: Record<string, unknown> = {}
    places.set(copy, at)
    for (const [name, child] of Object.entries(value)) {
      if (isExtension(field.of, name)) {
        define(copy, name, structuredClone(child))
        continue
      }
      const copied = one(child, below(at, name))
      if (copied !== undefined) define(copy, name, copied)
    }
    return copy
  }
}

/** Sets a property whatever its name, `__proto__` too. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
