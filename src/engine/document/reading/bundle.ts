import { isObject, lookUp, type Path, pathOf } from '../pointer.ts'
import { likest } from '../spelling.ts'
import { Dialects, isNotable, unreadKeywords } from './dialects.ts'
import { type Located, Report } from './fault.ts'
import {
  binding,
  componentKinds,
  describe,
  type Field,
  fieldOf,
  fieldsOf,
  forms,
  grammar,
  insteadOf,
  isExtension,
  type Kind,
  lines,
  needs,
  shapeMeant,
  truthMeant,
  type Version,
} from './grammar.ts'
import { inOneForm } from './one-form.ts'
import { isOfOtherLanguage, matchable, patternFault } from './patterns.ts'
import { below, isReference, keyOf, type Library, References } from './references.ts'
import type { Scope } from './resources.ts'
import type { Source } from './source.ts'

/** A document in one piece: every reference leads to a component. */
export interface Bundle {
  /** a copy by the grammar, without unknown fields; those that begin with `x-` stay */
  tree: Record<string, unknown>
  /** the place of each object of the tree */
  places: WeakMap<object, Located>
  /** all that was read, its own first */
  files: readonly string[]
  report: Report
}

type Objects = Extract<Field, { of: Kind }>

/**
 * The fields that are not copied as they stand. They replace references, become components when something refers to
 * them, or tell how to read the copied parts.
 */
const takenElsewhere: Partial<Record<Kind, readonly string[]>> = {
  document: ['jsonSchemaDialect'],
  components: ['pathItems', 'mediaTypes'],
  schema: [...['$defs', 'definitions', '$id', '$schema', '$anchor', '$dynamicAnchor']],
}

/** The limits on depth and number of objects that replace references where OpenAPI has none. */
const [inlineDepth, inlineLimit] = [30, 50_000]

/** Reads the files that a document refers to, and puts all of it into one tree. */
export function bundle(root: Source, version: Version, library: Library): Bundle {
  const copying = new Copying(root, version, library)
  const tree = copying.document()
  const { places, report, references } = copying
  return { tree, places, report, files: [...references.files.keys()] }
}

class Copying {
  readonly report = new Report()
  readonly places = new WeakMap<object, Located>()
  readonly references: References
  readonly #root: Source
  readonly #version: Version
  /** the schemas that are being copied in place of references */
  readonly #inlining = new Set<string>()
  #copied = 0
  readonly #dialects: Dialects
  /** the scope of dynamic references */
  #scope: Scope

  constructor(root: Source, version: Version, library: Library) {
    this.#root = root
    this.#version = version
    this.references = new References(root, version, this.report, library)
    this.#scope = this.references.scope
    this.#dialects = new Dialects(root, this.references, this.report)
  }

  document(): Record<string, unknown> {
    const tree = this.#object('document', this.#root.value, { source: this.#root, path: [] }) ?? {}
    const components = (isObject(tree.components) ? tree.components : {}) as Record<
      string,
      Record<string, unknown>
    > // by the grammar
    const { waiting } = this.references
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { group, name, at, scope } = next
      this.#scope = scope
      const value = this.#referable(componentKinds[group], lookUp(at.source.value, at.path), at)
      if (value !== undefined) components[group] = { ...components[group], [name]: value }
    }
    if (Object.keys(components).length > 0) tree.components = components
    return tree
  }

  #object(kind: Kind, value: unknown, origin: Located): Record<string, unknown> | undefined {
    if (grammar[kind].others) return this.#written(kind, value, origin) // `$ref` may be a name there
    return this.#inPlace(kind, value, origin, (node, place) => this.#written(kind, node, place))
  }

  /** An object that is no reference. */
  #written(kind: Kind, value: unknown, origin: Located): Record<string, unknown> | undefined {
    const required = needs(kind, this.#version)
    if (!isObject(value)) {
      const isTuple = Array.isArray(value) && origin.path.at(-1) === 'items' && this.#version !== '3.0'
      const remedy = isTuple ? 'write the list as prefixItems' : `write ${fieldsOf(kind)} below it`
      return this.report.fault(
        origin,
        'structure',
        `An object is needed here (${kind}), and this is ${describe(value)}: ${remedy}.`,
      )
    }
    if (this.#inlining.size > 0) this.#copied += 1
    const copy: Record<string, unknown> = {}
    this.places.set(copy, origin)
    const isOf30 = this.#version === '3.0'
    const isOfNotes = kind === 'schema' && !isOf30 && this.#dialects.hasNotedFormats(origin)
    for (const [written, child] of Object.entries(value)) {
      const place = below(origin, written)
      const name = isOfNotes && isNotable(written, child) ? 'x-format' : written
      const field = fieldOf(kind, name, this.#version)
      if (takenElsewhere[kind]?.includes(name) && !isOf30) continue
      const copied = field ? this.#field(field, child, place, required.includes(name)) : undefined
      if (copied !== undefined) define(copy, name, copied)
      if (field) continue
      if (name.startsWith('x-')) define(copy, name, structuredClone(child))
      else if (name === '$ref')
        this.report.fault(place, 'reference', `No reference may stand here: write the ${kind} itself.`)
      else if (kind === 'schema' && !isOf30 && Object.hasOwn(unreadKeywords, name))
        this.report.fault(place, 'structure', `${name} is not read: ${unreadKeywords[name]}.`)
      else this.report.note(place, insteadOf(name, kind, this.#version))
    }
    for (const name of required)
      if (!Object.hasOwn(value, name) || value[name] === null) this.#missing(name, kind, value, origin)
    if (kind === 'discriminator') this.#mapAll(copy, origin)
    if (kind === 'securityRequirement' && this.#version === '3.2') return this.#byNames(copy, origin)
    if (kind !== 'schema') return copy
    const schema = inOneForm(copy, this.#version, message => this.report.note(origin, message))
    this.places.set(schema, origin)
    return schema
  }

  /** Reports a field that must be there, at what stands in its place. */
  #missing(name: string, kind: Kind, value: object, origin: Located): void {
    const isNull = Object.hasOwn(value, name)
    const others = Object.keys(value).filter(other => !fieldOf(kind, other) && !other.startsWith('x-'))
    const meant = isNull ? undefined : others.find(other => likest(other, [name]) !== undefined)
    const remedy =
      meant === undefined ? `write ${lines[name] ?? name}` : `write ${name} in the place of ${meant}`
    const place = meant === undefined ? origin : below(origin, meant)
    this.report.fault(place, 'structure', `${name} is missing here (${kind}): ${remedy}.`)
  }

  /** A security requirement may name a scheme by its URI; a component of that name comes first (OpenAPI 3.2.0, 4.30). */
  #byNames(requirement: Record<string, unknown>, origin: Located): Record<string, unknown> {
    const schemes = lookUp(this.#root.value, ['components', 'securitySchemes'])
    const named = Object.entries(requirement).flatMap(([name, scopes]) => {
      if ((isObject(schemes) && Object.hasOwn(schemes, name)) || !/[#/.:]/.test(name)) return [[name, scopes]]
      const place = below(origin, name)
      const target = this.references.follow(name, origin, place, 'securityScheme')
      const $ref = target && this.references.to('securityScheme', target, place, this.#scope)
      return $ref === undefined ? [] : [[pathOf($ref.slice(1))?.at(-1), scopes]]
    })
    const copy = Object.fromEntries(named)
    this.places.set(copy, origin)
    return copy
  }

  /** Has the mappings of a discriminator refer to schemas, and leaves out those that lead nowhere. */
  #mapAll(discriminator: Record<string, unknown>, origin: Located): void {
    const { mapping, defaultMapping } = discriminator
    const map = (owner: object, name: string, place: Located) => {
      const mapped = this.#mapped(String(Reflect.get(owner, name)), place)
      if (mapped === undefined) Reflect.deleteProperty(owner, name)
      else Reflect.set(owner, name, mapped)
    }
    if (typeof defaultMapping === 'string')
      map(discriminator, 'defaultMapping', below(origin, 'defaultMapping'))
    if (isObject(mapping))
      for (const name of Object.keys(mapping)) map(mapping, name, below(origin, 'mapping', name))
  }

  /**
   * Returns the target of a discriminator's value: a schema by its name, or by a reference. If there is none, the
   * alternatives decide, as they do for a value that is mapped to nothing.
   */
  #mapped(target: string, origin: Located): string | undefined {
    const reported = this.report.faults.length
    const path = ['components', 'schemas', target]
    const isName = lookUp(this.#root.value, path) !== undefined
    const to = isName
      ? { source: this.#root, path }
      : this.references.follow(target, origin, origin, 'schema')
    if (to) return this.references.to('schema', to, origin, this.#scope)
    this.#noteInstead(reported, origin)
    return undefined
  }

  /** Makes notes of the latest faults, on which nothing depends. */
  #noteInstead(reported: number, origin: Located): void {
    for (const { message } of this.report.faults.splice(reported)) this.report.note(origin, message)
  }

  /** An object of a kind, or a reference to one. */
  #referable(kind: Kind, value: unknown, origin: Located): unknown {
    if (kind === 'schema') return this.#schema(value, origin)
    return isReference(value) && kind !== 'pathItem'
      ? this.#reference(kind, value.$ref, origin)
      : this.#object(kind, value, origin)
  }

  #reference(kind: Kind, reference: string, origin: Located, isDynamic = false): object | undefined {
    const place = below(origin, isDynamic ? '$dynamicRef' : '$ref')
    const reported = this.report.faults.length
    const target = isDynamic
      ? this.references.followDynamic(reference, origin, place, this.#scope)
      : this.references.follow(reference, origin, place, kind)
    if (!target) {
      if (kind === 'example') this.#noteInstead(reported, origin)
      return undefined
    }
    const node = lookUp(target.source.value, target.path)
    if (kind === 'header' && isObject(node) && typeof node.in === 'string') {
      const { name: _, in: __, ...header } = node
      this.report.note(
        origin,
        'This leads to a parameter: the header field is read as the parameter is described.',
      )
      return this.#object('header', header, target)
    }
    const $ref = this.references.to(kind, target, place, this.#scope)
    if ($ref === undefined) return undefined
    const copy = { $ref }
    this.places.set(copy, origin)
    return copy
  }

  #schema(value: unknown, origin: Located): unknown {
    if (typeof value === 'boolean') return this.#object('schema', value ? {} : { not: {} }, origin)
    if (this.#version === '3.0' && isReference(value)) return this.#reference('schema', value.$ref, origin)
    return this.#inScope(origin, () =>
      isReferring(value) && this.#version !== '3.0'
        ? this.#referring(value, origin)
        : this.#object('schema', value, origin),
    )
  }

  /** A schema that refers to others, and may say more beside that (JSON Schema 2020-12 Core, section 8.2.3). */
  #referring(schema: Record<string, unknown>, origin: Located): unknown {
    const { $ref, $dynamicRef, ...siblings } = schema
    const isAlone = Object.keys(siblings).every(name => takenElsewhere.schema?.includes(name))
    const targets = [
      ...(typeof $ref === 'string' ? [this.#reference('schema', $ref, origin)] : []),
      ...(typeof $dynamicRef === 'string' ? [this.#reference('schema', $dynamicRef, origin, true)] : []),
    ]
    if (isAlone && targets.length === 1) return targets[0]
    const copy = this.#object('schema', siblings, origin)
    if (!copy || targets.includes(undefined)) return undefined
    const all = { ...copy, allOf: [...targets, ...(Array.isArray(copy.allOf) ? copy.allOf : [])] }
    this.places.set(all, origin)
    return all
  }

  /** Copies a schema in the scope that it has. */
  #inScope<T>(origin: Located, copy: () => T): T {
    const outer = this.#scope
    this.#scope = this.references.scopeAt(origin, outer)
    const copied = copy()
    this.#scope = outer
    return copied
  }

  /** Copies a value. What no component can hold, a path item above all, is taken in the place of a reference to it. */
  #inPlace<T>(
    what: string,
    value: unknown,
    origin: Located,
    copy: (value: unknown, origin: Located) => T,
  ): T | undefined {
    if (!isReference(value)) return copy(value, origin)
    if (what !== 'pathItem' && (what !== 'mediaType' || this.#version !== '3.2'))
      this.report.note(
        origin,
        `OpenAPI has no reference here (${what}): what it leads to is taken in its place.`,
      )
    const target = this.references.follow(value.$ref, origin, below(origin, '$ref'), what)
    if (!target) return undefined
    if (this.#inlining.size >= inlineDepth || this.#copied > inlineLimit) {
      // One such fault is enough: where references grow without end there are as many more.
      if (this.report.faults.some(({ rule }) => rule === 'depth')) return undefined
      const message = `Too much is to be taken in the place of references here: write the ${what} itself.`
      return this.report.fault(origin, 'depth', message)
    }
    const key = keyOf(target)
    if (this.#inlining.has(key))
      return this.report.fault(
        origin,
        'cycle',
        `This ${what} contains itself: leave out one of the references to it.`,
      )
    this.#inlining.add(key)
    const made = copy(lookUp(target.source.value, target.path), target)
    this.#inlining.delete(key)
    return made
  }

  #field(field: Field, value: unknown, origin: Located, isRequired: boolean): unknown {
    if ('of' in field) return this.#objects(field, value, origin)
    const { is } = field
    if (isRequired && value === null) return undefined // it is told as missing
    if (is === 'text' && typeof value === 'number') return String(value)
    if (is === 'pattern' && typeof value === 'string' && isOfOtherLanguage(value))
      return this.report.note(
        origin,
        'This is no pattern of ECMA-262, but of another language: no value is checked against it.',
      )
    if (is === 'values' && Array.isArray(value) && value.length === 0 && this.#version === '3.0')
      return this.report.note(origin, 'The list is empty, and no value could be one of it: it is left out.')
    const [isRight, wanted] = forms[is]
    if (isRight(value)) {
      if (is === 'pattern')
        return matchable(String(value), text => this.report.fault(origin, 'structure', text))
      return Array.isArray(value) && is === 'texts' ? [...new Set(value)] : structuredClone(value)
    }
    const wrong =
      is === 'pattern'
        ? patternFault(value)
        : origin.path.at(-1) === 'required' && typeof value === 'boolean'
          ? requiredMeant(origin.path)
          : undefined
    const message =
      wrong ?? `${wanted} is needed here, and this is ${describe(value)}: ${shapeMeant(is, value)}.`
    return isRequired || binding.includes(is)
      ? this.report.fault(origin, 'structure', message)
      : this.report.note(origin, message)
  }

  #objects(field: Objects, value: unknown, origin: Located): unknown {
    if (value === null) return this.report.note(origin, 'Nothing is written here.')
    if (field.orBoolean && typeof value === 'boolean') return value
    const truth = field.orBoolean && typeof value === 'string' ? truthMeant(value) : undefined
    if (truth !== undefined) {
      const message = `true, false or an object is needed here, and this is ${describe(value)}: write ${truth}.`
      return this.report.fault(origin, 'structure', message)
    }
    if (field.in === undefined) return this.#one(field, value, origin)
    const isList = field.in === 'list'
    if (isList && Array.isArray(value))
      return value
        .map((child, index) => this.#one(field, child, below(origin, String(index))))
        .filter(item => item !== undefined)
    if (isList || !isObject(value)) {
      const wanted = isList ? 'A list' : 'A map'
      const remedy = isList
        ? 'begin each of its items with a dash'
        : 'write names, and below each what it stands for'
      return this.report.fault(
        origin,
        'structure',
        `${wanted} is needed here, and this is ${describe(value)}: ${remedy}.`,
      )
    }
    if (!isReference(value)) return this.#map(field, value, origin)
    // A part named $ref is an object; a text can only be meant for a reference to a whole map.
    const { $ref, ...others } = value
    const referred = this.#inPlace(`map of each ${field.of}`, { $ref }, origin, (map, place) =>
      this.#objects(field, map, place),
    )
    return { ...(isObject(referred) ? referred : {}), ...this.#map(field, others, origin) }
  }

  #one(field: Objects, value: unknown, origin: Located): unknown {
    return field.refs ? this.#referable(field.of, value, origin) : this.#object(field.of, value, origin)
  }

  #map(field: Objects, value: Record<string, unknown>, origin: Located): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    this.places.set(copy, origin)
    for (const [name, child] of Object.entries(value)) {
      const isOne = !isExtension(field.of, name)
      const copied = isOne ? this.#one(field, child, below(origin, name)) : structuredClone(child)
      if (copied !== undefined) define(copy, name, copied)
    }
    return copy
  }
}

/** Whether a schema refers to another. */
const isReferring = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && [value.$ref, value.$dynamicRef].some(reference => typeof reference === 'string')

/** Sets a property whatever its name, `__proto__` too. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

/** Says where a property is required: the schema around it lists its name. */
function requiredMeant(path: Path): string {
  const name = path.at(-3) === 'properties' ? path.at(-2) : 'name'
  return `required is a list of names of properties: write \`required: [${name}]\` beside \`properties\`, and leave it out here.`
}
