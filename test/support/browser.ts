import chromium from '@sparticuz/chromium'
import { type Browser, chromium as launcher } from 'playwright-core'

/** Starts a headless Chromium: the one at CHROME_PATH, else the one that comes from npm. The caller closes it. */
export async function startBrowser(): Promise<Browser> {
  chromium.setGraphicsMode = false
  return launcher.launch({
    executablePath: process.env.CHROME_PATH ?? (await chromium.executablePath()),
    // Not the package's own arguments: they switch off the web's security rules, which the tests are to see at work.
    args: ['--no-sandbox', '--disable-gpu'],
  })
}
