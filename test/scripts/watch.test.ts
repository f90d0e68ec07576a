import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { watchFor } from '../../scripts/dev/watch.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const root = temporaryDirectory()
mkdirSync(join(root, 'folder'))
let calls = 0
const watching = watchFor([root], () => calls++)
afterAll(() => {
  watching.close()
  rmSync(root, { recursive: true })
})

async function isNoticed(change: () => void) {
  const before = calls
  change()
  await expect.poll(() => calls).toBeGreaterThan(before)
}

/** As many editors save, and git checks out. */
function replace(file: string) {
  writeFileSync(`${root}.new`, 'text')
  renameSync(`${root}.new`, file)
}

test.each(['at-the-top.yaml', 'folder/below.ts'])(
  'each of many saves of %s is noticed, also by replacing it',
  async name => {
    const file = join(root, name)
    for (let i = 0; i < 3; i++) {
      await isNoticed(() => replace(file))
      await isNoticed(() => writeFileSync(file, String(i)))
    }
  },
)

test('a file in a folder that is new, or new again, is noticed', async () => {
  const folder = join(root, 'another', 'deep')
  for (let i = 0; i < 2; i++) {
    await isNoticed(() => mkdirSync(folder, { recursive: true }))
    await isNoticed(() => writeFileSync(join(folder, 'file.ts'), ''))
    await isNoticed(() => rmSync(join(root, 'another'), { recursive: true }))
    await isNoticed(() => {
      mkdirSync(folder, { recursive: true })
      rmSync(join(root, 'another'), { recursive: true })
      mkdirSync(folder, { recursive: true })
    })
    await isNoticed(() => writeFileSync(join(folder, 'file.ts'), ''))
    await isNoticed(() => rmSync(join(root, 'another'), { recursive: true }))
  }
})
