/**
 * The rows of parameters: the allowed values, and a field with the reader's value. The document's examples stand in the
 * fields as placeholders. Only parameters that reading needs begin with a value.
 */
function parametersPart({ React, h, ui, plain, component }) {
  /** The parameter of the row around a form; null in the forms of bodies and of parts of a value. */
  const Parameter = React.createContext(null)
  /** Whether a form is for a part of a value. */
  const IsPart = React.createContext(false)

  const components = {
    /** Swagger UI warns that it has no field for 64-bit integers and files. A field for text rounds nothing. */
    JsonSchema_string_binary: props => h(ui().getComponent('JsonSchema_string'), props),
    JsonSchema_integer_int64: props => h(ui().getComponent('JsonSchema_string'), props),
  }

  /** The first parameter of each place. Parameters stand together by place: path, query, header. */
  const Firsts = React.createContext([])

  const wrapComponents = {
    parameters: Original => props => {
      const groups = Map.groupBy(props.parameters.toArray(), parameter => parameter.get('in'))
      const firsts = [...groups.values()].map(([first]) => first)
      return h(Firsts.Provider, { value: firsts }, h(Original, props))
    },

    parameterRow: Original => props => {
      const { rawParam, param, pathMethod, specSelectors, isExecute, onChange } = props
      const value = specSelectors.parameterWithMetaByIdentity(pathMethod, rawParam)?.get('value')
      React.useEffect(() => {
        if (isExecute && isIdempotencyKey(rawParam) && value === undefined) onChange(rawParam, randomUuid())
      }, [isExecute])
      const bareSelectors = {
        ...specSelectors,
        parameterWithMetaByIdentity: (...of) => bare(specSelectors.parameterWithMetaByIdentity(...of)),
      }
      const own = beginsFilled(pathMethod[1], rawParam)
        ? { param: param.delete('example') }
        : { param: withoutExamples(param), specSelectors: bareSelectors }
      const place = rawParam.get('in')
      return h(
        React.Fragment,
        null,
        React.useContext(Firsts).includes(rawParam) &&
          h(
            'tr',
            { className: 'parameter-place' },
            h('th', { colSpan: 2, scope: 'rowgroup' }, places[place] ?? place),
          ),
        h(Parameter.Provider, { value: rawParam }, h(Original, { ...props, ...own })),
      )
    },

    JsonSchemaForm: Original => props => {
      const parameter = React.useContext(Parameter)
      if (React.useContext(IsPart)) return h(Original, props)
      const form = more => h(IsPart.Provider, { value: true }, h(Original, { ...props, ...more }))
      // In the form of a body Swagger UI gives a field's name as its description.
      const name = parameter?.get('name') ?? props.description
      if (!parameter) return h(component('Named'), { name }, form())
      const schema = plain(props.schema) ?? {}
      const example = exampleOf(plain(parameter), schema)
      const isShownElsewhere = schema.enum || !['array', 'object'].includes(schema.type)
      const told = [
        ...boundsOf(schema),
        schema.default !== undefined && `default ${textOf(schema.default)}`,
        !isShownElsewhere && example !== undefined && `for example ${textOf(example)}`,
      ].filter(Boolean)
      return h(
        component('Named'),
        { name, className: 'parameter-value' },
        told.length > 0 && h('p', { className: 'bounds' }, told.join('; ')),
        h(component('Values'), { listed: schema['x-values'] }),
        // Not `required`: a required choice would begin with its first option.
        form({ required: false, description: textOf(example ?? schema.default ?? '') }),
      )
    },
  }

  return { components, wrapComponents }
}

const places = { path: 'In the path', query: 'In the query', header: 'Header fields', cookie: 'Cookies' }

const withoutExamples = parameter =>
  ['example', 'examples', 'x-example'].reduce((rest, name) => rest.delete(name), parameter)

/** A parameter without facts about its values, because Swagger UI would fill its field from them. */
const bare = parameter =>
  withoutExamples(parameter)
    .delete('default')
    .update('schema', schema => schema?.clear())
    .update('content', content => content?.map(media => media.clear().set('schema', media.clear())))

const beginsFilled = (method, parameter) =>
  isSafe(method) && parameter.get('required') && ['query', 'path'].includes(parameter.get('in'))

const exampleOf = ({ example, examples = {} }, schema) =>
  example ?? Object.values(examples)[0]?.value ?? schema.example

const textOf = value =>
  Array.isArray(value)
    ? value.map(textOf).join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

/**
 * Returns a schema's bounds on a value in words, a text for each. The largest number of a kind is told with the kind:
 * it says nothing about an identifier.
 */
function boundsOf(schema, isWhole = false) {
  const isAnyOfKind = !isWhole && largest.has(schema.maximum)
  const minimum = isAnyOfKind && schema.minimum <= 1 ? undefined : schema.minimum
  const maximum = isAnyOfKind ? undefined : schema.maximum
  const { exclusiveMinimum, exclusiveMaximum, items } = schema
  const above = typeof exclusiveMinimum === 'number' ? exclusiveMinimum : exclusiveMinimum && minimum
  const below = typeof exclusiveMaximum === 'number' ? exclusiveMaximum : exclusiveMaximum && maximum
  const isAbove = typeof above === 'number'
  const isBelow = typeof below === 'number'
  const ofItems = items && boundsOf(items)
  return [
    schema.const !== undefined && `always ${textOf(schema.const)}`,
    schema.enum && `one of ${schema.enum.map(textOf).join(', ')}`,
    range(isAbove ? undefined : minimum, isBelow ? undefined : maximum, ''),
    isAbove && `more than ${textOf(above)}`,
    isBelow && `less than ${textOf(below)}`,
    schema.multipleOf && `a multiple of ${schema.multipleOf}`,
    range(schema.minLength, schema.maxLength, 'character'),
    schema.pattern && (schema.pattern === '\\S' ? 'not blank' : `of the form ${schema.pattern}`),
    range(schema.minItems, schema.maxItems, 'item'),
    schema.uniqueItems && 'each item once',
    ofItems?.length && `each ${ofItems.join(', ')}`,
  ].filter(Boolean)
}

/** The largest integers of 32, 53 and 64 bits. */
const largest = new Set([2 ** 31 - 1, 2 ** 53 - 1, 2 ** 63])

/** Returns both bounds in words, or the only one; undefined without any. */
function range(least, most, noun) {
  const told = number => (noun ? count(number, noun) : numeral(number))
  if (least !== undefined && least === most) return told(least)
  if (least !== undefined && most !== undefined) return `${numeral(least)} to ${told(most)}`
  if (least !== undefined) return `at least ${told(least)}`
  return most === undefined ? undefined : `at most ${told(most)}`
}
