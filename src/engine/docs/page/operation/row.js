/** @import { Operation, OperationObject } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { addressOf, blockId } from '../basics/addresses.js'
import { count, dayOf, daysUntil } from '../basics/words.js'
import { keyOf } from '../document/contents.js'
import { securityOf } from '../document/security.js'

/**
 * The rows of operations. A closed operation is only its row, made here from the document alone. Swagger UI makes the
 * rest of an operation when it is first opened.
 * @param {Tools} tools
 * @returns {Part}
 */
export function rowPart({ React, h, ui, contents, tagNamed, findOperation, component }) {
  /** @type {Part['components']} */
  const components = {
    /** An operation, at the place that the list at the left links to. */
    Place: ({ tag, operation }) => {
      const { id, path, method } = operation
      const key = ['operations', tag, id]
      const isShown = ui().layoutSelectors.isShown(key)
      // Swagger UI's own form of the operation, once it exists.
      const op = ui()
        .specSelectors.operations()
        .find(one => one.get('path') === path && one.get('method') === method)
      const [isWanted, setWanted] = React.useState(false)
      const isMade = Boolean(isWanted && op)
      const began = React.useRef(false)
      if (isShown && !op) began.current = true
      /** @type {{ current: HTMLDivElement | null }} */
      const box = React.useRef(null)
      /**
       * A selector of the element that had the keyboard focus before Swagger UI made the operation.
       * @type {Focused}
       */
      const focused = React.useRef(undefined)
      // All rows are drawn before the operations that are open at first. The reader's actions come before these, too.
      React.useEffect(() => {
        if (!isShown || !op || isWanted) return undefined
        const later = requestAnimationFrame(() =>
          setTimeout(() => React.startTransition(() => setWanted(true))),
        )
        return () => cancelAnimationFrame(later)
      }, [isShown, Boolean(op)])
      React.useLayoutEffect(() => {
        if (!focused.current) return
        /** @type {HTMLElement | null | undefined} */
        const target = box.current?.querySelector(focused.current)
        if (!target) return
        if (!target.matches('button')) target.tabIndex = -1
        target.focus({ preventScroll: true })
      }, [isMade])
      const open = () => {
        ui().layoutActions.show(key, !isShown)
        setWanted(true)
      }
      return h(
        'div',
        {
          ref: box,
          className: began.current ? 'operation began' : 'operation',
          'data-place': addressOf({ tag, id }),
        },
        isMade && op
          ? h(component('OperationContainer', true), { tag, op, path, method, specPath: op.get('specPath') })
          : h(Unmade, { tag, operation, isShown, open, focused }),
      )
    },

    /** The row of an operation that Swagger UI has made. */
    OperationSummary: ({ operationProps, isShown, toggleShown }) => {
      const { path, method } = operationProps.toObject()
      const operation = contents().byKey.get(keyOf(path, method))
      return operation && h(Row, { operation, isShown, toggle: toggleShown })
    },
  }

  /**
   * An operation that Swagger UI has not made yet.
   * @param {{ tag: string, operation: Operation, isShown: boolean, open(): void, focused: Focused }} props
   */
  function Unmade({ tag, operation, isShown, open, focused }) {
    /** @type {{ current: HTMLDivElement | null }} */
    const box = React.useRef(null)
    React.useLayoutEffect(() => {
      const block = box.current
      return () => {
        const active = document.activeElement
        focused.current =
          active === block ? '.opblock' : block?.contains(active) ? '.opblock-summary-control' : undefined
      }
    }, [])
    const kind = operation.operation.deprecated ? 'deprecated' : operation.method
    return h(
      'div',
      {
        ref: box,
        className: isShown ? `opblock opblock-${kind} is-open` : `opblock opblock-${kind}`,
        id: blockId(tag, operation.id),
      },
      h(Row, { operation, isShown, toggle: open }),
      isShown && h('div', { className: 'opblock-body to-come' }),
    )
  }

  /**
   * The facts to know before using an operation: method, path, badges, summary and scope.
   * @param {{ operation: Operation, isShown: boolean, toggle(): void }} props
   */
  function Row({ operation, isShown, toggle }) {
    const { path, method, id, operation: written } = operation
    const { deprecated, 'x-stability': stability, 'x-required-scope': scope } = written
    return h(
      React.Fragment,
      null,
      h(
        'div',
        { className: 'opblock-summary' },
        h(
          'div',
          {
            className: 'opblock-heading',
            role: 'heading',
            'aria-level': tagNamed(operation.tag)['x-parent'] ? 4 : 3,
          },
          h(
            'button',
            {
              type: 'button',
              className: 'opblock-summary-control',
              'aria-expanded': isShown,
              onClick: toggle,
            },
            h('span', { className: 'opblock-summary-method' }, method.toUpperCase()),
            h(
              'div',
              { className: 'opblock-summary-path-description-wrapper' },
              h(
                'span',
                {
                  className: deprecated ? 'opblock-summary-path__deprecated' : 'opblock-summary-path',
                  'data-path': path,
                },
                path.split(/(?=\/)/).flatMap((step, i) => (i > 0 ? [h('wbr', { key: i }), step] : [step])),
              ),
              typeof stability === 'string' &&
                h('span', { className: `badge badge-${stability}` }, stability),
              deprecated && h('span', { className: 'badge badge-deprecated' }, 'deprecated'),
              h('div', { className: 'opblock-summary-description' }, written.summary),
            ),
            h('span', { className: 'opblock-summary-operation-id' }, id),
          ),
        ),
        h(component('CopyToClipboardBtn', true), { textToCopy: path }),
        Boolean(scope) &&
          h(
            'span',
            { className: 'scope', title: 'The scope that a key needs' },
            h('span', { className: 'visually-hidden' }, 'Needs the scope '),
            String(scope),
          ),
        h(Lock, { operation }),
        h(
          'button',
          {
            type: 'button',
            className: 'opblock-control-arrow',
            // Screen readers take the row itself for the button.
            'aria-label': `${method} ${path.replaceAll('/', '\u200b/')}`,
            'aria-expanded': isShown,
            tabIndex: -1,
            onClick: toggle,
          },
          h(component(isShown ? 'ArrowUpIcon' : 'ArrowDownIcon'), { className: 'arrow' }),
        ),
      ),
      deprecated && h(Deprecation, { operation: written }),
    )
  }

  /**
   * Whether the reader has a key for the operation, and the way to give one.
   * @param {{ operation: Operation }} props
   */
  function Lock({ operation }) {
    const { authSelectors, authActions, keySelectors, specSelectors } = ui()
    const needed = securityOf(operation, contents()).map(requirement => Object.keys(requirement))
    if (needed.flat().length === 0) return null
    const given = authSelectors.authorized()
    const onClick = () => {
      const written = specSelectors.specJson().getIn([...operation.at, 'security'])
      const asked = authSelectors.definitionsForRequirements(written ?? specSelectors.security())
      authActions.showDefinitions(asked)
    }
    const isAuthorized =
      keySelectors.state().status !== 401 && needed.some(names => names.every(name => given.get(name)))
    const label = isAuthorized ? 'Your key is sent' : 'No key'
    return h(
      'button',
      {
        type: 'button',
        className: isAuthorized ? 'authorization__btn locked' : 'authorization__btn unlocked',
        'aria-label': label,
        title: label,
        onClick,
      },
      h(component(isAuthorized ? 'LockAuthOperationIcon' : 'UnlockAuthOperationIcon', true)),
    )
  }

  /**
   * The dates of deprecation and sunset, and the successor.
   * @param {{ operation: OperationObject }} props
   */
  function Deprecation({ operation }) {
    const { 'x-deprecated-at': since, 'x-deprecated-sunset': sunset } = operation
    const successor = findOperation(operation['x-successor'])
    return h(
      'p',
      { className: 'deprecation' },
      'Deprecated',
      since && [' since ', h(Day, { key: 'since', date: since })],
      sunset && [`, ${daysUntil(sunset) > 0 ? 'ends' : 'ended'} `, h(Day, { key: 'sunset', date: sunset })],
      sunset &&
        daysUntil(sunset) > 0 && [
          ', ',
          h('strong', { key: 'left' }, count(daysUntil(sunset), 'day'), ' left'),
        ],
      '.',
      successor && [
        ' Use ',
        h(
          'a',
          { key: 'successor', href: addressOf(successor) },
          `${successor.method.toUpperCase()} ${successor.path}`,
        ),
        ' instead.',
      ],
    )
  }

  /** @param {{ date: string }} props */
  const Day = ({ date }) => h('time', { dateTime: date }, dayOf(date))

  return { components }
}

/** @typedef {{ current: string | undefined }} Focused */
