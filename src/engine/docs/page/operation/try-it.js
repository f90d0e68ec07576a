/** @import { Operation, OperationObject, Parameter, RequestBody } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { GetSampleSchema, ImmutableMap, Part } from '../swagger-ui/types.js' */
import { served } from '../basics/served.js'
import { sampleRequest } from '../code/sample-request.js'
import { keyOf } from '../document/contents.js'
import { isJson } from '../document/media.js'
import { changesAccessOrRemoves } from '../document/security.js'

/**
 * Requests from the page. It asks before a removal or a change of access, and gives each POST a key of its own.
 * @param {Tools} tools
 * @returns {Part}
 */
export function tryItPart({ React, h, ui, contents, operationAt, component }) {
  /**
   * @param {string} path
   * @param {string} method
   */
  const needsQuestion = (path, method) =>
    changesAccessOrRemoves(method, operationAt(path, method)?.['x-required-scope'])

  /** @type {Part['components']} */
  const components = {
    /** The form is always open, so this button only restores an edited body. */
    TryItOutButton: ({ hasUserEditedBody, onResetClick }) =>
      hasUserEditedBody &&
      h(
        'div',
        { className: 'try-out' },
        h('button', { type: 'button', className: 'btn try-out__btn reset', onClick: onResetClick }, 'Reset'),
      ),
  }

  /** @type {Part['wrapComponents']} */
  const wrapComponents = {
    /** The text area for a body begins with the document's example, except where that would change access. */
    RequestBody: Original => props => {
      const [, path = '', method = ''] = props.specPath.toArray()
      const type = props.contentType || props.requestBody.get('content')?.keySeq().first() || ''
      const beginsEmpty = needsQuestion(path, method)
      const fitting = served.bodies[operationAt(path, method)?.operationId ?? ''] ?? {}
      /** @param {string} one */
      const textFor = one => (beginsEmpty && isJson(one) ? '{}' : fitting[one])
      const sample = props.fn.getSampleSchema
      /** @type {GetSampleSchema} */
      const getSampleSchema = (...values) => textFor(values[1]) ?? sample(...values)
      const fn = { ...props.fn, getSampleSchema }
      const requestBody = bodyWithoutExamples(props.requestBody, textFor)
      return h(
        component('Named'),
        { name: 'Request body', isJson: isJson(type) },
        h(Original, { ...props, fn, requestBody }),
      )
    },

    execute: Original => props => {
      const { path, method, specActions, onExecute } = props
      /** @type {[unknown, (request: unknown) => void]} */
      const [request, setRequest] = React.useState()
      if (!needsQuestion(path, method)) return h(Original, props)
      /** @param {boolean} isSent */
      const answer = isSent => {
        setRequest(undefined)
        if (!isSent) return
        onExecute?.()
        specActions.execute(request)
      }
      return h(
        React.Fragment,
        null,
        h(Original, { ...props, onExecute: undefined, specActions: { ...specActions, execute: setRequest } }),
        request !== undefined && h(Question, { path, method, answer }),
      )
    },
  }

  /**
   * Asks before the page sends a request. Escape means no.
   * @param {{ path: string, method: string, answer(isSent: boolean): void }} props
   */
  function Question({ path, method, answer }) {
    /** @type {{ current: HTMLDialogElement | null }} */
    const box = React.useRef(null)
    React.useEffect(() => {
      const opener = document.activeElement
      box.current?.showModal()
      /** @type {HTMLButtonElement | null | undefined} */
      const no = box.current?.querySelector('button:last-of-type')
      no?.focus()
      return () => {
        if (opener instanceof HTMLElement) opener.focus()
      }
    }, [])
    const values = ui().specSelectors.parameterValues([path, method])
    const target = path.replace(/\{(\w+)\}/g, (whole, /** @type {string} */ name) =>
      String(values.get(`path.${name}`) ?? values.get(name) ?? whole),
    )
    return h(
      'dialog',
      { ref: box, className: 'question', 'aria-labelledby': 'question', onCancel: () => answer(false) },
      h('h4', { id: 'question' }, 'Send this request?'),
      h('p', null, operationAt(path, method)?.summary),
      h('pre', null, `${method.toUpperCase()} ${target}`),
      h('button', { type: 'button', className: 'btn execute', onClick: () => answer(true) }, 'Send'),
      h('button', { type: 'button', className: 'btn', onClick: () => answer(false) }, 'Don’t send'),
    )
  }

  /**
   * @param {(path: string, method: string) => boolean} original
   * @returns {(state: unknown, path: string, method: string) => boolean}
   */
  const allowTryItOutFor = original => (_state, path, method) =>
    !operationAt(path, method)?.['x-hideTryItPanel'] && original(path, method)

  /**
   * One key for one request: the next request has a new one, unless the reader left the field empty.
   * @param {(request: SentRequest) => unknown} original
   * @returns {(request: SentRequest) => Promise<unknown>}
   */
  const executeRequest = original => async request => {
    const { pathName, method } = request
    const operation = contents().byKey.get(keyOf(pathName, method))
    if (operation) sent.set(operation, requestNow(operation))
    const result = await original(request)
    for (const parameter of request.operation.get('parameters') ?? []) {
      if (!isIdempotencyKey(parameter)) continue
      const known = ui().specSelectors.parameterWithMetaByIdentity([pathName, method], parameter)
      if (known?.get('value'))
        ui().specActions.changeParamByIdentity([pathName, method], parameter, randomUuid())
    }
    return result
  }

  /**
   * The last request that the form of an operation sent.
   * @type {Map<Operation, string | undefined>}
   */
  const sent = new Map()

  /**
   * The request that the form would send now, as a text to compare. The key of a repeated POST makes no other request.
   * @param {Operation} operation
   */
  const requestNow = operation => {
    try {
      const authorized = ui().authSelectors.authorized().toJS()
      const { method, url, headers, text, form } = sampleRequest(operation, contents(), ui, authorized)
      const kept = headers.filter(([name]) => !/^idempotency-key$/i.test(name))
      const parts = form?.map(([name, part]) => [name, typeof part === 'string' ? part : part.name])
      return JSON.stringify([method, url, kept, text, parts])
    } catch {
      return undefined // a form may hold values of which no request can be made
    }
  }

  const statePlugins = {
    spec: { wrapSelectors: { allowTryItOutFor }, wrapActions: { executeRequest } },
  }
  const fn = { requestNow, requestSent: (/** @type {Operation} */ operation) => sent.get(operation) }
  return { components, wrapComponents, statePlugins, fn }
}

/**
 * A request as Swagger UI sends it.
 * @typedef {object} SentRequest
 * @property {string} pathName
 * @property {string} method
 * @property {ImmutableMap<OperationObject>} operation
 */

/**
 * A body without examples where its text area begins with another text.
 * @param {ImmutableMap<RequestBody>} body
 * @param {(type: string) => string | undefined} textFor
 */
const bodyWithoutExamples = (body, textFor) =>
  body.update('content', content =>
    content?.map((media, type) =>
      textFor(type) === undefined ? media : media.delete('examples').delete('example'),
    ),
  )

/**
 * Whether a parameter is the field of draft-ietf-httpapi-idempotency-key-header.
 * @param {ImmutableMap<Parameter>} parameter
 */
export const isIdempotencyKey = parameter =>
  parameter.get('in') === 'header' && parameter.get('name')?.toLowerCase() === 'idempotency-key'

/** A random UUID (RFC 9562, version 4). `crypto.randomUUID` exists only on pages from https and localhost. */
export function randomUuid() {
  const bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte, i) =>
    i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte,
  )
  const hex = bytes.map(byte => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
