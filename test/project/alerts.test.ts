import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const read = (name: string): unknown => parse(readFileSync(`scripts/production/${name}`, 'utf8'))
/** The texts under a name, wherever they stand. */
function textsAt(node: unknown, name: string): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) =>
    key === name && typeof value === 'string' ? [value] : textsAt(value, name),
  )
}

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const promtool = async (...args: string[]) =>
  (await promisify(execFile)('promtool', args, { cwd: 'scripts/production' })).stdout

test('each alert has a case in which it fires', () => {
  const { tests } = read('alerts.test.yaml') as {
    tests: { alert_rule_test?: { alertname: string; exp_alerts: unknown[] }[] }[]
  }
  const firing = tests
    .flatMap(({ alert_rule_test = [] }) => alert_rule_test)
    .flatMap(({ alertname, exp_alerts }) => (exp_alerts.length > 0 ? [alertname] : []))
  expect([...new Set(firing)].toSorted()).toEqual(textsAt(read('alerts.yaml'), 'alert').toSorted())
})

test.skipIf(!hasPromtool)('the alerts fire when they should, by promtool', async () => {
  expect(await promtool('check', 'rules', 'alerts.yaml')).toContain('SUCCESS')
  expect(await promtool('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS')
})

test.skipIf(!hasPromtool)('what the dashboard asks Prometheus is PromQL', async () => {
  const expressions = textsAt(read('grafana.json'), 'expr')
  expect(expressions.length).toBeGreaterThan(20)
  const rules = expressions.map((text, i) => ({
    record: `panel_${i}`,
    expr: text.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  }))
  await using directory = await mkdtempDisposable(join(tmpdir(), 'petstore-alerts-'))
  const file = join(directory.path, 'panels.json')
  await writeFile(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
  expect(await promtool('check', 'rules', file)).toContain(`${rules.length} rules found`)
})
