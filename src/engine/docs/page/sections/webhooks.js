/** @import { Operation } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { keyOf } from '../document/contents.js'
import { mediaOf } from '../document/media.js'

/**
 * The requests that the service itself sends, with their bodies and the expected replies.
 * @param {Tools} tools
 * @returns {Part}
 */
export function webhooksPart({ h, contents, component, Markdown }) {
  /** @type {Part['components']} */
  const components = {
    Webhooks: () => {
      const { webhooks } = contents()
      if (webhooks.length === 0) return null
      return h(
        'section',
        { className: 'schemas', 'aria-labelledby': 'webhooks', 'data-place': 'webhooks' },
        h('h2', { className: 'opblock-tag', id: 'webhooks' }, 'Webhooks'),
        webhooks.map(webhook => h(Webhook, { key: keyOf(webhook.path, webhook.method), webhook })),
      )
    },
  }

  /** @param {{ webhook: Operation }} props */
  function Webhook({ webhook: { path, method, operation, body, responses } }) {
    const media = body && mediaOf(body.content)
    const answers = responses.map(({ status, response }) => `- \`${status}\`: ${response.description}`)
    return h(
      'section',
      { className: 'schema', 'aria-label': path },
      h('h3', null, `${method.toUpperCase()} ${path}`, h('small', { className: 'hint' }, operation.summary)),
      h(Markdown, { source: operation.description }),
      media?.schema && h(component('Fields'), { schema: media.schema }),
      answers.length > 0 && h(Markdown, { source: ['Answer with one of:', '', ...answers].join('\n') }),
    )
  }

  return { components }
}
