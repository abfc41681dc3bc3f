import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPng } from '../../../src/institutes/school/logo-picture.ts'
import { startBursar } from '../../harness/bursar.ts'
import { DESKTOP, openBrowser } from '../../harness/browser.ts'

test('an owner uploads a photograph as logo, which is kept as a small PNG; a file that is no picture is refused', async t => {
  const browser = await openBrowser(t)
  if (browser === null) return
  const bursar = await startBursar(t)
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  await page.goto(`${bursar.url}/console/sign-in`)
  await page.getByRole('button', { name: 'Bursar of Demo School', exact: true }).click()
  await page.waitForURL(url => !url.pathname.includes('sign-in'))
  await page.goto(`${bursar.url}/console/i/demo-school/settings/school`)
  const input = page.getByLabel('Choose a picture')
  await input.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await page.getByRole('alert').getByText('This file cannot be opened as a picture.').waitFor()
  const photograph = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(3_000, 1_000)
    const drawing = canvas.getContext('2d')
    if (drawing === null) throw new Error('nothing to draw on')
    drawing.fillStyle = '#c00000'
    drawing.fillRect(0, 0, 3_000, 1_000)
    const blob = await canvas.convertToBlob({ type: 'image/jpeg' })
    return [...new Uint8Array(await blob.arrayBuffer())]
  })
  await input.setInputFiles({ name: 'gate.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(photograph) })
  await page.getByText('The logo is changed.').waitFor()
  const address = await page.getByAltText('Logo of the school').getAttribute('src')
  const answer = await fetch(`${bursar.url}${address}`)
  const { width, height, pixels } = readPng(Buffer.from(await answer.arrayBuffer()), 480)
  assert.deepEqual([answer.headers.get('content-type'), width, height], ['image/png', 384, 128])
  const [red = 0, green = 0, blue = 0, opacity] = pixels.subarray(4 * (64 * width + 190))
  assert.ok(red > 180 && green < 12 && blue < 12 && opacity === 255, String([red, green, blue, opacity]))
  await context.close()
})
