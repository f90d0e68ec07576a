/** @import { ChangeEvent } from 'react' */
/** @import { Parameter, Schema } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { ImmutableMap, ParameterState, Part, SpecSelectors } from '../swagger-ui/types.js' */
import { isSafe } from '../document/security.js'
import { boundsOf, textOf } from '../fields/bounds.js'
import { plain } from '../swagger-ui/tools.js'
import { isIdempotencyKey, randomUuid } from './try-it.js'

/**
 * The rows of parameters: the allowed values, and a field with the reader's value. The document's examples stand in the
 * fields as placeholders. Only parameters that reading needs begin with a value.
 * @param {Tools} tools
 * @returns {Part}
 */
export function parametersPart({ React, h, component }) {
  /** The parameter of the row around a form; null in the forms of bodies and of parts of a value. */
  const RowParameter = React.createContext(/** @type {ImmutableMap<Parameter> | null} */ (null))
  /** Whether a form is for a part of a value. */
  const IsPart = React.createContext(false)

  /** @type {Part['components']} */
  const components = {
    /** Swagger UI warns that it has no field for 64-bit integers and files. A field for text rounds nothing. */
    JsonSchema_string_binary: props => h(component('JsonSchema_string'), props),
    JsonSchema_integer_int64: props => h(component('JsonSchema_string'), props),

    /** A choice. Its first option says what it means to choose none. */
    Select: ({
      allowedValues,
      allowEmptyValue = true,
      className,
      disabled,
      multiple = false,
      value,
      onChange,
    }) => {
      const parameter = React.useContext(RowParameter)
      const none = parameter ? (parameter.get('required') ? 'choose one' : 'any') : 'not sent'
      const chosen = plain(value)
      return h(
        'select',
        {
          className,
          disabled,
          multiple,
          value: multiple ? [chosen ?? []].flat().map(String) : String(chosen ?? ''),
          onChange: (/** @type {ChangeEvent<HTMLSelectElement>} */ event) => {
            const texts = [...event.target.selectedOptions].map(option => option.value)
            onChange(multiple ? texts : (texts[0] ?? ''))
          },
        },
        allowEmptyValue && h('option', { value: '' }, none),
        [...allowedValues].map(allowed =>
          h('option', { key: String(allowed), value: String(allowed) }, String(allowed)),
        ),
      )
    },
  }

  /** @type {(ImmutableMap<Parameter> | undefined)[]} */
  const none = []
  /** The first parameter of each place. Parameters stand together by place: path, query, header. */
  const Firsts = React.createContext(none)

  /** @type {Part['wrapComponents']} */
  const wrapComponents = {
    parameters: Original => props => {
      const groups = Map.groupBy(props.parameters.toArray(), parameter => parameter.get('in'))
      const firsts = [...groups.values()].map(([first]) => first)
      const [path, method] = props.pathMethod
      return h(
        React.Fragment,
        null,
        h(component('Rules'), { path, method }),
        h(Firsts.Provider, { value: firsts }, h(Original, props)),
      )
    },

    parameterRow: Original => props => {
      const { rawParam, param, pathMethod, specSelectors, isExecute, onChange } = props
      const value = specSelectors.parameterWithMetaByIdentity(pathMethod, rawParam)?.get('value')
      React.useEffect(() => {
        if (isExecute && isIdempotencyKey(rawParam) && value === undefined) onChange(rawParam, randomUuid())
      }, [isExecute])
      /** @type {SpecSelectors['parameterWithMetaByIdentity']} */
      const parameterWithMetaByIdentity = (...key) => bare(specSelectors.parameterWithMetaByIdentity(...key))
      const bareSelectors = { ...specSelectors, parameterWithMetaByIdentity }
      const own = beginsFilled(pathMethod[1], rawParam)
        ? { param: param.delete('example') }
        : { param: withoutExamples(param), specSelectors: bareSelectors }
      const place = rawParam.get('in') ?? ''
      return h(
        React.Fragment,
        null,
        React.useContext(Firsts).includes(rawParam) &&
          h(
            'tr',
            { className: 'parameter-place' },
            h('th', { colSpan: 2, scope: 'rowgroup' }, places[place] ?? place),
          ),
        h(RowParameter.Provider, { value: rawParam }, h(Original, { ...props, ...own })),
      )
    },

    JsonSchemaForm: Original => props => {
      const parameter = React.useContext(RowParameter)
      if (React.useContext(IsPart)) return h(Original, props)
      /** @param {object} [more] */
      const form = more => h(IsPart.Provider, { value: true }, h(Original, { ...props, ...more }))
      // In the form of a body Swagger UI gives a field's name as its description.
      const name = parameter?.get('name') ?? props.description
      if (!parameter) return h(component('Named'), { name }, form())
      const schema = props.schema?.toJS() ?? {}
      const example = exampleOf(parameter.toJS(), schema)
      const isShownElsewhere = schema.enum || !(schema.type === 'array' || schema.type === 'object')
      const facts = [
        ...boundsOf(schema),
        schema.default !== undefined && `default ${textOf(schema.default)}`,
        !isShownElsewhere && example !== undefined && `for example ${textOf(example)}`,
      ].filter(Boolean)
      return h(
        component('Named'),
        { name, className: 'parameter-value' },
        facts.length > 0 && h('p', { className: 'bounds' }, facts.join('; ')),
        h(component('Values'), { listed: schema['x-values'] }),
        // Not `required`: a required choice would begin with its first option.
        form({ required: false, description: textOf(example ?? schema.default ?? '') }),
      )
    },
  }

  return { components, wrapComponents }
}

/** @type {Record<string, string>} */
const places = { path: 'In the path', query: 'In the query', header: 'Header fields', cookie: 'Cookies' }

/**
 * @template {Parameter} Kept
 * @param {ImmutableMap<Kept>} parameter
 */
const withoutExamples = parameter =>
  ['example', 'examples', 'x-example'].reduce((rest, name) => rest.delete(name), parameter)

/**
 * A parameter without facts about its values, because Swagger UI would fill its field from them.
 * @param {ImmutableMap<ParameterState> | undefined} parameter
 */
const bare = parameter =>
  parameter &&
  withoutExamples(parameter)
    .delete('default')
    .update('schema', schema => schema?.clear())
    .update('content', content => content?.map(media => media.clear().set('schema', media.clear())))

/**
 * @param {string} method
 * @param {ImmutableMap<Parameter>} parameter
 */
const beginsFilled = (method, parameter) =>
  isSafe(method) && parameter.get('required') && ['query', 'path'].includes(parameter.get('in') ?? '')

/**
 * @param {Parameter} parameter
 * @param {Schema} schema
 */
const exampleOf = ({ example, examples = {} }, schema) =>
  example ?? Object.values(examples)[0]?.value ?? schema.example
