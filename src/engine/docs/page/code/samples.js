/** @import { Contents, Operation, SecurityRequirement, SecurityScheme } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Credential, Credentials, Part } from '../swagger-ui/types.js' */
import { securityOf, securitySchemesOf } from '../document/security.js'
import { sampleRequest } from './sample-request.js'
import { curl, languages, moreLanguages } from './snippets.js'

/**
 * The code for each operation, in the language that the reader chose.
 * @param {Tools} tools
 * @returns {Part}
 */
export function samplesPart({ React, h, ui, contents, component }) {
  /**
   * The code for an operation, in the reader's preferred language.
   * @param {{ operation: Operation }} props
   */
  function Samples({ operation }) {
    const { language, changes, setLanguage } = useLanguage(React)
    const authorized = ui().authSelectors.authorized().toJS()
    const { shown, copied } = React.useMemo(
      () => writtenSample(operation, contents(), ui, authorized, language),
      // Runs again when anything in the form may have changed.
      [operation, language, changes, JSON.stringify(authorized), ui().getState()],
    )
    const { title } = languageNamed(language)
    const tabs = h(component('Tabs'), {
      label: 'Language',
      tabs: languages.map(each => ({ name: each.name, title: each.title })),
      selected: language,
      select: setLanguage,
    })
    const head = h(React.Fragment, null, tabs, h(More, { language, setLanguage }))
    return h(
      'div',
      { className: 'samples' },
      h(component('Code'), { text: shown, copied, label: `${title} for ${operation.id}`, language, head }),
    )
  }

  /**
   * The list of further languages.
   * @param {{ language: string, setLanguage: (name: string) => void }} props
   */
  function More({ language, setLanguage }) {
    const isOfThese = moreLanguages.some(({ name }) => name === language)
    return h(
      'select',
      {
        className: isOfThese ? 'more-languages chosen' : 'more-languages',
        'aria-label': 'More languages',
        value: isOfThese ? language : '',
        onChange: (/** @type {{ target: { value: string } }} */ { target }) => setLanguage(target.value),
      },
      !isOfThese && h('option', { value: '' }, 'More'),
      moreLanguages.map(({ name, title }) => h('option', { key: name, value: name }, title)),
    )
  }

  return { components: { Samples } }
}

/**
 * Returns the code as it is shown, with placeholders or a masked key. The copied code has the key.
 * @param {Operation} operation
 * @param {Contents} found
 * @param {Tools['ui']} ui
 * @param {Credentials} authorized
 * @param {string} language
 */
export function writtenSample(operation, found, ui, authorized, language) {
  const { write } = languageNamed(language)
  const secured = securityOf(operation, found)
  const asked = secured.flatMap(requirement => Object.keys(requirement))
  const given = asked.flatMap(name => authorized[name] ?? [])
  const credentials = given.length > 0 ? authorized : placeholders(securitySchemesOf(found), secured)
  try {
    const copied = write(sampleRequest(operation, found, ui, credentials))
    const secrets = given.flatMap(secretsOf)
    const shown = secrets.reduce((text, { secret, mask }) => text.replaceAll(secret, mask), copied)
    return { shown, copied }
  } catch (error) {
    // A form may hold values of which no request can be made.
    return { shown: `No request can be made of this: ${error}`, copied: '' }
  }
}

/**
 * Placeholders for the credentials of the first way to authenticate that the operation offers.
 * @param {Record<string, SecurityScheme>} schemes
 * @param {SecurityRequirement[]} secured
 * @returns {Credentials}
 */
const placeholders = (schemes, [first = {}]) =>
  Object.fromEntries(
    Object.keys(first).flatMap(name => {
      const schema = schemes[name]
      return schema ? [[name, { name, schema, ...placeholderFor(schema) }]] : []
    }),
  )

/** @param {SecurityScheme} scheme */
function placeholderFor({ type, scheme = '' }) {
  if (type === 'apiKey') return { value: 'YOUR_API_KEY' }
  if (type === 'http' && scheme.toLowerCase() === 'basic')
    return { value: { username: 'USERNAME', password: 'PASSWORD' } }
  return type === 'http' ? { value: 'YOUR_TOKEN' } : { token: { access_token: 'YOUR_TOKEN' } }
}

/**
 * The secrets of a credential, and the texts that are shown for them.
 * @param {Credential} credential
 */
function secretsOf({ value, token }) {
  const secret = token?.access_token ?? value
  if (typeof secret === 'string')
    return secret ? [{ secret, mask: `${secret.slice(0, Math.min(9, secret.length / 4))}••••••••` }] : []
  const { username = '', password = '' } = secret ?? {}
  return [{ secret: base64(`${username}:${password}`), mask: '••••••••' }]
}

/**
 * The base64 of a text in UTF-8.
 * @param {string} text
 */
const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** @param {string | null} wanted */
const languageNamed = wanted => [...languages, ...moreLanguages].find(({ name }) => name === wanted) ?? curl

/**
 * The language of all code on the page, kept for the next visit.
 * @param {Tools['React']} React
 */
function useLanguage(React) {
  const key = 'docs.language'
  const read = () => languageNamed(localStorage.getItem(key)).name
  const [language, follow] = React.useState(read)
  const [changes, count] = React.useState(0) // another language, or one that is loaded now
  React.useEffect(() => {
    const onChange = () => {
      follow(read())
      count(before => before + 1)
    }
    addEventListener('docs-language', onChange)
    return () => removeEventListener('docs-language', onChange)
  }, [])
  /** @param {string} name */
  const setLanguage = name => {
    localStorage.setItem(key, name)
    dispatchEvent(new Event('docs-language'))
  }
  return { language, changes, setLanguage }
}
