import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from '../command/command.ts'
import { main } from '../command/run.ts'
import { rootWith } from '../command/tree.ts'
import { operatorCommands } from './tree.ts'

/** The package with the commands for the document, which a production install leaves out. */
const tools = 'spec-served-cli'

/** Runs the command that the arguments name: an operators' command, or one of the tools where these are installed. */
export async function runProgram(): Promise<void> {
  await main(await root())
}

/** Returns all commands that are installed: in the project of this folder, or beside this package. */
async function root(): Promise<Command> {
  try {
    return (await import(placeIn(process.cwd()) ?? tools)).root
  } catch (error) {
    if (!isMissing(error)) throw error
    return rootWith({
      commands: operatorCommands,
      missing: `It may be one of ${tools}: \`npm install --save-dev ${tools}\` installs them.`,
    })
  }
}

/** Returns the URL of the tools of a project; undefined if it has none. Some package managers hide them from this package. */
function placeIn(folder: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(folder, 'package.json')).resolve(tools)).href
  } catch {
    return undefined
  }
}

/** Whether an import failed as the package itself is not installed, and not one that it needs. By Yarn's Plug'n'Play errors have no code. */
const isMissing = (error: unknown) =>
  Object(error).code === 'ERR_MODULE_NOT_FOUND'
    ? String(error).includes(`'${tools}'`)
    : String(error).includes(`tried to access ${tools}, but`)
