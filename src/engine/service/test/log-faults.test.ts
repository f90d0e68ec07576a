import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import {
  type LoggingServer,
  openPipe,
  startLogging,
  type UnreadPipe,
} from 'spec-served-lab/support/log-output'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../testing/temporary.ts'

/** Requests that log more than the queue holds. */
const tooMany = 400

let directory: string
let pipe: UnreadPipe
beforeEach(() => {
  directory = temporaryDirectory()
  pipe = openPipe(directory)
})
afterEach(() => {
  pipe.close()
  rmSync(directory, { recursive: true })
})

const count = (text: string, part: string) => text.split(part).length - 1
const lostLines = /[1-9]\d* lines of the log are lost/

// A process that waits for its log does so for ever.
describe('a service', () => {
  let server: LoggingServer | undefined
  afterEach(async () => {
    await server?.stop('SIGKILL')
    server = undefined
  })

  test.each([
    ['json', 'onto a full disk', 'ENOSPC'],
    ['pretty', 'into a pipe that nobody reads', 'its reader does not read'],
  ])(
    'that logs as %s %s goes on serving, tells once that lines are lost, and stops',
    async (format, place, reason) => {
      const full = openSync('/dev/full', 'w')
      const data = await dataDirectory(join(directory, 'data'))
      server = await startLogging(
        { DATA_DIR: data, LOG_FORMAT: format },
        place.includes('pipe') ? pipe.input : full,
      )
      closeSync(full)
      await server.fillLog(tooMany)
      expect((await fetch(`${server.url}/health`)).status).toBe(200)
      expect(await server.stop()).toBe(0)
      expect(count(server.errors(), "The log can't be written")).toBe(1)
      expect(server.errors()).toContain(`The log can't be written (${reason}`)
      expect(server.errors()).toMatch(lostLines)
    },
  )
})

describe.each(['json', 'pretty'])('log lines in the form %s', format => {
  /**
   * Runs a program that logs a thousand lines at each line of its input, and tells that. It ends with its input.
   * @param characters of each line
   */
  function startProgram(stdout: number, characters = 2_000) {
    const url = JSON.stringify(new URL('../process/log-stream.ts', import.meta.url).href)
    const program = `
      const { openLogStream } = await import(${url})
      const stream = await openLogStream('${format}')
      let number = 0
      process.stdin.on('data', () => {
        for (let i = 0; i < 1000; i++)
          stream.write(JSON.stringify({ level: 30, time: 0, msg: 'line ' + ++number + ' ' + 'x'.repeat(${characters}) }) + '\\n')
        console.error('logged ' + number)
      })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['pipe', stdout, 'pipe'],
    })
    let errors = ''
    child.stderr?.on('data', data => (errors += data))
    const ended = new Promise<number | null>(resolve => child.on('close', resolve))
    return {
      errors: () => errors,
      async log(lines: number) {
        child.stdin?.write('\n')
        await expect.poll(() => errors).toContain(`logged ${lines}`)
      },
      end() {
        child.stdin?.end()
        return ended
      },
    }
  }
  const numbersIn = (text: string) =>
    [...text.matchAll(/line (\d+) x*\W/g)].map(([, number]) => Number(number))

  test('log lines are written again once their reader reads again, and the log has the number of dropped ones', async () => {
    const program = startProgram(pipe.input)
    await program.log(1_000)
    let text = ''
    const notice = /The log can be written again\. ([1-9]\d*) lines were dropped\./
    const read = () => {
      text += pipe.read()
      return program.errors()
    }
    await expect.poll(read, { interval: 5 }).toMatch(notice)
    const dropped = Number(notice.exec(program.errors())?.[1])
    const numbers = numbersIn(text)
    // The first ones wait and the last ones are dropped, so that what led to it is there.
    expect(numbers).toEqual(Array.from({ length: 1_000 - dropped }, (_, i) => i + 1))
    expect(text.length).toBeGreaterThan(1_000_000)
    expect(text.length).toBeLessThan(1_300_000)
  })

  test('log lines are all written at the end when their reader is only slow', async () => {
    const program = startProgram(pipe.input, 70)
    await program.log(1_000)
    const ended = program.end()
    let text = ''
    const reading = setInterval(() => (text += pipe.read()), 5)
    expect(await ended).toBe(0)
    clearInterval(reading)
    text += pipe.read()
    expect(numbersIn(text)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1))
    expect(program.errors()).not.toContain('lost')
  })

  test('only the log lines of a pipe whose reader has ended are lost', async () => {
    const program = startProgram(pipe.input)
    pipe.end()
    await program.log(1_000)
    await program.log(2_000)
    expect(await program.end()).toBe(0)
    expect(count(program.errors(), "The log can't be written (EPIPE")).toBe(1)
    expect(program.errors()).toMatch(lostLines)
  })

  test('log lines are all in a file, in their order', async () => {
    const file = join(directory, 'log')
    const output = openSync(file, 'a')
    const program = startProgram(output)
    closeSync(output)
    await program.log(1_000)
    await program.log(2_000)
    expect(await program.end()).toBe(0)
    expect(numbersIn(readFileSync(file, 'utf8'))).toEqual(Array.from({ length: 2_000 }, (_, i) => i + 1))
    expect(program.errors()).toBe('logged 1000\nlogged 2000\n')
  })
})
