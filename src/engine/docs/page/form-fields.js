/** The fields of forms: each has a name for screen readers, and one for JSON tells what is wrong while it is typed. */
function formFieldsPart({ React, h }) {
  const wrapComponents = {
    /** Swagger UI's field for a body, and for a value that is an object. */
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

  /** Whether the fields below hold JSON. */
  const JsonField = React.createContext(true)

  /** Gives the controls below the name of what they hold; a body's own fields have theirs before. */
  function Named({ name, isJson: isJsonBelow = true, className, children }) {
    const box = React.useRef(null)
    React.useEffect(() => nameControls(box.current, name))
    return h(JsonField.Provider, { value: isJsonBelow }, h('div', { ref: box, className }, children))
  }

  /** Whether a field of a form is sent without a value; Swagger UI's own label names the first such box of the page. */
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

/** Names the controls that have no name but their placeholder; Swagger UI gives them none. */
function nameControls(box, name) {
  for (const control of box.querySelectorAll('input, select, textarea'))
    if (!control.labels?.length && !control.ariaLabel)
      control.ariaLabel = control.closest('.examples-select') ? `Example of ${name}` : name
}

/** What is wrong with a text that should be JSON, in the browser's own words; undefined if nothing is. */
function faultOfJson(text) {
  if (text.trim() === '') return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : error}`
  }
}
