import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { printedCodeUrl } from '../../src/dues/printed-code.service.ts'
import { LIMITS } from '../../src/platform/rate-limits.rules.ts'
import { Pile } from '../../src/receipts/document-pdf.ts'
import { API, assertAnswer, demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import { ERP, PAY, sampleStudent } from '../harness/samples.ts'
import { Visitor } from '../harness/visitor.ts'
import { readPdf, type Read } from '../receipts/read-pdf.ts'

/** Papers that are handed out to a class, and the page that their codes lead to. */
const bursar = await startBursar({ after })
const office = await demoVisitor(bursar.url)
const PATH = `${API}/institutes/demo-school`

async function register(no: number, changes: Record<string, unknown> = {}): Promise<string> {
  const phone = `98000000${String(no).padStart(2, '0')}`
  const answer = await bursar.demo.post(`${ERP}/users/parent-${no}/students`, {
    student: sampleStudent({ identifier: `C-${no}`, primary_contact_number: phone, ...changes }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1_000 }],
  })
  assertAnswer(answer, '201')
  return answer.body.data.service_student_id
}

async function print(path: string): Promise<Read> {
  const response = await fetch(bursar.url + path, { headers: { cookie: office.cookie ?? '' } })
  assert.equal(response.status, 200)
  return readPdf(Buffer.from(await response.arrayBuffer()))
}

const codeOf = (id: string): string => {
  const { ctx } = bursar.app
  return new URL(printedCodeUrl(ctx, { code: 'demo-school' }, id)).pathname
}

const ids: string[] = []
for (const [no, grade, section, fullname] of [
  [1, '10', 'A', 'Zoya Khan'],
  [2, '9', 'B', 'Meera Rao'],
  [3, '9', 'A', 'Kabir Rao'],
] as const)
  ids.push(await register(no, { grade, section, fullname }))
const [zoya = '', , kabir = ''] = ids

test('notices come class by class in the language of the family with English beside it, with a code to pay by', async () => {
  const chosen = await office.send('PUT', `${PATH}/students/${kabir}/family-language`, { language: 'kn' })
  assertAnswer(chosen, '200')
  const { text, pages } = await print(`${PATH}/demand-notices?list=students`)
  const order = ['Kabir Rao', 'Meera Rao', 'Zoya Khan'].map(name =>
    pages.findIndex(page => page.some(piece => piece.text === name)),
  )
  assert.deepEqual(order, [0, 1, 2])
  assert.match(text, /ಶುಲ್ಕ ಬೇಡಿಕೆ ಸೂಚನೆ \/ Demand notice/)
  assert.match(text, /ಬೋಧನಾ ಶುಲ್ಕ \/ Tuition fee/)
  assert.match(text, /Scan with the phone’s camera to pay ₹1,000\.00 online/)
  assert.equal([...text.matchAll(/Page 1 of 1/g)].length, 3)
})

test('a notice names the student’s own account number where there is one', async () => {
  const opened = await bursar.demo.post(`${PAY}/students/${zoya}/virtual_account`, {})
  assertAnswer(opened, '201')
  const { text } = await print(`${PATH}/demand-notices?list=students`)
  const { account_number: number } = opened.body.data
  const named = text.matchAll(new RegExp(`By transfer to the student’s own account: number ${number}`, 'g'))
  assert.equal([...named].length, 1, 'on the paper of that student alone')
})

test('cards name each child with its class and number, ten to a page, and only those of the list', async () => {
  const { text, pages } = await print(`${PATH}/student-cards?list=students&grade=9`)
  assert.equal(pages.length, 1)
  for (const part of ['Kabir Rao', '9 A', 'C-3', 'Meera Rao', 'Demo School', 'Scan to see and pay the fees'])
    assert.ok(text.includes(part), `${part} is not in:\n${text}`)
  assert.doesNotMatch(text, /Zoya/)
})

test('hundreds of papers are one file, of which nothing is kept back until its end', async () => {
  const pile = new Pile()
  const madeAt = new Date('2026-11-19T06:00:00Z')
  const parts: Buffer[] = []
  for (let no = 1; no <= 300; no++) {
    const blocks = [{ kind: 'text' as const, text: `Paper ${no}` }]
    pile.add({ institute: 'Demo School', branch: null, title: 'Notice', madeAt, blocks, isSandbox: false })
    if (no % 50 === 0) parts.push(await pile.take())
  }
  parts.push(await pile.end())
  for (const part of parts) assert.ok(part.length > 5_000, `${part.length} bytes`)
  const { text, pages } = readPdf(Buffer.concat(parts))
  assert.equal(pages.length, 300)
  for (const no of [1, 50, 51, 300]) assert.match(text, new RegExp(`^Paper ${no}$`, 'm'))
})

test('a printed code asks for what is due on the day, opens nothing by being looked at, and pays at the checkout', async () => {
  const orders = async (): Promise<number> =>
    (await bursar.sql('select id from orders where student_id = $1', [zoya])).length
  const visitor = new Visitor(bursar.url)
  const page = await visitor.get(codeOf(zoya))
  assert.equal(page.status, 200)
  assert.match(page.text, /Fees for Zoya Khan/)
  assert.match(page.text, /Pay ₹1,000\.00/)
  assert.equal(await orders(), 0)
  const opened = await visitor.post(codeOf(zoya), {})
  assert.equal(opened.status, 303)
  assert.match(opened.location ?? '', /^\/pay\/demo-school\/order_/)
  assert.match((await visitor.get(opened.location ?? '')).text, /₹1,000\.00/)
  const paid = { amount: 1_000, paid_at: '2026-11-16T10:00:00Z', mode: 'cash' }
  const line = { component_type: 'TUITION_FEE', amount: 1_000 }
  const taken = { ...paid, fee_components: [line] }
  assertAnswer(await office.post(`${PATH}/students/${zoya}/payments`, taken), '201')
  const after = await visitor.get(`${codeOf(zoya)}?lang=ta`)
  assert.match(after.text, /இப்போது நிலுவை எதுவும் இல்லை/)
  assert.doesNotMatch(after.text, /<form/)
})

test('a code that we have not printed, for another child or school, opens nothing', async () => {
  const visitor = new Visitor(bursar.url)
  const good = codeOf(kabir)
  const [start = '', mac = ''] = good.split('.')
  for (const path of [
    `${start}.${'A'.repeat(16)}`,
    start,
    `${codeOf(zoya).split('.')[0]}.${mac}`,
    good.replace('demo-school', 'demo-group'),
  ]) {
    assert.equal((await visitor.get(path)).status, 404, path)
    assert.equal((await visitor.post(path, {})).status, 404, path)
  }
})

test('the code on a card, scanned at the counter, finds the family', async () => {
  const scanned = encodeURIComponent(`https://fees.example.in${codeOf(kabir)}`)
  const found = await office.get(`${PATH}/counter/families?q=${scanned}`)
  assertAnswer(found, '200')
  assert.deepEqual(
    found.body.data.map((one: { service_student_id: string }) => one.service_student_id),
    [kabir],
  )
})

test('whoever presses the button of a card again and again is refused, and may look all the same', async () => {
  const { burst } = LIMITS.paymentForms.rate
  const pressed = await Promise.all(
    Array.from({ length: burst + 5 }, () => new Visitor(bursar.url).post(codeOf(zoya), {})),
  )
  const refused = pressed.find(({ status }) => status === 429)
  assert.ok(Number(refused?.headers.get('retry-after')) > 0)
  assert.equal((await new Visitor(bursar.url).get(codeOf(zoya))).status, 200)
})

test('UPI cards are of those who have a UPI ID of their own, and say it', async () => {
  const path = `${PATH}/student-cards?list=students&code=upi`
  const { text } = await print(path)
  assert.match(text, /Zoya Khan/)
  assert.match(text, /Pay any amount with a UPI app ·\s+fees\.\d{15}@bursarsandbox/)
  assert.doesNotMatch(text, /Kabir|Meera/)
  assert.equal((await office.get(`${path}&grade=9`)).status, 409)
})
