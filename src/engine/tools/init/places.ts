import { dirname, extname, join, relative, resolve } from 'node:path'
import { Misuse } from 'spec-served/internal/command/arguments'

/**
 * Returns the places of a document's files in a project: `spec/openapi.yaml`, and beside it the files it refers to.
 * @param files the document first
 * @throws Misuse if one of them would stand in its place
 */
export function placesOf([document = '', ...others]: readonly string[]): Map<string, string> {
  const documentPlace = 'spec/openapi.yaml'
  const places = new Map([[document, documentPlace]])
  for (const other of others) {
    const place = relative(dirname(resolve(document)), resolve(other))
    const to = join('spec', place)
    if (to === documentPlace)
      throw new Misuse(`${other} would stand where ${document} goes: give it another name than ${place}`)
    places.set(other, to)
  }
  if (!['.yaml', '.yml', '.json'].includes(extname(document)))
    throw new Misuse(`${document} is neither YAML nor JSON by its name`)
  return places
}
