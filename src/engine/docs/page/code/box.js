/** @import { ReactNode } from 'react' */
/** @import { Components } from '../swagger-ui/components.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */

/**
 * A box of code, with a button that copies it.
 * @param {Tools} tools
 * @returns {Part}
 */
export function boxPart({ React, h }) {
  /** @param {Components['Code']} props */
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

  /** @param {{ text: string, label: string }} props */
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

  return { components: { Code } }
}

/**
 * Copies a text to the clipboard. Returns false if the browser does not allow it.
 * @param {string} text
 */
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

/**
 * Has the browser save a text as a file.
 * @param {string} text
 * @param {string} name
 */
function saveText(text, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text]))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

const keywords =
  /^(?:const|await|import|from|type|new|package|func|defer|if|return|var|nil|None|True|False|true|false|null|curl|print|err|as|never)$/

/**
 * Splits code into spans by kind: comments, texts, numbers and keywords.
 * @param {string} text
 * @param {string} language
 * @param {Tools['h']} h
 */
function coloured(text, language, h) {
  const pattern =
    /(\/\/ npx[^\n]*|^# [^\n]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)(\s*:)?|\b(-?\d[\d.]*(?:[eE][-+]?\d+)?)\b|([A-Za-z_]\w*|\s-{1,2}[A-Za-z][\w-]*)/gm
  /** @type {ReactNode[]} */
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
          : keywords.test(word ?? '') || (language === 'curl' && /^\s-/.test(word ?? ''))
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
