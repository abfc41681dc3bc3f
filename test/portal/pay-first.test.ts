import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import type { VisitorResponse, Visitor } from '../harness/visitor.ts'
import { newFamily, textOf, visitAs } from './parents-support.ts'

/** The one main button of a child's page. */
const bursar = await startBursar({ after })
const { demo } = bursar
const RULES = [
  {
    component_type: 'TUITION_FEE',
    due_date: '2020-01-10',
    kind: 'slab',
    slabs: [{ from_day: 1, amount: 250 }],
  },
  { component_type: 'TRANSPORT_FEE', due_date: '2090-01-10', kind: 'none' },
  { component_type: 'HOSTEL_FEE', due_date: '2090-06-10', kind: 'none' },
]
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 12_250 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 3_000 },
  { component_type: 'HOSTEL_FEE', fee_amount: 5_000 },
]

async function must(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering
  assert.ok(status < 300, text)
  return body.data
}

const setRules = (more: Json = {}): Promise<Json> =>
  must(demo.send('PUT', `${ERP}/payment-rules`, { late_fees: RULES, ...more }))

type Child = { id: string; visitor: Visitor; path: string }

async function newChild(fees: Json[] = FEES): Promise<Child> {
  const { user, students } = await newFamily(demo, { fees })
  const [id = ''] = students
  return { id, visitor: await visitAs(bursar, user), path: `/parents/students/${id}` }
}

/** The forms that pay, as the page has them, in its order. */
function formsOf({ text }: VisitorResponse): { words: string; fields: Record<string, string> }[] {
  return [...text.matchAll(/<form[^>]*action="[^"]*\/pay"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, form = '']) => ({
      words: textOf(/<button[^>]*>([\s\S]*?)<\/button>/.exec(form)?.[1] ?? '').trim(),
      fields: Object.fromEntries(
        [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
          name,
          value,
        ]),
      ),
    }),
  )
}

/** Presses the first button whose words begin so; answers the checkout. */
async function press({ visitor, path }: Child, words: string): Promise<string> {
  const form = formsOf(await visitor.get(path)).find(one => one.words.startsWith(words))
  assert.ok(form !== undefined, words)
  const { status, location, text } = await visitor.post(`${path}/pay`, form.fields)
  assert.equal(status, 303, text)
  return textOf((await visitor.get(location ?? '')).text)
}

test('the main button asks for what is overdue, late fee and all, and the checkout for the same sum', async t => {
  await setRules()
  t.after(() => must(demo.send('PUT', `${ERP}/payment-rules`, {})))
  const child = await newChild()
  const page = await child.visitor.get(child.path)
  assert.deepEqual(
    formsOf(page).map(({ words }) => words),
    ['Pay ₹12,500.00 overdue', 'Pay everything, ₹20,500.00', 'Pay this part'],
  )
  assert.match(textOf(page.text), /₹12,500\.00 overdue/)
  const checkout = await press(child, 'Pay ₹12,500.00 overdue')
  assert.match(checkout, /₹12,500\.00 .*Tuition fee ₹12,250\.00 Late fee ₹250\.00 Total ₹12,500\.00/)
  assert.match(await press(child, 'Pay everything'), /Total ₹20,500\.00/)
})

test('where nothing is overdue it asks for what falls due next, and without due days for all', async t => {
  await setRules()
  t.after(() => must(demo.send('PUT', `${ERP}/payment-rules`, {})))
  const child = await newChild(FEES.slice(1))
  const [main, all] = formsOf(await child.visitor.get(child.path))
  assert.equal(main?.words, 'Pay ₹3,000.00 due by 10 January 2090')
  assert.equal(all?.words, 'Pay everything, ₹8,000.00')
  assert.match(await press(child, 'Pay ₹3,000.00'), /Transport fee ₹3,000\.00 Total ₹3,000\.00/)
  await must(demo.send('PUT', `${ERP}/payment-rules`, {}))
  assert.equal(formsOf(await child.visitor.get(child.path))[0]?.words, 'Pay ₹8,000.00')
})

test('what the school’s rules for parts do not allow is not on the button', async t => {
  t.after(() => must(demo.send('PUT', `${ERP}/payment-rules`, {})))
  const child = await newChild()
  await setRules({ part_payments: false })
  assert.deepEqual(
    formsOf(await child.visitor.get(child.path)).map(({ words }) => words),
    ['Pay ₹20,500.00'],
  )
  await setRules({ min_amount: 15_000 })
  assert.equal(formsOf(await child.visitor.get(child.path))[0]?.words, 'Pay ₹15,000.00')
  assert.match(await press(child, 'Pay ₹15,000.00'), /Total ₹15,000\.00/)
})

test('a sum that is not what was on the button any more is not asked for, and the page says the new one', async t => {
  await setRules()
  t.after(() => must(demo.send('PUT', `${ERP}/payment-rules`, {})))
  const { id, visitor, path } = await newChild()
  const [main] = formsOf(await visitor.get(path))
  const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 13_000 }]
  await must(demo.patch(`${ERP}/students/${id}/fee`, { fee_components }))
  const answer = await visitor.post(`${path}/pay`, main?.fields)
  assert.equal(answer.status, 400)
  assert.match(textOf(answer.text), /Something changed meanwhile\. .*Pay ₹13,250\.00 overdue/)
  assert.equal((await bursar.sql('select 1 from orders where student_id = $1', [id])).length, 0)
})

test('odd sums and days of a form ask for nothing else and break nothing', async () => {
  const { visitor, path } = await newChild()
  const csrf = await visitor.csrf(path)
  for (const fields of [{ asked: '2026-02-31' }, { asked: 'x' }, { sum: '1e9' }]) {
    const { status, location } = await visitor.post(`${path}/pay`, { csrf, ...fields })
    assert.equal(status, 303)
    assert.match(textOf((await visitor.get(location ?? '')).text), /Total ₹20,250\.00/)
  }
  for (const fields of [{ asked: '9999-12-31' }, { asked: 'overdue' }, { sum: '999999999999999' }])
    assert.equal((await visitor.post(`${path}/pay`, { csrf, ...fields })).status, 400)
})

test('with nothing left to pay there is no button, on the child’s page, at home and where fees are chosen', async () => {
  const { id, visitor, path } = await newChild()
  const amounts = FEES.map(({ component_type, fee_amount: amount }) => ({ component_type, amount }))
  const paid_at = new Date(Date.now() - 60_000).toISOString()
  const payment = { amount: 20_250, paid_at, mode: 'cash', fee_components: amounts }
  await must(demo.post(`${ERP}/students/${id}/payments`, payment))
  for (const page of [path, '/parents', '/parents/pay', `${path}/choose`])
    assert.doesNotMatch((await visitor.get(page)).text, /Pay (₹|everything|a part)|value="pay"|\/pay"/, page)
})

test('where fees are chosen the button says their sum, and without a script a sum that changed is shown before it is paid', async () => {
  const { user, students } = await newFamily(demo, {
    students: [{ fullname: 'Kabir Rao' }, { fullname: 'Anaya Rao', grade: '2' }],
    fees: FEES,
  })
  const [kabir = '', anaya = ''] = students
  const visitor = await visitAs(bursar, user)
  assert.match(textOf((await visitor.get('/parents')).text), /Pay ₹40,500\.00 for your children/)
  const page = await visitor.get('/parents/pay')
  assert.match(textOf(page.text), /Chosen in all: ₹40,500\.00 .*Pay ₹40,500\.00/)
  const csrf = await visitor.csrf('/parents/pay')
  const send = (sum: string, ...boxes: string[]): Promise<VisitorResponse> =>
    visitor.post('/parents/pay', [
      ...boxes.map((box): [string, string] => ['fee', box]),
      ['csrf', csrf],
      ['sum', sum],
      ['act', 'pay'],
    ])
  const boxes = [`${kabir}:HOSTEL_FEE`, `${anaya}:TRANSPORT_FEE`]
  const other = await send('4050000', ...boxes)
  assert.equal(other.status, 400)
  assert.match(textOf(other.text), /What you ticked comes to ₹8,000\.00\. Press .*Pay ₹8,000\.00/)
  assert.match(other.text, /name="sum" value="800000"/)
  const { location } = await send('800000', ...boxes)
  assert.match(textOf((await visitor.get(location ?? '')).text), /Total ₹8,000\.00/)
})
