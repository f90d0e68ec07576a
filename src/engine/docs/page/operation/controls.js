/** @import { Components } from '../swagger-ui/components.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */

/**
 * The controls of forms. Each has a name for screen readers. A field for JSON shows its faults during typing.
 * @param {Tools} tools
 * @returns {Part}
 */
export function controlsPart({ React, h }) {
  /** @type {Part['wrapComponents']} */
  const wrapComponents = {
    /** Swagger UI's text area for a body, and for a value that is an object. */
    TextArea: Original => props => {
      const id = React.useId()
      const isJsonField = React.useContext(JsonField)
      const fault = isJsonField ? faultOfJson(String(props.value ?? '')) : undefined
      return h(
        React.Fragment,
        null,
        h(Original, {
          ...props,
          spellCheck: false,
          'aria-invalid': Boolean(fault),
          'aria-describedby': fault ? id : undefined,
        }),
        h('p', { id, className: 'field-fault', role: 'status' }, fault),
      )
    },
  }

  /** Whether the fields inside hold JSON. */
  const JsonField = React.createContext(true)

  /**
   * Names the controls inside after their value. The fields of a body already have names.
   * @param {Components['Named']} props
   */
  function Named({ name, isJson: isJsonBelow = true, className, children }) {
    /** @type {{ current: HTMLDivElement | null }} */
    const box = React.useRef(null)
    React.useEffect(() => {
      if (box.current) nameControls(box.current, name)
    })
    return h(JsonField.Provider, { value: isJsonBelow }, h('div', { ref: box, className }, children))
  }

  /**
   * Whether a form sends a field without a value. Swagger UI's own label names the page's first such box.
   * @param {Components['ParameterIncludeEmpty']} props
   */
  function ParameterIncludeEmpty({ isIncluded, isIncludedOptions: begin, isDisabled, onChange }) {
    React.useEffect(() => {
      if (begin?.shouldDispatchInit) onChange(begin.defaultValue)
    }, [])
    return h(
      'label',
      { className: 'parameter__empty_value_toggle' },
      h('input', {
        type: 'checkbox',
        disabled: isDisabled,
        checked: !isDisabled && isIncluded,
        onChange: event => onChange(event.target.checked),
      }),
      'Send empty value',
    )
  }

  return { components: { Named, ParameterIncludeEmpty }, wrapComponents }
}

/**
 * Names the controls that have only a placeholder, because Swagger UI gives them no name.
 * @param {HTMLElement} box
 * @param {string | undefined} name
 */
function nameControls(box, name) {
  /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>} */
  const controls = box.querySelectorAll('input, select, textarea')
  for (const control of controls)
    if (!control.labels?.length && !control.ariaLabel)
      control.ariaLabel = control.closest('.examples-select') ? `Example of ${name}` : (name ?? null)
}

/**
 * Returns the fault of a text that should be JSON, in the browser's words; undefined if it has none.
 * @param {string} text
 */
function faultOfJson(text) {
  if (text.trim() === '') return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : error}`
  }
}
