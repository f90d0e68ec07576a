import { docsAddresses } from 'spec-served-document/contract/addresses'
import { codes } from '../../records/conventions.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'

/** The text of each operation beside the document is that of its method, its path and its summary. */
export async function probeTexts(session: Session): Promise<void> {
  const { model, endpoints } = session.contract
  const { operations } = docsAddresses(model)
  for (const endpoint of endpoints) {
    const { id, method, url, operation } = endpoint
    const sent = await session.send('GET', `${operations}/${encodeURIComponent(id)}.md`)
    const { status, text } = sent.reply
    if (status === 404) throw new LeftOut('needs texts of the operations')
    for (const part of [`operationId ${id}`, `\`${method} `, url, plain(operation.summary ?? id)])
      session.holdOf(
        endpoint,
        `its text of the docs lacks "${part}"`,
        plain(text).includes(plain(part)),
        sent,
      )
  }
  const unknown = `${operations}/${encodeURIComponent(`no ${endpoints[0]?.id}`)}.md`
  session.holdError(`the text ${unknown}`, await session.send('GET', unknown), codes.notFound)
}

/** A text without what Markdown escapes. */
const plain = (text: string) => text.replaceAll('\\', '')
