import { changesFeed } from 'spec-served/internal/docs/feed'
import { staticPage } from 'spec-served/internal/docs/static'
import type { Contract } from 'spec-served-document/contract/contract'
import type { Model } from 'spec-served-document/model'
import { stringify } from 'yaml'
import { interfaceInMarkdown, operationInMarkdown, type TextAddresses } from '../texts/markdown.ts'
import { sampleWriter } from '../texts/samples.ts'

/** The most bytes of all files. */
const mostBytes = 256 * 1024 ** 2
/** The longest name of a file, in characters: file systems take 255 bytes. */
const longestName = 100

/**
 * Makes the docs of a document as files: the page, the document as JSON and YAML, and the Markdown. All addresses in them are
 * relative to the file.
 * @param text the document as it was written; undefined: it is written in several files
 * @throws Error if the files are larger than 256 MiB
 */
export async function docsFiles(contract: Contract, text: string | undefined): Promise<Map<string, Buffer>> {
  const { model, facts, changelog, texts } = contract
  const hasSunsets = [...facts.values()].some(({ deprecation }) => deprecation?.sunset)
  const page = await staticPage(contract, {
    ...{ json: '/openapi.json', yaml: '/openapi.yaml' },
    changes: changelog === '' ? undefined : '/changes.md',
    feed: changelog === '' ? undefined : '/changes.atom',
    sunsets: hasSunsets ? '/sunsets.ics' : undefined,
  })
  const names = fileNames(model.operations.map(({ id }) => id))
  const from = (folder: string): TextAddresses => ({
    ...{ page: `${folder}index.html`, json: `${folder}openapi.json`, yaml: `${folder}openapi.yaml` },
    llms: `${folder}llms.txt`,
    operation: id => `${folder}operations/${names.get(id)}.md`,
  })
  const files = new Map(page)
  const add = (name: string, content: string) => files.set(name, Buffer.from(content))
  add('openapi.json', JSON.stringify(model.document))
  add('openapi.yaml', text ?? stringify(model.document, { aliasDuplicateObjects: false }))
  add('llms.txt', interfaceInMarkdown(model.document, contract, from('')))
  const samplesOf = sampleWriter(model, originOf(model))
  for (const operation of model.operations) {
    const content = operationInMarkdown(contract, operation, from('../'), samplesOf(operation))
    add(`operations/${names.get(operation.id)}.md`, content)
  }
  if (changelog !== '') {
    add('changes.md', changelog)
    add('changes.atom', changesFeed(model.document.info.title, changelog, './'))
  }
  if (hasSunsets) add('sunsets.ics', texts.sunsets)
  for (const { version, read } of contract.releases ?? []) files.set(`releases/${version}.yaml`, await read())
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  if (bytes > mostBytes)
    throw new Error(
      `The docs would take ${Math.ceil(bytes / 1024 ** 2)} MiB, and may take ${mostBytes / 1024 ** 2}. Nothing was written.`,
    )
  return files
}

/** Returns the origin of the document's first server; one that stands for it where the document names none. */
function originOf({ document: { servers: [{ url, variables = {} } = { url: '' }] = [] } }: Model): string {
  const written = url.replace(/\{([^}]+)\}/g, (whole, name: string) => variables[name]?.default ?? whole)
  return URL.canParse(written) ? new URL(written).origin : 'https://api.example'
}

/** Gives each operationId the name of a file that every file system and every address takes as it is. */
function fileNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const id of ids) {
    const plain = id.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, longestName) || 'operation'
    let name = plain
    // Some file systems do not distinguish capital letters from small ones.
    for (let i = 2; taken.has(name.toLowerCase()); i++) name = `${plain}-${i}`
    taken.add(name.toLowerCase())
    names.set(id, name)
  }
  return names
}
