import { dirname, extname, join, relative, resolve } from 'node:path'
import { Misuse } from '../arguments.ts'

/**
 * Where the files of a document go in a project: the document to `spec/openapi.yaml`, what it refers to beside it.
 * @param files of which the first is the document
 * @throws Misuse where its further files would not stand beside it
 */
export function placesOf([document = '', ...others]: readonly string[]): Map<string, string> {
  const own = 'spec/openapi.yaml'
  const places = new Map([[document, own]])
  for (const other of others) {
    const place = relative(dirname(resolve(document)), resolve(other))
    if (place.startsWith('..'))
      throw new Misuse(
        `${other} is not within the folder of ${document}: put both in one, or bundle the document first`,
      )
    const to = join('spec', place)
    if (to === own)
      throw new Misuse(`${other} would stand where ${document} goes: give it another name than ${place}`)
    places.set(other, to)
  }
  if (!['.yaml', '.yml', '.json'].includes(extname(document)))
    throw new Misuse(`${document} is neither YAML nor JSON by its name`)
  return places
}
