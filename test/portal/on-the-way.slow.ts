import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { printedCodeUrl } from '../../src/dues/printed-code.service.ts'
import { addDays, dayOf } from '../../src/platform/calendar.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY, sampleOrder } from '../harness/samples.ts'
import type { Visitor } from '../harness/visitor.ts'
import { newFamily, ROOMY_YEAR, startPaying, textOf, visitAs } from './parents-support.ts'

/**
 * A family of two. Of the 12,000 that one child owes 10,000 are on the way, each time in another way; the other owes 1,000.
 * Then everything is tried that the family's pages can pay with.
 */
const bursar = await startBursar({ after })
const { demo } = bursar
const SANDBOX = '/api/v1/sandbox'
const FLEX = '/api/v1/integrations/flex'
const CRED = '/api/v1/integrations/cred'
const TUITION = { component_type: 'TUITION_FEE', amount: 10_000 }

async function must(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering
  assert.ok(status < 300, text)
  return body.data
}

const advance = (duration: string): Promise<Json> =>
  must(demo.post(`${SANDBOX}/clock`, { advance: duration }))
const today = (): string => dayOf(bursar.app.ctx.clock.now())

type Family = { child: string; visitor: Visitor; path: string }

async function openFamily(): Promise<Family> {
  const { user, students } = await newFamily(demo, {
    students: [
      { fullname: 'Kabir Rao', ...ROOMY_YEAR },
      { fullname: 'Anaya Rao', ...ROOMY_YEAR, grade: '2' },
    ],
    fees: [{ component_type: 'TUITION_FEE', fee_amount: 10_000 }],
  })
  const [child = '', sibling = ''] = students
  const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 1_000 }]
  await must(demo.patch(`${ERP}/students/${sibling}/fee`, { fee_components }))
  return { child, visitor: await visitAs(bursar, user), path: `/parents/students/${child}` }
}

/** Charged when the rest is on the way already; a plan takes it with an instalment of its own. */
const addTransport = (child: string): Promise<Json> =>
  must(
    demo.patch(`${ERP}/students/${child}/fee`, {
      fee_components: [{ component_type: 'TRANSPORT_FEE', fee_amount: 2_000 }],
    }),
  )

const payPending = (orderId: string): Promise<Json> =>
  must(demo.post(`${SANDBOX}/pay/orders/${orderId}/pay`, { outcome: 'pending' }))

async function signLoan(child: string): Promise<void> {
  const { application_id: loan } = await must(
    demo.post(`${CRED}/students/${child}/applications`, { amount: 10_000 }),
  )
  await must(demo.post(`${SANDBOX}/loans/${loan}/fill`, {}))
  await must(demo.post(`${SANDBOX}/loans/${loan}/approve`, { amount: 10_000 }))
  const tranches = [{ date: addDays(today(), 5), amount: 10_000 }]
  await must(demo.post(`${SANDBOX}/loans/${loan}/sign`, { tranches }))
}

async function presentDebit(child: string): Promise<void> {
  const payment_schedule = [{ due_date: addDays(today(), 14), details: [TUITION] }]
  const { plan_id: planId } = await must(demo.post(`${FLEX}/students/${child}/plans`, { payment_schedule }))
  await must(demo.post(`${SANDBOX}/flex/plans/${planId}/authorise`, { rail: 'enach' }))
  const state = async (): Promise<string> =>
    (await must(demo.get(`${FLEX}/plans/${planId}`))).payment_schedule[0].status
  await advance('P10D')
  for (let left = 40; left > 0 && (await state()) !== 'presented'; left--) await advance('PT6H')
  assert.equal(await state(), 'presented')
}

type Way = {
  name: string
  /** Puts 10,000 of the child's fees on the way. */
  start: (family: Family) => Promise<unknown>
  /** What is left to pay by hand: nothing while a payment of the family's own is not answered, nor what a plan takes. */
  leftRupees: number
}

const WAYS: readonly Way[] = [
  {
    name: 'a payment of dues that the bank has not answered',
    start: async ({ child, visitor }) => payPending(await startPaying(visitor, child, '10000')),
    leftRupees: 0,
  },
  {
    name: 'a link that names the child and is pending',
    start: async ({ child }) => {
      const link = sampleOrder({ service_student_id: child, details: [TUITION] })
      await payPending((await must(demo.post(`${PAY}/payment_links`, link))).order_id)
    },
    leftRupees: 0,
  },
  { name: 'a debit at the bank', start: ({ child }) => presentDebit(child), leftRupees: 0 },
  { name: 'a loan that the lender has promised', start: ({ child }) => signLoan(child), leftRupees: 2_000 },
]

async function seen(visitor: Visitor, path: string): Promise<string> {
  const { status, text } = await visitor.get(path)
  assert.equal(status, 200, text)
  return textOf(text)
}

/** Everything that these pages can pay the child's fees with, with all that they owe. */
async function tryEverything({ child, visitor, path }: Family): Promise<void> {
  const box = (type: string): [string, string] => ['fee', `${child}:${type}`]
  const csrf = await visitor.csrf('/parents')
  const pay = (fields: Record<string, string>) => visitor.post(`${path}/pay`, { csrf, ...fields })
  const choose = (...boxes: [string, string][]) =>
    visitor.post('/parents/pay', [...boxes, ['csrf', csrf], ['act', 'pay']])
  await pay({})
  await pay({ sum: '1200000' })
  await pay({ asked: 'overdue' })
  await pay({ asked: addDays(today(), 400) })
  for (const amount of ['12000', '10000', '2000.01']) await pay({ amount })
  await choose(box('TUITION_FEE'), box('TRANSPORT_FEE'))
  await choose(box('TUITION_FEE'))
  await choose(box('*'))
  const { pathname } = new URL(printedCodeUrl(bursar.app.ctx, { code: 'demo-school' }, child))
  await visitor.post(pathname)
  await visitor.post(`${path}/plan/start`, { csrf })
  await visitor.post(`${path}/cred/start`, { csrf, amount: '12000' })
}

for (const { name, start, leftRupees } of WAYS)
  test(`${name} is said per child and in the family’s sum, and no way to pay asks for it again`, async () => {
    const family = await openFamily()
    const { child, visitor, path } = family
    const before = sampleOrder({ service_student_id: child, details: [TUITION] })
    const { order_id: early } = await must(demo.post(`${PAY}/orders`, before))
    await start(family)
    await addTransport(child)
    const known = await bursar.sql<{ id: string }>('select id from orders where student_id = $1', [child])
    const loans = await bursar.sql('select 1 from cred_applications where student_id = $1', [child])
    const plans = await bursar.sql('select 1 from flex_plans where student_id = $1', [child])

    const home = await seen(visitor, '/parents')
    assert.match(
      home,
      /₹13,000\.00 still to pay in all .*₹10,000\.00 is on the way and need not be paid again .*Anaya Rao/,
    )
    assert.match(home, /Kabir Rao .*₹12,000\.00 to pay for the year .*₹10,000\.00 is on the way/)
    const own = await seen(visitor, path)
    assert.match(own, /₹12,000\.00 still to pay for the year .*₹10,000\.00 is on the way and need not be/)
    if (leftRupees === 0) assert.doesNotMatch(own, /Pay ₹|Pay a part/)
    else assert.match(own, /Pay ₹2,000\.00 .*From ₹1\.00 to ₹2,000\.00/)
    assert.doesNotMatch(own, /Pay in instalments/)
    assert.match(await seen(visitor, `${path}/plan`), /Set up|is on the way/)

    await tryEverything(family)
    const late = await visitor.post(`/pay/demo-school/${early}/start`, { mode: 'upi' })
    assert.equal(late.status, 409, late.text)
    assert.match(textOf(late.text), /A payment of ₹10,000\.00 is on its way/)
    const asked = await bursar.sql<{ rupees: number; fees: string }>(
      `select (sum(l.amount_paise) / 100)::int as rupees, string_agg(l.component_type, ' ') as fees
       from orders o join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
       where o.student_id = $1 and o.id <> all ($2) group by o.id`,
      [child, known.map(({ id }) => id)],
    )
    for (const order of asked) assert.deepEqual(order, { rupees: 2_000, fees: 'TRANSPORT_FEE' })
    if (leftRupees > 0) assert.ok(asked.length > 0, 'the rest can be paid')
    const lent = await bursar.sql<{ rupees: number }>(
      `select (amount_paise / 100)::int as rupees from cred_applications where student_id = $1 and amount_paise > 200000`,
      [child],
    )
    assert.equal(lent.length, loans.length, 'no loan over it')
    assert.deepEqual(await bursar.sql('select 1 from flex_plans where student_id = $1', [child]), plans)
    assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
  })

test('a bank transfer to the child’s account number is booked at once and owed no more', async () => {
  const { child, visitor, path } = await openFamily()
  await addTransport(child)
  await must(demo.post(`${PAY}/students/${child}/virtual_account`, {}))
  await must(demo.post(`${SANDBOX}/pay/students/${child}/virtual_account/transfers`, { amount: 10_000 }))
  const home = await seen(visitor, '/parents')
  assert.match(home, /₹3,000\.00 still to pay in all/)
  assert.doesNotMatch(home, /on the way/)
  assert.match(await seen(visitor, path), /₹2,000\.00 still to pay for the year .*Pay ₹2,000\.00/)
})
