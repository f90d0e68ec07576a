/** Access: the provider of credentials, the field to paste one into, and the rights of the given one. */
function accessPart({ React, h, ui, contents, Markdown }) {
  /** Ways of authentication, and a field for each credential that is one text. */
  function Access() {
    const schemes = Object.entries(securitySchemesOf(contents()))
    return h(
      'div',
      { className: 'access' },
      schemes.map(([name, scheme]) =>
        h(
          'section',
          { key: name, className: 'access-scheme', 'aria-labelledby': slugOf(`access ${name}`) },
          h('h3', { id: slugOf(`access ${name}`) }, schemes.length > 1 ? name : 'Your key'),
          h('p', null, whereOf(scheme)),
          scheme.description && h(Markdown, { source: scheme.description }),
          h(Given, { name, scheme }),
        ),
      ),
    )
  }

  /** The fields for an operation's credentials, shown where a reply says that they are missing. */
  function KeyFields({ operation }) {
    const schemes = securitySchemesOf(contents())
    const asked = operation.operation.security ?? contents().document.security ?? []
    const names = [...new Set(asked.flatMap(requirement => Object.keys(requirement)))]
    return names
      .filter(name => schemes[name])
      .map(name =>
        h(Given, { key: name, name, scheme: schemes[name], label: 'Your key; it stays in this tab' }),
      )
  }

  /** The given credential, or the way to give one. */
  function Given({ name, scheme, label = 'Paste it here; it stays in this tab' }) {
    const isGiven = Boolean(ui().authSelectors.authorized()?.get(name))
    const [value, setValue] = React.useState('')
    const id = React.useId()
    const isText = scheme.type === 'apiKey' || (scheme.type === 'http' && /^bearer$/i.test(scheme.scheme))
    if (isGiven)
      return h(
        'div',
        { className: 'given' },
        h(KeyState),
        h(
          'button',
          {
            type: 'button',
            className: 'btn',
            onClick: () => ui().authActions.logoutWithPersistOption([name]),
          },
          'Forget it',
        ),
      )
    if (!isText)
      return h(
        'button',
        {
          type: 'button',
          className: 'btn',
          onClick: () => ui().authActions.showDefinitions(ui().authSelectors.definitionsToAuthorize()),
        },
        'Authorize',
      )
    const onSubmit = event => {
      event.preventDefault()
      const schema = ui().specSelectors.securityDefinitions().get(name)
      ui().authActions.authorizeWithPersistOption({ [name]: { name, schema, value: value.trim() } })
      setValue('')
    }
    return h(
      'form',
      { className: 'paste', onSubmit },
      h('label', { htmlFor: id }, label),
      h('input', {
        id,
        type: 'password',
        autoComplete: 'off',
        spellCheck: false,
        required: true,
        value,
        onChange: event => setValue(event.target.value),
      }),
      h('button', { type: 'submit', className: 'btn execute' }, 'Use it'),
    )
  }

  /** The service's answer about the credential: its rights and remaining quota, or why it is refused. */
  function KeyState() {
    const state = ui().keySelectors.state()
    if (!state.asked)
      return h('p', { className: 'key-state' }, 'The key is sent with each request from this page.')
    if (state.status === undefined)
      return h('p', { className: 'key-state', role: 'status' }, 'Asking what it may do…')
    const { status, body = {}, retryAfter } = state
    if (status >= 400 || status === 0) {
      const isKnown = codesIn(contents()).some(({ code }) => code === body.code)
      return h(
        'p',
        { className: 'key-state refused', role: 'status' },
        status === 0 ? 'The service does not answer. ' : 'The key is refused: ',
        typeof body.message === 'string' && body.message,
        ' ',
        isKnown && h('a', { href: `#errors/${body.code}` }, 'What to do'),
        retryAfter && ` Try again in ${duration(Number(retryAfter))}.`,
      )
    }
    return h(
      'div',
      { className: 'key-state', role: 'status' },
      h(
        'dl',
        null,
        Object.entries(body).flatMap(([name, value]) => told(name, value)),
      ),
    )
  }

  /** A line for each text or list of texts, and for each window of a quota. */
  const told = (name, value) => {
    const line = (label, text) => h('div', { key: label }, h('dt', null, label), h('dd', null, text))
    const isText =
      typeof value === 'string' || (Array.isArray(value) && value.every(one => typeof one === 'string'))
    if (isText && value.length > 0) return [line(labelOf(name), [value].flat().join(', '))]
    if (!Array.isArray(value)) return []
    return value
      .filter(window => typeof window?.limit === 'number' && typeof window.remaining === 'number')
      .map(({ name: of, limit, remaining, reset }) => {
        const seconds = Math.ceil(reset - Date.now() / 1000)
        const soon = seconds > 0 ? `, all again in ${duration(seconds)}` : ''
        return line(`Left this ${of}`, `${numeral(remaining)} of ${numeral(limit)}${soon}`)
      })
  }

  /** Calls the operation that describes its caller, if the document has one. It costs no quota. */
  const ask = async () => {
    const operation = contents().operations.find(tellsOfCaller)
    const authorized = ui().authSelectors.authorized()?.toJS?.() ?? {}
    if (!operation || Object.keys(authorized).length === 0) return ui().keyActions.tell({ asked: false })
    ui().keyActions.tell({ asked: true, status: undefined })
    const { url, headers } = sampleRequest(operation, contents(), ui, authorized)
    try {
      const reply = await fetch(url, { headers: Object.fromEntries(headers) })
      const body = parsed(await reply.text())
      return ui().keyActions.tell({
        asked: true,
        status: reply.status,
        body,
        retryAfter: reply.headers.get('retry-after'),
      })
    } catch {
      return ui().keyActions.tell({ asked: true, status: 0 })
    }
  }

  const tellsOfCaller = ({ method, parameters, operation }) => {
    const secured = operation.security ?? contents().document.security ?? []
    return (
      method === 'get' &&
      Boolean(operation['x-quota-free']) &&
      secured.some(requirement => Object.keys(requirement).length > 0) &&
      !parameters.some(({ required }) => required)
    )
  }

  const thenAsk = original => payload => {
    const answer = original(payload)
    ask()
    return answer
  }
  const statePlugins = {
    auth: { wrapActions: { authorize: thenAsk, logout: thenAsk, restoreAuthorization: thenAsk } },
    key: {
      actions: { tell: state => ({ type: 'key_tell', payload: state }) },
      reducers: { key_tell: (state, { payload }) => state.set('told', payload) },
      selectors: { state: state => state.get('told') ?? { asked: false } },
    },
  }
  return { components: { Access, KeyFields, KeyState }, statePlugins }
}

/** Tells in which part of a request a credential is sent. */
function whereOf({ type, name, in: place, scheme = '' }) {
  if (type === 'apiKey') return `Sent as the ${place === 'query' ? 'query parameter' : place} ${name}.`
  if (type === 'http' && scheme.toLowerCase() === 'basic')
    return 'Name and password, sent as Authorization: Basic (RFC 7617).'
  if (type === 'http' && scheme.toLowerCase() === 'bearer')
    return 'A token, sent as Authorization: Bearer (RFC 6750).'
  return type === 'http'
    ? `Sent as Authorization: ${scheme}.`
    : 'An access token, sent as Authorization: Bearer (RFC 6750).'
}

/** Makes a label of a field's name: `bannedUntil` becomes “Banned until”. */
const labelOf = name =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/^./, letter => letter.toUpperCase())
