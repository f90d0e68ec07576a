import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const read = (file: string) => readFileSync(file, 'utf8')

test.each(globSync('.github/workflows/*.yml'))(
  '%s pins each action by commit, and says its version',
  file => {
    const uses = read(file)
      .split('\n')
      .filter(line => /\buses:/.test(line))
    expect(uses.length).toBeGreaterThan(0)
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/)
  },
)

describe('each image is pinned by version and digest', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { image?: string }>
  }
  const images = {
    Dockerfile: [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image),
    'compose.yaml': Object.values(services).flatMap(({ image }) => image ?? []),
    '.devcontainer/devcontainer.json': [JSON.parse(read('.devcontainer/devcontainer.json')).image as string],
  }

  test.each(Object.entries(images))('each image in %s is pinned by version and digest', (_, named) => {
    expect(named.length).toBeGreaterThan(0)
    for (const image of named) expect(image).toMatch(/^\w+:\d+\.\d+(\.\d+)?-[\w-]+@sha256:[\da-f]{64}$/)
  })

  test('the image of Node is the version that the service is tested on', () => {
    const { version } = JSON.parse(read('node_modules/node/package.json')) as { version: string }
    const ofNode = Object.values(images)
      .flat()
      .filter(image => image.startsWith('node:'))
    expect(ofNode).toHaveLength(3)
    for (const image of ofNode) expect(image).toContain(`node:${version}-`)
  })
})

describe('scripts of packages at an install', () => {
  test('scripts at an install are those of listed packages, on every platform', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean }>
    }
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> }
    const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript && path !== '' ? path.replace(/^.*node_modules\//, '') : [],
    )
    expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(scripted)].toSorted())
  })

  test('an install with a script that is not listed fails', async () => {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'strict-allow-scripts'])
    expect(stdout.trim()).toBe('true')
  })
})
