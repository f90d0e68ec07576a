/**
 * Reads the template of a path.
 * @returns the names of its parameters, what it has in common with all that no request can tell from it, and what is wrong
 */
export function readTemplate(path: string): { names: string[]; shape: string; faults: string[] } {
  const names = [...path.matchAll(/\{([^{}/]+)\}/g)].map(match => match[1] ?? '')
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  const rules: [isBroken: boolean, message: string][] = [
    [!path.startsWith('/'), `A path begins with a slash: write /${path.replace(/^[\s/]+/, '')}.`],
    [/[?#]/.test(path), 'A path has neither a query nor a fragment: write query parameters as such.'],
    [
      /(^|\/)\.\.?(\/|$)/.test(unescaped(path)),
      'No client asks for a path with . or .. in it (RFC 3986, section 5.2.4): leave these segments out.',
    ],
    [
      /[{}]/.test(path.replace(/\{[^{}/]+\}/g, '')),
      'The braces of this path do not match: write each parameter as {name}.',
    ],
    [repeated !== undefined, `The path names ${repeated} twice: give one of them another name.`],
  ]
  const faults = rules.flatMap(([isBroken, message]) => (isBroken ? [message] : []))
  return { names, shape: unescaped(path.replace(/\{[^{}/]+\}/g, '{}')), faults }
}

/** A path as it reads without its escapes, but for slashes. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path.replace(/%2f/gi, '%252f'))
  } catch {
    return path
  }
}

/** `getPetsByPetId` for GET /pets/{petId}. */
export function derivedId(method: string, path: string): string {
  const words = path.split('/').flatMap(segment => {
    const by = segment.startsWith('{') ? ['by'] : []
    return [...by, ...segment.split(/[^A-Za-z0-9]+/)].filter(Boolean)
  })
  return [method, ...words.map(word => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}
