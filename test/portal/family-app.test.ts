import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readPng, writePng } from '../../src/institutes/school/logo-picture.ts'
import { demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import { newFamily, visitAs } from './parents-support.ts'

const bursar = await startBursar({ after })
const { demo, url } = bursar
const { user } = await newFamily(demo)

const offersSignIn = (isOffered: boolean) =>
  bursar.sql('update institutes set has_parent_sign_in = $1 where code = $2', [isOffered, 'demo-school'])

async function manifest(): Promise<Record<string, unknown> & { icons: { src: string; type: string }[] }> {
  const answer = await fetch(`${url}/brand/demo-school/app.webmanifest`)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/manifest\+json/)
  return (await answer.json()) as never
}

test('the pages of a family are an app of their school, where the family can sign in by itself', async () => {
  await offersSignIn(false)
  assert.doesNotMatch((await (await visitAs(bursar, user)).get('/parents')).text, /rel="manifest"/)
  await offersSignIn(true)
  const { text, headers } = await (await visitAs(bursar, user)).get('/parents')
  assert.match(text, /<link rel="manifest" href="\/brand\/demo-school\/app\.webmanifest"/)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /;script-src 'sha256-[^']+';connect-src 'self';worker-src 'self';manifest-src 'self'$/)
  assert.doesNotMatch(policy, /unsafe/)
  const { name, id, start_url: start, scope, theme_color: color } = await manifest()
  assert.deepEqual(
    [name, id, start, scope, color],
    ['Demo School', '/parents?school=demo-school', '/parents?school=demo-school', '/parents', '#0b6e4f'],
  )
})

test('a school’s colour and logo are those of its app, and letters of its name stand in for a logo', async () => {
  const [letters] = (await manifest()).icons
  const drawn = await fetch(url + letters?.src)
  assert.equal(drawn.headers.get('content-type'), 'image/svg+xml')
  assert.match(await drawn.text(), /fill="#0b6e4f".*>DS<\/text>/)
  const pixels = new Uint8Array(40 * 20 * 4).fill(0).map((_, at) => (at % 4 === 0 || at % 4 === 3 ? 255 : 0))
  const logo = writePng({ width: 40, height: 20, pixels })
  const owner = await demoVisitor(url)
  const uploaded = await fetch(`${url}/console/api/institutes/demo-school/school/logo`, {
    method: 'POST',
    headers: { cookie: owner.cookie ?? '', 'x-csrf': owner.csrf ?? '', 'content-type': 'image/png' },
    body: new Uint8Array(logo),
  })
  const { data } = (await uploaded.json()) as { data: { logo_tag: string } }
  await bursar.sql(`update institutes set color = '#1d4ed8' where id = 1`)
  const { icons, theme_color: color } = await manifest()
  assert.equal(color, '#1d4ed8')
  assert.deepEqual(
    icons.map(({ src }) => src),
    [192, 512].map(side => `/brand/demo-school/icon/${side}/${data.logo_tag}`),
  )
  const answer = await fetch(url + icons[0]?.src)
  assert.equal(answer.headers.get('content-type'), 'image/png')
  const icon = readPng(Buffer.from(await answer.arrayBuffer()), 192)
  const colorAt = (x: number, y: number) => [
    ...icon.pixels.subarray(4 * (y * 192 + x), 4 * (y * 192 + x) + 4),
  ]
  assert.deepEqual(
    [icon.width, icon.height, colorAt(96, 96), colorAt(96, 10)],
    [192, 192, [255, 0, 0, 255], [255, 255, 255, 255]],
  )
  for (const path of [`icon/191/${data.logo_tag}`, 'icon/192/blue', 'offline/xx'])
    assert.equal((await fetch(`${url}/brand/demo-school/${path}`)).status, 404, path)
  assert.equal((await fetch(`${url}/brand/nobody/app.webmanifest`)).status, 404)
  await bursar.sql(`update institutes set logo_tag = null, color = null where id = 1`)
})

const open = (school: string) => fetch(`${url}/parents?school=${school}`, { redirect: 'manual' })

test('opened without a session, the app leads to its own school’s sign-in, and to no other address', async () => {
  assert.equal((await open('demo-school')).headers.get('location'), '/school/demo-school')
  const visitor = await visitAs(bursar, user)
  assert.equal((await visitor.get('/parents?school=demo-school')).status, 200)
  assert.equal((await visitor.get('/parents?school=demo-group')).location, '/school/demo-group')
  for (const evil of ['//evil.example', '..%2f', 'A%20b']) assert.equal((await open(evil)).status, 403, evil)
})

test('the worker may ask nobody else, serves the pages of families alone, and its one page names nobody', async () => {
  const worker = await fetch(`${url}/parents/worker.js?school=demo-school&lang=hi`)
  assert.equal(worker.headers.get('content-security-policy'), "default-src 'none'; connect-src 'self'")
  assert.equal(worker.headers.get('service-worker-allowed'), '/parents')
  assert.match(worker.headers.get('content-type') ?? '', /^text\/javascript/)
  for (const [language, words] of [
    ['en', 'No connection'],
    ['hi', 'इंटरनेट नहीं है'],
  ]) {
    const page = await fetch(`${url}/brand/demo-school/offline/${language}`)
    const text = await page.text()
    assert.ok(text.includes(words ?? ''))
    assert.doesNotMatch(text, /<script|csrf|<form/)
  }
})
