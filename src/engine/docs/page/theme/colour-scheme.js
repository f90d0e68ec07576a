/** @import { ChangeEvent } from 'react' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */

/**
 * The colours of the page: light, dark, or those of the system. The choice is kept for the next visit.
 * @param {Tools} tools
 * @returns {Part}
 */
export function colourSchemePart({ React, h }) {
  function ColourScheme() {
    const [scheme, setScheme] = React.useState(chosenScheme)
    /** @param {ChangeEvent<HTMLSelectElement>} event */
    const choose = event => {
      localStorage.setItem(schemeKey, event.target.value)
      setScheme(chosenScheme())
      applyScheme()
    }
    return h(
      'label',
      { className: 'colour-scheme' },
      h('span', { className: 'visually-hidden' }, 'Theme'),
      h(
        'select',
        { value: scheme, onChange: choose, title: 'Theme' },
        Object.entries(themes).map(([name, title]) => h('option', { key: name, value: name }, title)),
      ),
    )
  }

  return { components: { ColourScheme } }
}

const themes = { system: 'System', light: 'Light', dark: 'Dark' }
const schemeKey = 'docs.theme'
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
/** Paper is light. */
const isOnPaper = matchMedia('print')

function chosenScheme() {
  const kept = localStorage.getItem(schemeKey) ?? ''
  return kept in themes ? kept : 'system'
}

/** Swagger UI has a dark style, but only its top bar switches it on. */
function applyScheme() {
  const scheme = chosenScheme()
  const isDark = scheme === 'dark' || (scheme === 'system' && systemIsDark.matches)
  document.documentElement.classList.toggle('dark-mode', isDark && !isOnPaper.matches)
}

/** Applies the choice now, and when the system changes. A choice in another tab of the page applies to this tab, too. */
export function followColourScheme() {
  for (const query of [systemIsDark, isOnPaper]) query.addEventListener('change', applyScheme)
  addEventListener('storage', applyScheme)
  applyScheme()
}
