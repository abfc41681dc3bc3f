import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { readLogo, readPng } from '../../src/institutes/school/logo-picture.ts'
import { contrastWithWhite } from '../../src/institutes/school/school.rules.ts'
import { isWakingHour, nextWakingMoment } from '../../src/messages/messages.rules.ts'
import { renderDocument } from '../../src/receipts/document-pdf.ts'
import { readLetterhead } from '../../src/receipts/letterhead.service.ts'
import { deflateSync } from 'node:zlib'
import { startBursar } from '../harness/bursar.ts'
import { pngOf } from '../harness/pictures.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { readPdf } from '../receipts/read-pdf.ts'
import { API, assertAnswer, createPerson, demoVisitor } from './support.ts'

const bursar = await startBursar({ after })
const owner = await demoVisitor(bursar.url)
const PATH = `${API}/institutes/demo-school/school`
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SCHOOL = {
  name: 'Demo School',
  address: '12 Temple Road, Bengaluru 560011',
  phone: '080-26531234',
  email: 'fees@sunrise.in',
  pan: 'AAATS1234F',
  affiliation: 'CBSE 830123',
  receipt_note: 'A unit of Sunrise Education Trust',
  family_receipt: 'together',
  bank_accounts: [
    { holder: 'Sunrise Trust', number: '50100123456789', ifsc: 'HDFC0000123', bank: 'HDFC Bank' },
  ],
  messages_from: 10,
  messages_until: 18,
  color: '#1d4ed8',
}

function upload(file: Buffer, type: string) {
  return fetch(`${bursar.url}${PATH}/logo`, {
    method: 'POST',
    headers: {
      'content-type': type,
      origin: bursar.url,
      cookie: owner.cookie ?? '',
      'x-csrf': owner.csrf ?? '',
    },
    body: new Uint8Array(file),
  })
}

test('owners change the school, others only read it, and the audit log has what it was', async () => {
  assert.equal((await owner.get(PATH)).body.data.messages_from, 9)
  assertAnswer(await owner.send('PUT', PATH, SCHOOL), '200')
  assert.deepEqual((await owner.get(PATH)).body.data, SCHOOL)
  const finance = await createPerson(bursar, {
    email: 'finance@demo.example',
    institute: 'demo-school',
    role: 'finance',
  })
  assert.equal((await finance.get(PATH)).body.data.phone, SCHOOL.phone)
  assertAnswer(await finance.send('PUT', PATH, SCHOOL), '403 AUE00001')
  const [entry] = (await owner.get(`${API}/institutes/demo-school/audit`)).body.data
  assert.deepEqual(
    [entry.what, entry.before.address ?? null, entry.after.address],
    ['school.changed', null, SCHOOL.address],
  )
})

test('numbers and codes of the bank are taken as people type them', async () => {
  const [account] = SCHOOL.bank_accounts
  const typed = {
    ...account,
    number: '5010 0123-4567 89',
    ifsc: ' hdfc 0000123',
    upi_id: 'sunrise @hdfcbank ',
  }
  const sent = { ...SCHOOL, pan: 'aaats 1234 f', color: '#1D4ED8', bank_accounts: [typed] }
  assertAnswer(await owner.send('PUT', PATH, sent), '200')
  const { body } = await owner.get(PATH)
  const { pan, color, bank_accounts: accounts } = body.data
  assert.deepEqual([pan, color], [SCHOOL.pan, SCHOOL.color])
  assert.deepEqual(accounts, [{ ...account, upi_id: 'sunrise@hdfcbank' }])
})

test('what cannot be right is refused at its field', async () => {
  const wrong = {
    ...SCHOOL,
    pan: 'ABC',
    color: '#ffff00',
    messages_until: 10,
    bank_accounts: [{ ...SCHOOL.bank_accounts[0], ifsc: 'HDFC1' }],
  }
  const answer = await owner.send('PUT', PATH, wrong)
  assertAnswer(answer, '400 HUE00000')
  assert.deepEqual(
    answer.body.errors.map(({ key }: { key: string }) => key),
    ['pan', 'color', 'messages_until', 'bank_accounts.0.ifsc'],
  )
})

test('a logo stands on pages under an address that changes with it; scripts in disguise are refused', async () => {
  assert.equal((await upload(Buffer.from('<svg onload="x()"/>'), 'image/png')).status, 400)
  assert.equal((await upload(Buffer.alloc(300_000), 'image/png')).status, 413)
  // A picture that was cut off anywhere.
  for (const bytes of [40, PIXEL.length - 12, PIXEL.length - 1])
    assert.equal((await upload(PIXEL.subarray(0, bytes), 'image/png')).status, 400, `${bytes} bytes`)
  const taken = await upload(PIXEL, 'image/png')
  assert.equal(taken.status, 200, await taken.text())
  const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder({}))
  const page = await (await fetch(`${bursar.url}/pay/demo-school/${body.data.order_id}`)).text()
  const logo = /<img class="logo" src="([^"]+)"/.exec(page)?.[1] ?? ''
  const style = /href="(\/brand\/[^"]+\.css)"/.exec(page)?.[1] ?? ''
  const picture = await fetch(bursar.url + logo)
  assert.deepEqual(readPng(Buffer.from(await picture.arrayBuffer()), 10), readPng(PIXEL, 10))
  assert.deepEqual(
    [picture.headers.get('content-type'), picture.headers.get('x-content-type-options')],
    ['image/png', 'nosniff'],
  )
  assert.match(await (await fetch(bursar.url + style)).text(), /--button:#1d4ed8/)
  assert.equal((await fetch(`${bursar.url}${logo}x`)).status, 404)
  assertAnswer(await owner.send('DELETE', `${PATH}/logo`, {}), '200')
  assert.equal((await fetch(bursar.url + logo)).status, 404)
})

test('who sends a JPEG as the logo is told to make a PNG of it, and where that happens by itself', async () => {
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex')
  for (const content of [jpeg, PIXEL]) {
    const declared = await upload(content, 'image/jpeg')
    assert.equal(declared.status, 400)
    assert.match(await declared.text(), /Content-Type: image\/png. Convert a file of another type first/)
  }
  const answer = await upload(jpeg, 'image/png')
  const { errors } = (await answer.json()) as { errors: { key: string; message: string }[] }
  assert.deepEqual([answer.status, errors[0]?.key], [400, 'file'])
  assert.match(errors[0]?.message ?? '', /is a JPEG and must be a PNG. Save it as PNG, or choose it under/i)
})

test('a logo that cannot be drawn is refused where it is uploaded, and never breaks a receipt', async () => {
  const damaged = pngOf({ width: 2, height: 2, depth: 8, type: 6 }, Buffer.from('no pixels at all'))
  const answer = await upload(damaged, 'image/png')
  const { errors } = (await answer.json()) as { errors: { key: string; message: string }[] }
  assert.equal(answer.status, 400)
  assert.equal(errors[0]?.key, 'file')
  assert.match(errors[0]?.message ?? '', /damaged and cannot be drawn/)
  const bomb = pngOf({ width: 2, height: 2, depth: 8, type: 6 }, deflateSync(Buffer.alloc(50_000_000)))
  assert.equal((await upload(bomb, 'image/png')).status, 400)
  const huge = pngOf({ width: 60_000, height: 60_000, depth: 8, type: 6 }, deflateSync(Buffer.alloc(100)))
  assert.match(await (await upload(huge, 'image/png')).text(), /2000 pixels/)
  // One that stands in the books since before.
  await bursar.sql(
    `insert into institute_logos (institute_id, tag, media_type, content) values (1, 'old', 'image/png', $1)`,
    [damaged],
  )
  await bursar.sql(`update institutes set logo_tag = 'old' where id = 1`)
  const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder({}))
  await bursar.demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  const receipt = await fetch(`${bursar.url}/pay/demo-school/${body.data.order_id}/receipt.pdf`)
  assert.equal(receipt.status, 200)
  const { text } = readPdf(Buffer.from(await receipt.arrayBuffer()))
  assert.match(text, /Fee receipt/)
  assertAnswer(await owner.send('DELETE', `${PATH}/logo`, {}), '200')
})

test('a large logo is kept as small as receipts and pages show it', async () => {
  const [width, height] = [1_500, 400]
  const rows = Buffer.alloc(height * (width * 4 + 1), 0x80)
  for (let row = 0; row < height; row += 1) rows[row * (width * 4 + 1)] = 0
  const taken = await upload(pngOf({ width, height, depth: 8, type: 6 }, deflateSync(rows)), 'image/png')
  const { data } = (await taken.json()) as { data: { logo_tag: string } }
  const picture = await fetch(`${bursar.url}/brand/demo-school/logo/${data.logo_tag}`)
  const plain = readPng(Buffer.from(await picture.arrayBuffer()), 2_000)
  assert.deepEqual([plain.width, plain.height], [480, 128])
  assert.ok(plain.pixels.every(sample => sample === 0x80))
  assertAnswer(await owner.send('DELETE', `${PATH}/logo`, {}), '200')
})

test('a receipt is printed with the letterhead and logo of its school, and without a picture that is broken', async () => {
  const letterhead = await readLetterhead(bursar.app.ctx, 1)
  assert.deepEqual(letterhead.lines, [
    '12 Temple Road, Bengaluru 560011',
    '080-26531234 · fees@sunrise.in',
    'CBSE 830123 · PAN AAATS1234F',
    'A unit of Sunrise Education Trust',
  ])
  for (const logo of [PIXEL.toString('base64'), PIXEL.toString('base64').slice(0, 40)]) {
    const print = { institute: 'Demo School', branch: null, title: 'Notice', blocks: [], isSandbox: true }
    const file = await renderDocument({
      ...print,
      madeAt: new Date(),
      letterhead: { ...letterhead, logo },
    })
    assert.equal(file.includes('/Subtype /Image'), logo.length > 40)
  }
})

test('a mail to a family greets it, says how to ask the school, and its answer goes to the school', async () => {
  const to = { email: 'asha@example.in', name: 'Asha Rao' }
  const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder(to))
  await bursar.demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  await bursar.demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' })
  const [mail] = await bursar.sql<{ body: string; reply_to: string }>(
    `select body, reply_to from messages where recipient = 'asha@example.in'`,
  )
  assert.match(mail?.body ?? '', /^Dear Asha Rao,\n\n/)
  assert.match(mail?.body ?? '', /call 080-26531234, or reply to this mail or write to fees@sunrise\.in/)
  assert.match(mail?.body ?? '', /Demo School\n12 Temple Road, Bengaluru 560011$/)
  assert.equal(mail?.reply_to, 'fees@sunrise.in')
})

test('property: a reminder leaves inside the hours of its school, and never before it is due', () => {
  const hours = fc
    .tuple(fc.integer({ min: 9, max: 19 }), fc.integer({ min: 1, max: 11 }))
    .map(([from, length]) => ({ messagesFrom: from, messagesUntil: Math.min(20, from + length) }))
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), hours, (at, of) => {
      const leaves = nextWakingMoment(at, of)
      assert.ok(leaves >= at && leaves.getTime() - at.getTime() < 24 * 3_600_000)
      assert.ok(isWakingHour(leaves, of) && isWakingHour(leaves))
    }),
  )
})

test('property: no bytes are taken for a picture that are none, and black is readable on white', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      assert.throws(() => readLogo(Buffer.from(bytes)), { name: 'BrokenPicture' })
    }),
  )
  assert.equal(Math.round(contrastWithWhite('#000000')), 21)
  assert.equal(Math.round(contrastWithWhite('#ffffff')), 1)
})
