/** @import { NamedHeader, NamedMediaType, Operation, Response } from '../document/types.js' */
/** @import { Components } from '../swagger-ui/components.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { ImmutableMap, Part, ReplyState } from '../swagger-ui/types.js' */
import { decoded } from '../basics/addresses.js'
import { count, slugOf } from '../basics/words.js'
import { chapterWith } from '../document/chapters.js'
import { codesIn, codesOf } from '../document/codes.js'
import { keyOf } from '../document/contents.js'
import { commonHeadersOf, ownHeadersOf } from '../document/headers.js'
import { examplesOf, mediaOf, parsed } from '../document/media.js'

/**
 * The replies of an operation, one at a time, the success first: its description and its example. The others are
 * grouped by the caller's next step.
 * @param {Tools} tools
 * @returns {Part}
 */
export function repliesPart({ React, h, ui, contents, component, Markdown }) {
  /** @type {Part['wrapComponents']} */
  const wrapComponents = {
    responses: () => props => {
      const { path, method } = props
      const operation = contents().byKey.get(keyOf(path, method))
      return operation ? h(Beside, { ...props, operation }) : null
    },
  }

  /**
   * The column beside an operation's inputs: code and reply. All replies follow below.
   * @param {Components['responses'] & { operation: Operation }} props
   */
  function Beside(props) {
    const { operation, tryItOutResponse } = props
    const { responses } = operation
    const { status, setStatus } = useStatus(operation)
    const isWide = useWide(React)
    const { response } = responses.find(reply => reply.status === status) ?? { response: undefined }
    const isBeside = isWide && !tryItOutResponse
    return h(
      React.Fragment,
      null,
      h(
        'div',
        { className: 'aside' },
        tryItOutResponse && h(Sent, { operation, response: tryItOutResponse }),
        h(component('TryItHint'), { operation }),
        h(component('Samples'), { operation }),
        isBeside && response && h(Examples, { key: status, response, status, operation }),
      ),
      response && h(Replies, { operation, response, status, setStatus, isWhole: !isBeside }),
    )
  }

  /**
   * The reply that is shown: the success at first, or the one to whose fields the address leads.
   * @param {Operation} operation
   */
  function useStatus({ tag, id, responses }) {
    const wanted = () => {
      const [, linkedTag, linkedId, status] = decoded(location.hash).split('/')
      return tag === linkedTag && id === linkedId && responses.find(reply => reply.status === status)?.status
    }
    const [status, setStatus] = React.useState(() => wanted() || (responses[0]?.status ?? ''))
    React.useEffect(() => {
      const follow = () => setStatus(present => wanted() || present)
      addEventListener('hashchange', follow)
      return () => removeEventListener('hashchange', follow)
    }, [])
    return { status, setStatus }
  }

  /**
   * The reply to the last request from the form.
   * @param {{ operation: Operation, response: ImmutableMap<ReplyState> }} props
   */
  function Sent({ operation, response }) {
    const { path, method } = operation
    const { fn, specSelectors } = ui()
    // While the next request is under way, the reply is still that to the one before.
    const answered = React.useMemo(() => fn.requestSent(operation), [response])
    const reply = React.useMemo(
      () => ({
        url: specSelectors.mutatedRequestFor(path, method)?.get('url') ?? '',
        status: response.get('status'),
        headers: response.get('headers')?.toJS() ?? {},
        text: response.get('text'),
        duration: response.get('duration'),
        message: response.get('message'),
      }),
      [response],
    )
    const isEarlier = answered !== undefined && answered !== fn.requestNow(operation)
    return h(component('Answer'), { reply, operation, isEarlier })
  }

  /** Rendered again only when it changes, not at each keystroke in a form. */
  const Replies = React.memo((/** @type {RepliesProps} */ props) => {
    const { operation, response, status, setStatus, isWhole } = props
    const found = contents()
    const { responses, id } = operation
    const groups = Map.groupBy(responses, reply => groupOf(reply.status))
    const panel = `replies-${slugOf(`${operation.tag} ${id}`)}`
    const media = mediaOf(response.content)
    const own = ownHeadersOf(response, found)
    const hasCommon = commonHeadersOf(found).length > 0
    const links = Object.entries(response.links ?? {})
    return h(
      'div',
      { className: 'replies' },
      h('h4', null, 'Replies'),
      h(
        'div',
        { className: 'reply-groups' },
        [...groups].map(([group, members]) =>
          h(
            'div',
            { key: group, className: 'reply-group' },
            h('span', { className: 'reply-group-name' }, group),
            h(component('Tabs'), {
              label: group,
              tabs: members.map(({ status: code }) => ({
                name: code,
                title: code,
                className: `status-${code.charAt(0)}`,
              })),
              selected: status,
              select: setStatus,
              controls: panel,
            }),
          ),
        ),
      ),
      h(
        'div',
        {
          className: 'reply',
          id: panel,
          role: 'tabpanel',
          'aria-label': `Reply ${status}`,
          'data-code': status,
        },
        h(
          'div',
          { className: 'reply-words' },
          h(Markdown, { source: response.description }),
          h(Codes, { response }),
          media?.schema &&
            !isErrorOnly(response, media) &&
            h(component('Fields'), {
              key: status,
              schema: media.schema,
              address: `/${operation.tag}/${operation.id}/${status}`,
            }),
          own.length > 0 && h(Headers, { own }),
          links.length > 0 &&
            h(
              'p',
              { className: 'where' },
              'Leads to: ',
              links.map(([name, link]) => found.resolve(link).operationId ?? name).join(', '),
            ),
          hasCommon &&
            h(
              'p',
              { className: 'hint' },
              'And the ',
              h('a', { href: `#${chapterWith(found, 'CommonHeaders')}` }, 'header fields of most replies'),
              '.',
            ),
        ),
        isWhole && h(Examples, { key: status, response, status, operation }),
      ),
    )
  })

  /**
   * The codes of a reply, with their meanings.
   * @param {{ response: Response }} props
   */
  function Codes({ response }) {
    const codes = codesOf(response)
    if (codes.length === 0) return null
    const known = new Map(codesIn(contents()).map(entry => [entry.code, entry]))
    return h(
      'dl',
      { className: 'codes' },
      codes.map(code =>
        h(
          React.Fragment,
          { key: code },
          h('dt', null, h('a', { href: `#errors/${code}` }, h('code', null, code))),
          h('dd', null, h(Markdown, { source: known.get(code)?.description.split(/\n\s*\n/)[0] ?? '' })),
        ),
      ),
    )
  }

  /** @param {{ own: NamedHeader[] }} props */
  function Headers({ own }) {
    return h(
      'details',
      null,
      h('summary', null, count(own.length, 'header field'), ': ', own.map(({ name }) => name).join(', ')),
      h(
        'dl',
        { className: 'own-headers' },
        own.map(({ name, header }) =>
          h(
            React.Fragment,
            { key: name },
            h('dt', null, h('code', null, name)),
            h('dd', null, h(Markdown, { source: header.description })),
          ),
        ),
      ),
    )
  }

  /** @param {Components['Examples']} props */
  function Examples({ response, status, operation, label = 'Example' }) {
    const media = mediaOf(response.content)
    const { resolve } = contents()
    const [name, setName] = React.useState('')
    const examples = media ? examplesOf(media, resolve) : []
    const sample = useSample(operation, status, media)
    const [first] = examples
    const { value } = examples.find(example => example.name === name) ?? first ?? { value: sample }
    if (!media || value === undefined)
      return h(
        'p',
        { className: 'no-body' },
        h('span', { className: `status status-${status.charAt(0)}` }, status),
        media ? ` ${media.type}` : ' has no body.',
      )
    const head = h(
      React.Fragment,
      null,
      h('span', { className: `status status-${status.charAt(0)}` }, status),
      examples.length > 1
        ? h(component('Tabs'), {
            label: 'Example',
            tabs: examples.map(example => ({ name: example.name, title: example.name })),
            selected: name || first?.name,
            select: setName,
          })
        : h('span', { className: 'media-type' }, media.type),
    )
    return h(component('Code'), {
      text: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      label: `${label} of ${status} of ${operation.id}`,
      head,
    })
  }

  /**
   * An example made from the schema if the document has none.
   * @param {Operation} operation
   * @param {string} status
   * @param {NamedMediaType | undefined} media
   */
  function useSample({ at }, status, media) {
    const { specSelectors, fn } = ui()
    const schema =
      media &&
      specSelectors.specResolvedSubtree(at)?.getIn(['responses', status, 'content', media.type, 'schema'])
    return React.useMemo(() => {
      if (!schema) return undefined
      const made = fn.getSampleSchema(schema.toJS(), media.type, { includeReadOnly: true })
      return (typeof made === 'string' && parsed(made)) || made
    }, [schema])
  }

  return { components: { Examples }, wrapComponents }
}

/**
 * @typedef {object} RepliesProps
 * @property {Operation} operation
 * @property {Response} response the one that is shown
 * @property {string} status
 * @property {(status: string) => void} setStatus
 * @property {boolean} isWhole whether its examples stand with it
 */

/**
 * Whether there is room for code beside the rest.
 * @param {Tools['React']} React
 */
function useWide(React) {
  const [query] = React.useState(() => matchMedia('(min-width: 1200px)'))
  const [isWide, setWide] = React.useState(query.matches)
  React.useEffect(() => {
    const follow = () => setWide(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [])
  return isWide
}

/**
 * Returns the caller's next step after a reply.
 * @param {string} status
 */
function groupOf(status) {
  if (/^[123]/.test(status)) return 'Success'
  if (/^(401|402|403|407|511)$/.test(status)) return 'Ask for access'
  if (status === '429') return 'Wait'
  if (/^(408|425|5)/.test(status)) return 'Try again'
  return status === 'default' ? 'Otherwise' : 'Fix the request'
}

/**
 * Whether a reply's codes say all about it. The fields of an error are the same everywhere.
 * @param {Response} response
 * @param {NamedMediaType} media
 */
const isErrorOnly = (response, { schema }) => codesOf(response).length > 0 && Boolean(schema?.$ref)
