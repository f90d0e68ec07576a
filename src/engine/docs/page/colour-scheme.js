/** The colours of the page: light, dark, or those of the system. The choice is kept for the next visit. */
function colourSchemePart({ React, h }) {
  function ColourScheme() {
    const [scheme, setScheme] = React.useState(chosenScheme)
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
        Object.entries(schemes).map(([name, title]) => h('option', { key: name, value: name }, title)),
      ),
    )
  }

  return { components: { ColourScheme } }
}

const schemes = { system: 'System', light: 'Light', dark: 'Dark' }
const schemeKey = 'docs.theme'
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

function chosenScheme() {
  const kept = localStorage.getItem(schemeKey) ?? ''
  return kept in schemes ? kept : 'system'
}

/** Swagger UI has a dark style, but only its top bar switches it on. */
function applyScheme() {
  const scheme = chosenScheme()
  const isDark = scheme === 'dark' || (scheme === 'system' && systemIsDark.matches)
  document.documentElement.classList.toggle('dark-mode', isDark)
}

systemIsDark.addEventListener('change', applyScheme)
// A choice in another tab of the page applies to this tab, too.
addEventListener('storage', applyScheme)
applyScheme()
