/** Requests from the page. It asks before a removal or a change of access, and gives each POST a key of its own. */
function tryItPart({ React, h, ui, field, component }) {
  const components = {
    /** The form is always open, so this button only restores an edited body. */
    TryItOutButton: ({ hasUserEditedBody, onResetClick }) =>
      hasUserEditedBody &&
      h(
        'div',
        { className: 'try-out' },
        h('button', { type: 'button', className: 'btn try-out__btn reset', onClick: onResetClick }, 'Reset'),
      ),
  }

  const wrapComponents = {
    /** The text area for a body begins with the document's example, except where that would change access. */
    RequestBody: Original => props => {
      const [, path, method] = props.specPath.toArray()
      const type = props.contentType || props.requestBody.get('content')?.keySeq().first() || ''
      const changesAccess = changesAccessOrRemoves(method, field(path, method, 'x-required-scope'))
      const fitting = docsBodies()[field(path, method, 'operationId')] ?? {}
      const textFor = one => (changesAccess && isJson(one) ? '{}' : fitting[one])
      const sample = props.fn.getSampleSchema
      const fn = { ...props.fn, getSampleSchema: (...of) => textFor(of[1]) ?? sample(...of) }
      const requestBody = bodyWithoutExamples(props.requestBody, textFor)
      return h(
        component('Named'),
        { name: 'Request body', isJson: isJson(type) },
        h(Original, { ...props, fn, requestBody }),
      )
    },

    execute: Original => props => {
      const { path, method, specActions, onExecute } = props
      const [request, setRequest] = React.useState(null)
      if (!changesAccessOrRemoves(method, field(path, method, 'x-required-scope'))) return h(Original, props)
      const answer = isSent => {
        setRequest(null)
        if (!isSent) return
        onExecute?.()
        specActions.execute(request)
      }
      return h(
        React.Fragment,
        null,
        h(Original, { ...props, onExecute: undefined, specActions: { ...specActions, execute: setRequest } }),
        request && h(Question, { path, method, answer }),
      )
    },
  }

  /** Asks before the page sends a request. Escape means no. */
  function Question({ path, method, answer }) {
    const box = React.useRef(null)
    React.useEffect(() => {
      const opener = document.activeElement
      box.current.showModal()
      box.current.querySelector('button:last-of-type').focus()
      return () => {
        if (opener instanceof HTMLElement) opener.focus()
      }
    }, [])
    const values = ui().specSelectors.parameterValues([path, method])
    const target = path.replace(
      /\{(\w+)\}/g,
      (whole, name) => values.get(`path.${name}`) ?? values.get(name) ?? whole,
    )
    return h(
      'dialog',
      { ref: box, className: 'question', 'aria-labelledby': 'question', onCancel: () => answer(false) },
      h('h4', { id: 'question' }, 'Send this request?'),
      h('p', null, field(path, method, 'summary')),
      h('pre', null, `${method.toUpperCase()} ${target}`),
      h('button', { type: 'button', className: 'btn execute', onClick: () => answer(true) }, 'Send'),
      h('button', { type: 'button', className: 'btn', onClick: () => answer(false) }, 'Don’t send'),
    )
  }

  const statePlugins = {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: original => (_state, path, method) =>
          !field(path, method, 'x-hideTryItPanel') && original(path, method),
      },
      wrapActions: {
        /** One key for one request: the next request has a new one, unless the reader left the field empty. */
        executeRequest: original => async request => {
          const answer = await original(request)
          const { pathName, method } = request
          const pathMethod = [pathName, method]
          for (const parameter of request.operation.get('parameters') ?? []) {
            if (!isIdempotencyKey(parameter)) continue
            const known = ui().specSelectors.parameterWithMetaByIdentity(pathMethod, parameter)
            if (known.get('value'))
              ui().specActions.changeParamByIdentity(pathMethod, parameter, randomUuid())
          }
          return answer
        },
      },
    },
  }
  return { components, wrapComponents, statePlugins }
}

/** Bodies that fit, by operationId and media type, where the document has no example that does. */
const docsBodies = () => /** @type {any} */ (globalThis).servedBodies ?? {}

/** A body without examples where its text area begins with another text. */
const bodyWithoutExamples = (body, textFor) =>
  body.update('content', content =>
    content?.map((media, type) =>
      textFor(type) === undefined ? media : media.delete('examples').delete('example'),
    ),
  )

/** Whether a method only reads (RFC 9110, section 9.2.1). */
const isSafe = method => ['get', 'head', 'options', 'trace'].includes(method)

const changesAccessOrRemoves = (method, scope) =>
  method === 'delete' || (scope === 'admin' && !isSafe(method))

/** Whether a parameter is the field of draft-ietf-httpapi-idempotency-key-header. */
const isIdempotencyKey = parameter =>
  parameter.get('in') === 'header' && parameter.get('name').toLowerCase() === 'idempotency-key'

/** A random UUID (RFC 9562, version 4). `crypto.randomUUID` exists only on pages from https and localhost. */
function randomUuid() {
  const bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte, i) =>
    i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte,
  )
  const hex = bytes.map(byte => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
