#!/usr/bin/env node
// An older Node lacks some of what the commands use. So nothing of them is loaded before it is known to be new enough.
const oldest = 24
const { node } = process.versions
if (Number.parseInt(node, 10) >= oldest) {
  await import('#command/compile-cache') // before what it keeps is loaded
  const { runProgram } = await import('#operate/program')
  await runProgram()
} else {
  console.error(
    `spec-served needs Node ${oldest} or newer, and this is ${node}: \`npm install node@${oldest}\` in the project brings it.`,
  )
  process.exitCode = 2
}
