import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { authorize, block, docs, execute, fieldOf, open, pictures, tryOut, useDocs } from './support.ts'

useDocs()

const sizes = {
  desk: { width: 1440, height: 900 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 390, height: 844 },
}
const looks = {
  light: { colorScheme: 'light', contrast: 'no-preference' },
  dark: { colorScheme: 'dark', contrast: 'no-preference' },
  contrast: { colorScheme: 'light', contrast: 'more' },
} as const

/** What axe-core has against the page as it is, with the parts that it means; only colours change with the look. */
async function findings(page: Page, look: string): Promise<string[]> {
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const runOnly = look === 'light' ? rules : ['color-contrast']
  const { violations } = await page.evaluate<axe.AxeResults>(
    `axe.run(document, ${JSON.stringify({ runOnly })})`,
  )
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('\n')}`,
  )
}

const patient = { timeout: 600_000 } // examining takes long where others work too

test.each(Object.entries(sizes))(
  'axe-core finds nothing on a %s, in any look',
  patient,
  async (size, viewport) => {
    const page = await docs({ viewport })
    await page.evaluate(axe.source)
    /** Takes a picture of what is there, and examines it, in each look; the beginning has no colour of its own. */
    const examine = async (name: string) => {
      for (const [look, media] of Object.entries(looks)) {
        // Its colours are those of the phone.
        if (size === 'tablet' && look !== 'light') continue
        await page.emulateMedia(media)
        await page.waitForTimeout(300) // colours fade in
        await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
        await page.screenshot({ path: `${pictures}/${size}-${look}-${name}.png` })
        if (look === 'light' || name !== 'home')
          expect(await findings(page, look), `${name}, ${look}`).toEqual([])
      }
    }
    await examine('home')
    await authorize(page)
    for (const id of ['getPet', 'createPets'] as const) await open(page, id)
    await open(page, 'listCategories')
    await execute(page, 'listCategories')
    await tryOut(page, 'deleteCategory')
    await fieldOf(page, 'deleteCategory', 'categoryId').fill('1000')
    await block(page, 'listCategories').evaluate(found => found.scrollIntoView())
    await page.waitForTimeout(500) // the field is read when nothing was typed for a moment
    await examine('operation')
    if (size === 'desk') {
      await block(page, 'deleteCategory').getByRole('button', { name: 'Execute' }).click()
      await page.getByRole('dialog', { name: 'Send this request?' }).waitFor()
      await examine('question')
      await page.keyboard.press('Escape')
      await page.locator('.scheme-container .authorize').click()
      await page.locator('.dialog-ux').waitFor()
      await examine('key')
      await page.keyboard.press('Escape')
    } else {
      await page.getByRole('button', { name: 'Contents and search' }).click()
      await examine('contents')
      await page.keyboard.press('Escape')
    }
    await page.evaluate(`location.hash = '#errors'`)
    await page.locator('.guide').waitFor()
    await page.waitForTimeout(700) // until the page has settled
    await examine('guide')
  },
)
