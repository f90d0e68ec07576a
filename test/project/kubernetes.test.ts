import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as apps from 'kubernetes-models/apps/v1'
import * as autoscaling from 'kubernetes-models/autoscaling/v2'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'
import ts from 'typescript'
import { expect, onTestFinished, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { startProcess } from '../support/process.ts'

interface Probe {
  httpGet: { path: string; port: string }
  periodSeconds: number
  failureThreshold: number
}
interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
}
interface Pod {
  terminationGracePeriodSeconds: number
  containers: {
    env: { name: string; value?: string }[]
    ports: { name: string; containerPort: number }[]
    lifecycle: { preStop: { sleep: { seconds: number } } }
    startupProbe: Probe
    livenessProbe: Probe
    readinessProbe: Probe
  }[]
}

const manifests: Manifest[] = parseAllDocuments(
  await readFile('scripts/production/kubernetes.yaml', 'utf8'),
).map(document => document.toJS())
const { spec } = manifests.find(({ kind }) => kind === 'Deployment') as unknown as {
  spec: { template: { spec: Pod } }
} // the next test holds it against Kubernetes' own types
const pod = spec.template.spec
const [container] = pod.containers
if (!container) throw new Error('The pod has no container')

const models: Record<string, new (data: never) => { validate(): void }> = {
  Deployment: apps.Deployment,
  Service: core.Service,
  PodDisruptionBudget: policy.PodDisruptionBudget,
  HorizontalPodAutoscaler: autoscaling.HorizontalPodAutoscaler,
}

test('the manifests are what Kubernetes takes, without a name that it does not know', async () => {
  expect(manifests.map(({ kind }) => kind)).toEqual(Object.keys(models))
  for (const manifest of manifests)
    new (models[manifest.kind] ?? apps.Deployment)(manifest as never).validate()
  const file = resolve('test/.output/kubernetes.ts')
  await mkdir('test/.output', { recursive: true })
  onTestFinished(() => rm(file, { force: true }))
  const lines = manifests.map(manifest => {
    const place = manifest.apiVersion === 'v1' ? 'v1' : manifest.apiVersion.replace('.k8s.io', '')
    return `void (${JSON.stringify(manifest)} satisfies import('kubernetes-models/${place}').I${manifest.kind})`
  })
  const faultsOf = async (text: string) => {
    await writeFile(file, text)
    const options = {
      module: ts.ModuleKind.NodeNext,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    }
    return ts
      .getPreEmitDiagnostics(ts.createProgram([file], options))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  }
  expect(await faultsOf(lines.join('\n'))).toEqual([])
  const [fault] = await faultsOf(lines.join('\n').replace('livenessProbe', 'livenesProbe'))
  expect(fault).toContain('livenesProbe')
})

test('each probe of the pod finds the service, and what ends a pod leaves time for all of it', async () => {
  const values = new Map(container.env.map(({ name, value }) => [name, value]))
  const metrics = container.ports.find(({ name }) => name === 'operators')
  expect(values.get('METRICS_PORT')).toBe(String(metrics?.containerPort))
  const ms = (name: string) => Number(values.get(name))
  const { preStop } = container.lifecycle
  const ending = preStop.sleep.seconds * 1_000 + ms('SHUTDOWN_DELAY_MS') + ms('SHUTDOWN_TIMEOUT_MS')
  expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(ending)
  const { readinessProbe, livenessProbe, startupProbe } = container
  // A load balancer that looks as the kubelet does has seen it before the stop begins.
  expect(readinessProbe.periodSeconds * (readinessProbe.failureThreshold + 1) * 1_000).toBeLessThanOrEqual(
    ms('SHUTDOWN_DELAY_MS'),
  )

  const server = await startProcess({
    DATA_DIR: resolve('test/.output', `kubernetes-${process.pid}`),
    METRICS_PORT: '0',
    LOG_FORMAT: 'json',
    SHUTDOWN_DELAY_MS: '300000',
  })
  onTestFinished(async () => {
    await server.stop('SIGKILL')
    await rm(resolve('test/.output', `kubernetes-${process.pid}`), { recursive: true, force: true })
  })
  const operatorsUrl = /Metrics for Prometheus are at (http\S+)\/metrics/.exec(server.output())?.[1]
  const ask = async ({ httpGet: { path, port } }: Probe) =>
    (await fetch(`${port === 'operators' ? operatorsUrl : server.url}${path}`)).status
  const all = () => Promise.all([startupProbe, livenessProbe, readinessProbe].map(ask))
  expect(await all()).toEqual([200, 200, 200])
  server.child.kill('SIGTERM')
  await expect.poll(all).toEqual([200, 200, 503])
})
