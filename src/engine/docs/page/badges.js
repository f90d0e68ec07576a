/** What the reader should know of an operation before using it. */
function badgesPart({ React, h, field, findOperation }) {
  /** The scope of the operation around. */
  const Scope = React.createContext(undefined)

  const wrapComponents = {
    /** The path, and beside it what the reader should know before using it. */
    OperationSummaryPath: Original => props => {
      const { path, method } = props.operationProps.toObject()
      const stability = field(path, method, 'x-stability')
      return h(
        React.Fragment,
        null,
        h(Original, props),
        stability && h('span', { className: `badge badge-${stability}` }, stability),
        field(path, method, 'deprecated') && h('span', { className: 'badge badge-deprecated' }, 'deprecated'),
      )
    },

    OperationSummary: Original => props => {
      const { path, method } = props.operationProps.toObject()
      return h(
        Scope.Provider,
        { value: field(path, method, 'x-required-scope') },
        h(Original, props),
        field(path, method, 'deprecated') && h(Deprecation, { path, method }),
      )
    },

    /** The lock, and what a key must be allowed to open it. */
    authorizeOperationBtn: Original => props => {
      const scope = React.useContext(Scope)
      return h(
        React.Fragment,
        null,
        scope &&
          h(
            'span',
            { className: 'scope', title: 'The scope that a key needs' },
            h('span', { className: 'visually-hidden' }, 'Needs the scope '),
            scope,
          ),
        h(Original, props),
      )
    },
  }

  /** Since when, until when, and what comes instead. */
  function Deprecation({ path, method }) {
    const since = field(path, method, 'x-deprecated-at')
    const sunset = field(path, method, 'x-deprecated-sunset')
    const successor = findOperation(field(path, method, 'x-successor'))
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
          { key: 'successor', href: `#/${encodeURIComponent(successor.tag)}/${successor.id}` },
          `${successor.method.toUpperCase()} ${successor.path}`,
        ),
        ' instead.',
      ],
    )
  }

  const Day = ({ date }) =>
    h(
      'time',
      { dateTime: date },
      new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
    )

  return { wrapComponents }
}
