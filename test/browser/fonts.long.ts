import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../harness/browser.ts'
import { createLink, expectSoundAndKeep } from './support.ts'

/** A name in every script of the Eighth Schedule. */
const NAMES: readonly (readonly [string, string])[] = [
  ['Mukta', 'कबीर राव'],
  ['NotoSansBengali', 'কবীর রায়'],
  ['BalooPaaji2', 'ਕਬੀਰ ਸਿੰਘ'],
  ['NotoSansGujarati', 'કબીર પટેલ'],
  ['NotoSansOriya', 'କବୀର ଦାସ'],
  ['NotoSansTamil', 'கபீர் ராவ்'],
  ['AnekTelugu', 'కబీర్ రావు'],
  ['NotoSansKannada', 'ಕಬೀರ್ ರಾವ್'],
  ['AnekMalayalam', 'കബീർ റാവു'],
  ['NotoSansMeeteiMayek', 'ꯀꯕꯤꯔ'],
  ['NotoSansOlChiki', 'ᱠᱚᱵᱤᱨ'],
  ['NotoNaskhArabic', 'کبیر راؤ'],
]

/** Without the digest of what is in it. */
const nameOf = (path: string): string => path.replace(/^\/fonts\/(\w+)-[0-9a-f]{10}(\.\w+)$/, '$1$2')

test('a page loads the font of a script that stands on it and that the browser lacks, and no other', async t => {
  const stage = await setStage(t)
  if (stage === null) return
  const complaints: string[] = []
  const open = async (student_name: string, lang = 'en') => {
    const link = await createLink(stage.bursar, { student_name })
    const context = await stage.browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', request => void asked.push(new URL(request.url()).pathname))
    page.on('console', message => void (message.type() === 'error' && complaints.push(message.text())))
    await page.goto(`${link.url}?lang=${lang}`)
    // A face is asked for when the page is laid out, which `document.fonts.ready` does not wait for; where the machine
    // has a font of its own, as many have for Arabic, none ever is.
    await page
      .waitForFunction(
        () =>
          [...document.fonts].every(({ family }) => family === 'Inter') ||
          [...document.fonts].some(({ family, status }) => family !== 'Inter' && status === 'loaded'),
        undefined,
        { timeout: 3_000 },
      )
      .catch(() => {})
    const fonts = asked.filter(path => path.startsWith('/fonts')).toSorted()
    return { context, page, fonts }
  }
  const latin = (await open('Kabir Rao')).fonts
  assert.deepEqual(latin.map(nameOf), ['Inter.woff2', 'InterRupee.woff2'])
  let fetched = 0
  for (const [family, name] of NAMES) {
    const { context, page, fonts } = await open(name)
    const others = fonts.map(nameOf).filter(font => !font.startsWith('Inter'))
    assert.ok(others.includes('scripts.css'), name)
    const files = others.filter(font => font !== 'scripts.css')
    const loaded = await page.evaluate(
      () =>
        [...document.fonts].filter(({ family, status }) => family !== 'Inter' && status === 'loaded').length,
    )
    assert.deepEqual(files, files.length > 0 ? [`${family}.woff2`] : [], name)
    assert.ok(loaded <= 1, `${name} is shown by one font`)
    fetched += files.length
    await context.close()
  }
  for (const lang of ['hi', 'kn', 'ta']) {
    const { context, page } = await open('Kabir Rao', lang)
    const width = () => page.locator('.status').evaluate(element => element.getBoundingClientRect().width)
    await page.evaluate(() => document.fonts.ready)
    const shown = await width()
    await page.evaluate(() => void (document.body.style.fontFamily = '"Bursar scripts", Inter, sans-serif'))
    assert.equal(Math.round(shown), Math.round(await width()), `${lang} was laid out anew when its font came`)
    await context.close()
  }
  const { page } = await open(NAMES.map(([, name]) => name).join(' '))
  await expectSoundAndKeep(page, 'page-scripts')
  t.diagnostic(`${fetched} of ${NAMES.length} scripts had no font on this machine`)
  assert.deepEqual(complaints, [])
})
