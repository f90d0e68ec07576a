/** @import { KeyboardEvent, ReactNode } from 'react' */
/** @import { Contents } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { isText, securitySchemesOf, whereOf } from '../document/security.js'
import { plain } from '../swagger-ui/tools.js'

/**
 * The key: a dialog that keeps the keyboard focus, and the choice how long the key is kept.
 * @param {Tools} tools
 * @returns {Part}
 */
export function keyDialogPart({ React, h, ui, contents, component }) {
  /** The storage key of the credential, in the tab or, if the reader wishes, in the browser. */
  const storageKey = 'docs.authorized'

  /** @type {Part['wrapComponents']} */
  const wrapComponents = {
    /** The button in the bar, which opens the dialog. */
    authorizeBtn: () => props => {
      const { isAuthorized, showPopup, onClick } = props
      const isGiven = ui().authSelectors.authorized().size > 0
      const { yours, none, wrong } = wordsFor(contents())
      return h(
        'div',
        { className: 'auth-wrapper' },
        h(
          'button',
          {
            type: 'button',
            className: isAuthorized ? 'btn authorize locked' : 'btn authorize unlocked',
            'aria-haspopup': 'dialog',
            onClick,
          },
          h('span', null, isAuthorized ? yours : isGiven ? wrong : none),
          h(component(isAuthorized ? 'LockAuthIcon' : 'UnlockAuthIcon', true)),
        ),
        showPopup && h(component('authorizationPopup', true)),
      )
    },

    authorizationPopup: Original => props => h(Dialog, null, h(Original, props)),

    /** The fields for credentials that are one text, Swagger UI's forms for others, and how long both are kept. */
    auths: Original => props => {
      const schemes = securitySchemesOf(contents())
      const names = Object.keys(plain(props.definitions))
      const texts = names.flatMap(name => {
        const scheme = schemes[name]
        return scheme && isText(scheme) ? [{ name, scheme }] : []
      })
      const others = texts.reduce((rest, { name }) => rest.delete(name), props.definitions)
      return h(
        'div',
        { className: 'auth-container' },
        texts.map(({ name, scheme }) =>
          h(
            'div',
            { key: name, className: 'key-field' },
            names.length > 1 && h('h4', null, name),
            h('p', null, whereOf(scheme)),
            h(component('KeyField', true), { name, scheme, place: 'dialog' }),
          ),
        ),
        others.size > 0 && h(Original, { ...props, definitions: others }),
        h(Remember),
        others.size === 0 &&
          h(
            'div',
            { className: 'auth-btn-wrapper' },
            h(
              'button',
              {
                type: 'button',
                className: 'btn modal-btn auth btn-done',
                onClick: () => ui().authActions.showDefinitions(false),
              },
              'Close',
            ),
          ),
      )
    },

    /** Swagger UI's form for another credential, and what it may do. */
    AuthItem: Original => props =>
      h(
        React.Fragment,
        null,
        h(Original, props),
        ui().authSelectors.authorized().get(props.name) && h(component('KeyState')),
      ),
  }

  const Remember = () =>
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
    )

  /**
   * Keeps the keyboard focus inside while it is open, and returns it afterwards.
   * @param {{ children?: ReactNode }} props
   */
  function Dialog({ children }) {
    /** @type {{ current: HTMLElement | null }} */
    const box = React.useRef(null)
    const [opener] = React.useState(() => document.activeElement)
    const { yours } = wordsFor(contents())
    const controls = () => {
      /** @type {NodeListOf<HTMLElement> | undefined} */
      const found = box.current?.querySelectorAll('a[href], button, input')
      return [...(found ?? [])]
    }
    // Swagger UI gives its parts no names, or names that differ from what one sees.
    React.useEffect(() => {
      if (box.current) nameParts(box.current, yours)
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
      { ref: box, role: 'dialog', 'aria-modal': true, 'aria-label': yours, onKeyDown },
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
  return { wrapComponents, statePlugins }
}

/**
 * The words for the credentials of a document.
 * @param {Contents} found
 */
const wordsFor = found =>
  Object.values(securitySchemesOf(found)).every(({ type }) => type === 'apiKey')
    ? { yours: 'Your API key', none: 'No key', wrong: 'Wrong key' }
    : { yours: 'Your access', none: 'No access', wrong: 'No access' }

/**
 * Names the parts of Swagger UI's dialog after their visible texts, and unmarks its headings, which have no order.
 * @param {HTMLElement} dialog
 * @param {string} title
 */
function nameParts(dialog, title) {
  const heading = dialog.querySelector('.modal-ux-header h3')
  if (heading) heading.textContent = title
  dialog.querySelector('.close-modal')?.setAttribute('aria-label', 'Close this')
  for (const button of dialog.querySelectorAll('button[aria-label]')) {
    const [seen, name] = [button.textContent.trim(), button.getAttribute('aria-label') ?? '']
    if (seen && !name.startsWith(seen)) button.setAttribute('aria-label', `${seen}: ${name.toLowerCase()}`)
  }
  for (const lower of dialog.querySelectorAll('h4, h5, h6')) lower.setAttribute('role', 'presentation')
}
