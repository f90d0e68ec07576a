/** @import { KeyboardEvent, ReactNode } from 'react' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { chapterWith } from '../document/chapters.js'
import { whereOf } from '../document/security.js'
import { plain } from '../swagger-ui/tools.js'

/**
 * The key: a dialog that keeps the keyboard focus, and the choice how long the key is kept.
 * @param {Tools} tools
 * @returns {Part}
 */
export function keyDialogPart({ React, h, ui, contents, component }) {
  /** The storage key of the credential, in the tab or, if the reader wishes, in the browser. */
  const storageKey = 'docs.authorized'

  /** @type {Part['components']} */
  const components = {
    /** The field for a key. A chapter of the guide says what a key is and who gives one. */
    apiKeyAuth: ({ name, schema, authorized, onChange }) => {
      const chapter = chapterWith(contents(), 'Access')
      const close = () => ui().authActions.showDefinitions(false)
      return h(
        'div',
        { className: 'key-field' },
        h('h4', null, name),
        h(
          'p',
          null,
          whereOf(plain(schema)),
          chapter && [' ', h('a', { key: 'way', href: `#${chapter}`, onClick: close }, 'How to get one')],
        ),
        !authorized?.get(name) && [
          h('label', { key: 'label', htmlFor: 'api_key_value' }, 'Key'),
          h('input', {
            key: 'field',
            id: 'api_key_value',
            type: 'text',
            autoComplete: 'off',
            spellCheck: false,
            autoFocus: true,
            onChange: event => onChange({ name, schema, value: event.target.value.trim() }),
          }),
        ],
      )
    },
  }

  /** @type {Part['wrapComponents']} */
  const wrapComponents = {
    authorizationPopup: Original => props => h(Dialog, null, h(Original, props)),

    /** The form for a key, and the choice how long to keep it. */
    AuthItem: Original => props =>
      h(
        React.Fragment,
        null,
        h(Original, props),
        ui().authSelectors.authorized().get(props.name) && h(component('KeyState')),
        h(
          'label',
          { className: 'remember-key' },
          h('input', {
            type: 'checkbox',
            defaultChecked: remembering,
            onChange: event => remember(event.target.checked),
          }),
          ' Remember on this computer',
          h('small', { className: 'hint' }, 'Otherwise the key is forgotten when this tab is closed.'),
        ),
      ),
  }

  /**
   * Keeps the keyboard focus inside while it is open, and returns it afterwards.
   * @param {{ children?: ReactNode }} props
   */
  function Dialog({ children }) {
    /** @type {{ current: HTMLElement | null }} */
    const box = React.useRef(null)
    const [opener] = React.useState(() => document.activeElement)
    const controls = () => {
      /** @type {NodeListOf<HTMLElement> | undefined} */
      const found = box.current?.querySelectorAll('a[href], button, input')
      return [...(found ?? [])]
    }
    // Swagger UI gives its parts no names, or names that differ from what one sees.
    React.useEffect(() => {
      if (box.current) nameParts(box.current)
    })
    React.useEffect(() => {
      if (!box.current?.contains(document.activeElement)) controls()[0]?.focus()
      return () => {
        if (opener instanceof HTMLElement) opener.focus()
      }
    }, [])
    /** @param {KeyboardEvent} event */
    const onKeyDown = event => {
      if (event.key !== 'Tab') return
      const [first, last] = [controls()[0], controls().at(-1)]
      if (document.activeElement !== (event.shiftKey ? first : last)) return
      event.preventDefault()
      const other = event.shiftKey ? last : first
      other?.focus()
    }
    return h(
      'div',
      { ref: box, role: 'dialog', 'aria-modal': true, 'aria-label': 'Authorize', onKeyDown },
      children,
    )
  }

  /** Whether the reader wants the key kept in the browser, not only in the tab. */
  let remembering = false

  /**
   * Keeps the key in the browser, or from now on only in the tab.
   * @param {boolean} choice
   */
  function remember(choice) {
    remembering = choice
    keepKey()
  }

  /** Writes the key to the storage that the reader chose, and removes it from all others. */
  function keepKey() {
    const authorized = JSON.stringify(ui().authSelectors.authorized())
    const kept = remembering ? localStorage : sessionStorage
    for (const storage of [localStorage, sessionStorage]) storage.removeItem(storageKey)
    if (authorized !== '{}') kept.setItem(storageKey, authorized)
  }

  function restoreKey() {
    remembering = localStorage.getItem(storageKey) !== null
    const authorized = sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey)
    if (authorized) ui().authActions.restoreAuthorization({ authorized: JSON.parse(authorized) })
  }

  const statePlugins = {
    auth: { wrapActions: { persistAuthorizationIfNeeded: () => keepKey } },
    configs: {
      wrapActions: {
        loaded:
          (/** @type {(...values: unknown[]) => void} */ original) =>
          (/** @type {unknown[]} */ ...values) => {
            original(...values)
            restoreKey()
          },
      },
    },
  }
  return { components, wrapComponents, statePlugins }
}

/**
 * Names the parts of Swagger UI's dialog after their visible texts, and unmarks its headings, which have no order.
 * @param {HTMLElement} dialog
 */
function nameParts(dialog) {
  dialog.querySelector('.close-modal')?.setAttribute('aria-label', 'Close this')
  for (const button of dialog.querySelectorAll('button[aria-label]')) {
    const [seen, name] = [button.textContent.trim(), button.getAttribute('aria-label') ?? '']
    if (seen && !name.startsWith(seen)) button.setAttribute('aria-label', `${seen}: ${name.toLowerCase()}`)
  }
  for (const heading of dialog.querySelectorAll('h4, h5, h6')) heading.setAttribute('role', 'presentation')
}
