import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  authorize,
  block,
  docs,
  execute,
  fieldOf,
  open,
  pictures,
  showDocument,
  sizes,
  useDocs,
} from './support.ts'

useDocs()

const looks = {
  light: { colorScheme: 'light', contrast: 'no-preference' },
  dark: { colorScheme: 'dark', contrast: 'no-preference' },
  contrast: { colorScheme: 'light', contrast: 'more' },
} as const

/** Returns axe-core's findings on the page, with the parts at fault. Only colours change with the look. */
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
    /** Takes a picture of the page, and examines it, in each look. The beginning has no colour of its own. */
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
    await open(page, 'deleteCategory')
    await fieldOf(page, 'deleteCategory', 'categoryId').fill('1000')
    await open(page, 'createPet')
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

const value = (type: string, more = {}) => ({ type, ...more })
/** Every control that a form can have: for a parameter, for a body of JSON and for one of fields. */
const parameters = Object.entries({
  text: value('string'),
  number: value('integer', { format: 'int64' }),
  choice: value('string', { enum: ['a', 'b'] }),
  yes: value('boolean'),
  list: value('array', { items: value('string') }),
  choices: value('array', { items: value('string', { enum: ['a', 'b'] }) }),
  object: value('object', { properties: { a: value('string') } }),
}).map(([name, schema]) => ({ name, in: 'query', schema }))
const properties = {
  ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  file: value('string', { format: 'binary' }),
  again: value('string'),
}
const withBody = (operationId: string, type: string, media: object) => ({
  post: {
    operationId,
    parameters,
    requestBody: { content: { [type]: media, 'text/plain': { schema: value('string') } } },
    responses: { 204: { description: 'Done.' } },
  },
})
const forms = {
  openapi: '3.0.3',
  info: { title: 'Forms', version: '1' },
  paths: {
    '/json': withBody('sendJson', 'application/json', {
      schema: value('object', { properties }),
      examples: { one: { value: { text: 'a' } }, two: { value: { text: 'b' } } },
    }),
    '/form': withBody('sendForm', 'multipart/form-data', { schema: value('object', { properties }) }),
    '/file': withBody('sendFile', 'application/octet-stream', {
      schema: value('string', { format: 'binary' }),
    }),
  },
}

test.each(Object.entries(sizes))(
  'axe-core finds nothing in forms of any kind on a %s, and each control has a name of its own',
  patient,
  async (_, viewport) => {
    const page = await showDocument(forms, { viewport })
    await page.evaluate(axe.source)
    for (const id of ['sendJson', 'sendForm', 'sendFile']) await open(page, id)
    for (const add of await page.getByRole('button', { name: /^Add/ }).all()) await add.click()
    for (const scheme of ['light', 'dark']) {
      await page.getByLabel('Theme').selectOption(scheme)
      await page.waitForTimeout(300) // colours fade in
      expect(await findings(page, 'light'), scheme).toEqual([])
    }
    const form = block(page, 'sendForm')
    for (const name of Object.keys(properties))
      expect(await form.getByLabel(name, { exact: true }).count(), name).toBeGreaterThan(0)
    expect(await block(page, 'sendJson').getByRole('textbox', { name: 'Request body' }).count()).toBe(1)
    expect(await block(page, 'sendFile').getByLabel('Request body').getAttribute('type')).toBe('file')
    // A box, which is there for what is empty, is switched by its own label.
    await form.getByLabel('again', { exact: true }).last().fill('')
    await form.getByText('Send empty value').last().click()
    const boxes = form.getByRole('checkbox')
    const checked = await boxes.evaluateAll(all => all.filter(box => !box.disabled).map(box => box.checked))
    expect(checked).toEqual([true, false])
  },
)
