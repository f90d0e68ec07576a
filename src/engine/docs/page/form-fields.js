/** The fields of forms. Each has a name for screen readers. A field for JSON shows its faults during typing. */
function formFieldsPart({ React, h }) {
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

  /** Names the controls inside after their value. The fields of a body already have names. */
  function Named({ name, isJson: isJsonBelow = true, className, children }) {
    const box = React.useRef(null)
    React.useEffect(() => nameControls(box.current, name))
    return h(JsonField.Provider, { value: isJsonBelow }, h('div', { ref: box, className }, children))
  }

  /** Whether a form sends a field without a value. Swagger UI's own label names the page's first such box. */
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

/** Names the controls that have only a placeholder, because Swagger UI gives them no name. */
function nameControls(box, name) {
  for (const control of box.querySelectorAll('input, select, textarea'))
    if (!control.labels?.length && !control.ariaLabel)
      control.ariaLabel = control.closest('.examples-select') ? `Example of ${name}` : name
}

/** Returns the fault of a text that should be JSON, in the browser's words; undefined if it has none. */
function faultOfJson(text) {
  if (text.trim() === '') return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : error}`
  }
}
