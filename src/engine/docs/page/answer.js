/** The reply to a request from the page: its status, what it says of an error, and how to go on. */
function answerPart({ React, h, contents, component }) {
  /** Around Swagger UI's own: what is to be read first. */
  function Answer(props) {
    const { response, path, method } = props
    const LiveResponse = component('liveResponse')
    const status = response.get('status')
    return h(
      'div',
      { className: 'answer', 'aria-live': 'polite' },
      h(
        'div',
        { className: 'samples-head' },
        h('h4', null, 'Reply'),
        status && h('span', { className: `status status-${String(status)[0]}` }, status),
        response.get('duration') && h('span', { className: 'hint' }, `${response.get('duration')} ms`),
      ),
      h(Refusal, { response }),
      h(LiveResponse, { ...props, response, path, method }),
    )
  }

  /** Of an error: its code, where to read on, what is wrong in the request, and how long to wait. */
  function Refusal({ response }) {
    const headers = response.get('headers')?.toJS?.() ?? {}
    const body = parsed(response.get('text') ?? '')
    const isError = Number(response.get('status')) >= 400
    const known = codesIn(contents()).some(({ code }) => code === body?.code)
    const details = Array.isArray(body?.details) ? body.details.filter(detail => detail?.message) : []
    const retryAfter = headers['retry-after']
    const requestId = headers['x-request-id']
    if (!isError) return requestId ? h(RequestId, { requestId }) : null
    return h(
      'div',
      { className: 'refusal' },
      body?.code &&
        h(
          'p',
          { className: 'refusal-code' },
          known
            ? h('a', { href: `#errors/${body.code}` }, h('code', null, String(body.code)))
            : h('code', null, String(body.code)),
          ' ',
          typeof body.message === 'string' && body.message,
        ),
      details.length > 0 &&
        h(
          'ul',
          { className: 'details' },
          details.map((detail, i) =>
            h(
              'li',
              { key: i },
              detail.path && h('code', null, String(detail.path)),
              ' ',
              String(detail.message),
            ),
          ),
        ),
      retryAfter && h(RetryAfter, { key: requestId, value: retryAfter }),
      requestId && h(RequestId, { requestId }),
    )
  }

  const RequestId = ({ requestId }) =>
    h(
      'p',
      { className: 'request-id' },
      'Request ',
      h('code', null, requestId),
      h('span', { className: 'hint' }, ' name it when you ask for help'),
    )

  /** Counts down to when it is worth while to ask again (RFC 9110, section 10.2.3). */
  function RetryAfter({ value }) {
    const [until] = React.useState(() =>
      /^\d+$/.test(value) ? Date.now() + Number(value) * 1000 : Date.parse(value),
    )
    const [now, setNow] = React.useState(Date.now())
    React.useEffect(() => {
      const timer = setInterval(() => setNow(Date.now()), 1000)
      return () => clearInterval(timer)
    }, [])
    if (Number.isNaN(until)) return null
    const seconds = Math.ceil((until - now) / 1000)
    return h(
      'p',
      { className: 'retry-after' },
      seconds > 0 ? `Try again in ${duration(seconds)}.` : 'You may try again now.',
    )
  }

  /** Why an operation can't be tried here, where the document says so. */
  function TryItHint({ operation }) {
    if (!operation.operation['x-hideTryItPanel']) return null
    return h(
      'p',
      { className: 'no-try-it hint' },
      'This operation can’t be tried from here: its document asks for that. Use the code below.',
    )
  }

  /** A text that came as the body of a reply. */
  function HighlightCode({ children, language, downloadable, fileName }) {
    const text = String(children ?? '')
    const save = () => {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([text]))
      link.download = fileName ?? 'reply.txt'
      link.click()
      URL.revokeObjectURL(link.href)
    }
    return h(
      'div',
      { className: 'highlight-code' },
      h(component('Code'), { text, language: language ?? 'text', label: 'Body of the reply' }),
      downloadable &&
        h('button', { type: 'button', className: 'download-contents', onClick: save }, 'Download'),
    )
  }

  const wrapComponents = {
    // The code beside the form shows the same request.
    curl: () => () => null,
  }
  return { components: { Answer, HighlightCode, TryItHint }, wrapComponents }
}
