/** @import { KeyboardEvent } from 'react' */
/** @import { Components } from '../swagger-ui/components.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */

/**
 * Tabs: of languages, of examples and of replies.
 * @param {Tools} tools
 * @returns {Part}
 */
export function tabsPart({ h }) {
  /**
   * Tabs of which one is chosen; the arrow keys go from one to the next.
   * @param {Components['Tabs']} props
   */
  function Tabs({ label, tabs, selected, select, controls }) {
    /** @param {KeyboardEvent} event */
    const onKeyDown = event => {
      if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return
      const all = [...event.currentTarget.querySelectorAll('[role=tab]')]
      const present = all.findIndex(tab => tab.matches(':focus'))
      const next = all.at((present + (event.key === 'ArrowRight' ? 1 : -1)) % all.length)
      if (!(next instanceof HTMLElement)) return
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

  return { components: { Tabs } }
}
