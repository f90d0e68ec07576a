/** Code on the page, with a button that copies it, and the code for each operation. */
function codePart({ React, h, ui, contents, component }) {
  /**
   * @param {any} props `text` is shown; the button copies `copied`, if given; `head` stands beside the buttons;
   *   `fileName`, if given, is that of a download
   */
  function Code({ text, copied = text, label, language = 'json', head, fileName }) {
    return h(
      'div',
      { className: 'code' },
      h(
        'div',
        { className: 'samples-head' },
        head,
        h(
          'span',
          { className: 'code-buttons' },
          fileName &&
            h(
              'button',
              { type: 'button', className: 'copy', onClick: () => saveText(copied, fileName) },
              'Download',
            ),
          h(Copy, { text: copied, label }),
        ),
      ),
      h(
        'pre',
        { tabIndex: 0, role: 'region', 'aria-label': label },
        h('code', null, ...coloured(text, language, h)),
      ),
    )
  }

  function Copy({ text, label }) {
    const [state, setState] = React.useState('Copy')
    const copy = async () => {
      setState((await copyText(text)) ? 'Copied' : 'Not allowed')
      setTimeout(() => setState('Copy'), 1500)
    }
    return h(
      'button',
      { type: 'button', className: 'copy', onClick: copy, 'aria-label': `Copy: ${label}` },
      h('span', { 'aria-live': 'polite' }, state),
    )
  }

  /** The code for an operation, in the reader's preferred language. */
  function Samples({ operation }) {
    const [language, setLanguage] = useLanguage(React)
    const authorized = ui().authSelectors.authorized()?.toJS?.() ?? {}
    const { shown, copied } = React.useMemo(
      () => writtenSample(operation, contents(), ui, authorized, language),
      // Runs again when anything in the form may have changed.
      [operation, language, JSON.stringify(authorized), ui().getState()],
    )
    const { title } = languageNamed(language)
    const head = h(component('Tabs'), {
      label: 'Language',
      tabs: languages.map(({ name, title }) => ({ name, title })),
      selected: language,
      select: setLanguage,
    })
    return h(
      'div',
      { className: 'samples' },
      h(Code, { text: shown, copied, label: `${title} for ${operation.id}`, language, head }),
    )
  }

  /** Tabs of which one is chosen; the arrow keys go from one to the next. */
  function Tabs({ label, tabs, selected, select, controls }) {
    const onKeyDown = event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (!step) return
      const all = [...event.currentTarget.querySelectorAll('[role=tab]')]
      const next = all.at((all.indexOf(document.activeElement) + step) % all.length)
      event.preventDefault()
      next.focus()
      next.click()
    }
    return h(
      'div',
      { className: 'tabs', role: 'tablist', 'aria-label': label, onKeyDown },
      tabs.map(({ name, title, className }) =>
        h(
          'button',
          {
            key: name,
            type: 'button',
            role: 'tab',
            className,
            'aria-selected': name === selected,
            'aria-controls': controls,
            tabIndex: name === selected ? 0 : -1,
            onClick: () => select(name),
          },
          title,
        ),
      ),
    )
  }

  return { components: { Code, Samples, Tabs } }
}

/** Returns the code as it is shown, with placeholders or a masked key. The copied code has the key. */
function writtenSample(operation, found, ui, authorized, language) {
  const { write } = languageNamed(language)
  const secured = operation.operation.security ?? found.document.security ?? []
  const schemes = securitySchemesOf(found)
  const asked = secured.flatMap(requirement => Object.keys(requirement))
  const given = asked.filter(name => authorized[name])
  const credentials = given.length > 0 ? authorized : placeholders(schemes, secured)
  try {
    const copied = write(sampleRequest(operation, found, ui, credentials))
    const secrets = given.flatMap(name => secretsOf(authorized[name]))
    const shown = secrets.reduce((text, { secret, mask }) => text.replaceAll(secret, mask), copied)
    return { shown, copied }
  } catch (error) {
    // A form may hold values of which no request can be made.
    return { shown: `No request can be made of this: ${error}`, copied: '' }
  }
}

/** Placeholders for the credentials of the first way to authenticate that the operation offers. */
function placeholders(schemes, [first = {}]) {
  return Object.fromEntries(
    Object.keys(first)
      .filter(name => schemes[name])
      .map(name => {
        const schema = schemes[name]
        if (schema.type === 'apiKey') return [name, { name, schema, value: 'YOUR_API_KEY' }]
        if (schema.type === 'http' && schema.scheme?.toLowerCase() === 'basic')
          return [name, { name, schema, value: { username: 'USERNAME', password: 'PASSWORD' } }]
        if (schema.type === 'http') return [name, { name, schema, value: 'YOUR_TOKEN' }]
        return [name, { name, schema, token: { access_token: 'YOUR_TOKEN' } }]
      }),
  )
}

/** The secrets of a credential, and the texts that are shown for them. */
function secretsOf({ value, token }) {
  const secret = token?.access_token ?? value
  if (typeof secret === 'string')
    return secret ? [{ secret, mask: `${secret.slice(0, Math.min(9, secret.length / 4))}••••••••` }] : []
  const { username = '', password = '' } = secret ?? {}
  return [{ secret: base64(`${username}:${password}`), mask: '••••••••' }]
}

/** The base64 of a text in UTF-8. */
const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const languageNamed = wanted => languages.find(({ name }) => name === wanted) ?? curl

/** The language of all code on the page, kept for the next visit. */
function useLanguage(React) {
  const key = 'docs.language'
  const [language, setLanguage] = React.useState(() => languageNamed(localStorage.getItem(key)).name)
  React.useEffect(() => {
    const follow = event => setLanguage(event.detail)
    addEventListener('docs-language', follow)
    return () => removeEventListener('docs-language', follow)
  }, [])
  return [
    language,
    name => {
      localStorage.setItem(key, name)
      dispatchEvent(new CustomEvent('docs-language', { detail: name }))
    },
  ]
}

/** Copies a text to the clipboard. Returns false if the browser does not allow it. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Pages from plain http have no other clipboard.
    const field = document.createElement('textarea')
    field.value = text
    document.body.append(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    return isCopied
  }
}

/** Has the browser save a text as a file. */
function saveText(text, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text]))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

const keywords =
  /^(?:const|await|import|from|type|new|package|func|defer|if|return|var|nil|None|True|False|true|false|null|curl|print|err|as|never)$/

/** Splits code into spans by kind: comments, texts, numbers and keywords. */
function coloured(text, language, h) {
  const pattern =
    /(\/\/ npx[^\n]*|^# [^\n]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)(\s*:)?|\b(-?\d[\d.]*(?:[eE][-+]?\d+)?)\b|([A-Za-z_]\w*|\s-{1,2}[A-Za-z][\w-]*)/gm
  const parts = []
  let end = 0
  for (const match of text.matchAll(pattern)) {
    const [whole, comment, string, colon, number, word] = match
    const kind = comment
      ? 'comment'
      : string
        ? colon && language === 'json'
          ? 'name'
          : 'string'
        : number
          ? 'number'
          : keywords.test(word) || (language === 'curl' && /^\s-/.test(word))
            ? 'keyword'
            : undefined
    if (!kind) continue
    const size = string ? string.length : whole.length
    parts.push(
      text.slice(end, match.index),
      h('span', { key: match.index, className: `c-${kind}` }, text.slice(match.index, match.index + size)),
    )
    end = match.index + size
  }
  return [...parts, text.slice(end)]
}
