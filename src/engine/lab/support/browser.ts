import { chromium as launcher } from 'playwright-core'
import { keepTemplate } from 'spec-served/internal/testing/template'
import type { TestProject } from 'vitest/node'
import { chromiumPath } from './chromium.ts'
import { service } from './petstore.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** the address of the Chromium that the tests of the docs page share */
    browser: string
  }
}

/** Starts a headless Chromium: the one at CHROME_PATH, else that of npm. Each test file has contexts of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = await launcher.launchServer({
    executablePath: await chromiumPath(),
    // Not the package's own arguments: they switch off the web's security rules, which the tests are to see at work.
    args: ['--no-sandbox', '--disable-gpu'],
  })
  project.provide('browser', browser.wsEndpoint())
  await keepTemplate(service.migrations) // which all of them copy
  return () => browser.close()
}
