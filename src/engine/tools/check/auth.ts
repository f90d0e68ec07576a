import { readFileSync } from 'node:fs'
import { schemesOf } from 'spec-served/internal/callers/security'
import { checkCredential, didYouMean, Misuse } from 'spec-served/internal/command/arguments'
import type { Model } from 'spec-served-document/model'
import type { Secret } from './keys.ts'

/**
 * Reads credentials by the names of the document's security schemes. Those of different schemes are one caller's; a scheme
 * that is given again begins another caller.
 * @param lines `NAME=VALUE`, or `NAME` for the value of the environment variable of this name in capitals
 * @throws Misuse
 */
export function callersFrom(model: Model, lines: readonly string[], env: NodeJS.ProcessEnv): Secret[] {
  const names = schemesOf(model).map(({ name }) => name)
  const callers: Record<string, string>[] = []
  for (const line of lines) {
    const [, name = '', value = variableOf(name, env)] = /^([^=]+)(?:=(.*))?$/s.exec(line) ?? []
    if (!names.includes(name)) {
      const hint = names.length > 0 ? didYouMean(name, names) : ': the document has no security schemes'
      throw new Misuse(`--auth: there is no security scheme ${name}${hint}`)
    }
    checkCredential(value)
    const last = callers.at(-1)
    if (last && !(name in last)) last[name] = value
    else callers.push({ [name]: value })
  }
  return callers
}

function variableOf(name: string, env: NodeJS.ProcessEnv): string {
  const variable = name.toUpperCase().replace(/\W+/g, '_')
  const value = env[variable]
  if (value !== undefined) return value
  throw new Misuse(`--auth ${name} has no value: write ${name}=VALUE, or set the variable ${variable}`)
}

/** The lines of a file of credentials, `NAME=VALUE` each. */
export const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
