import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP } from '../harness/samples.ts'
import { newFamily, submit, textOf, visitAs } from './parents-support.ts'

/** What was paid too much for one fee pays another of the same child. */
const bursar = await startBursar({ after })
const { demo } = bursar
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 1000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 700 },
  { component_type: 'EXAM_FEE', fee_amount: 100 },
]
let count = 0

/** Has paid 1,600 for a tuition fee of 1,000. */
async function newChild(): Promise<{ user: string; id: string }> {
  const cash = { amount: 1600, paid_at: '2026-06-01', mode: 'cash', transaction_id: `ADV-${++count}` }
  const payments = [{ ...cash, fee_components: [{ component_type: 'TUITION_FEE', amount: 1600 }] }]
  const { user, students } = await newFamily(demo, { fees: FEES, payments })
  return { user, id: students[0] ?? '' }
}

async function summary(id: string): Promise<Json> {
  const { status, body, text } = await demo.get(`${ERP}/students/${id}`)
  assert.equal(status, 200, text)
  return body.data.fee_summary
}

test('a parent uses an advance for open fees, once, and its sum and that of the fees stay exact', async () => {
  const { user, id } = await newChild()
  const path = `/parents/students/${id}`
  const parent = await visitAs(bursar, user)
  const page = textOf((await parent.get(path)).text)
  assert.match(page, /₹600\.00 more was paid for other fees than was due.* Use ₹600\.00 of the advance/)
  const csrf = await parent.csrf(path)
  for (const _ of [1, 2]) assert.equal((await parent.post(`${path}/advance`, { csrf })).location, path)
  const { outstanding, advance } = await summary(id)
  assert.deepEqual({ outstanding, advance }, { outstanding: 200, advance: 0 })
  const uses = await bursar.sql<Json>(
    'select from_component, to_component, amount_paise, actor from advance_uses where student_id = $1',
    [id],
  )
  const use = { from_component: 'TUITION_FEE', to_component: 'TRANSPORT_FEE', amount_paise: 60000 }
  assert.deepEqual(uses, [{ ...use, actor: 'Asha Rao' }])
  assert.doesNotMatch((await parent.get(path)).text, /advance/)
  const office = await demoVisitor(bursar.url)
  const timeline = await office.get(`/console/api/institutes/demo-school/students/${id}/timeline`)
  const entry = timeline.body.data.find(({ what }: Json) => what === 'advance.used')
  assert.equal(entry?.by, 'Asha Rao', timeline.text)
  assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
  // Another family's child is answered as one that does not exist.
  const other = await newChild()
  assert.equal((await parent.post(`/parents/students/${other.id}/advance`, { csrf })).status, 404)
  const seen = await submit(parent, path, `${path}/advance`, { csrf: 'wrong' })
  assert.equal(seen.status, 403)
})

test('the office uses it for a fee of its choice, with a reason in the audit log; never more than there is or is due', async () => {
  const { id } = await newChild()
  const office = await demoVisitor(bursar.url)
  const url = `/console/api/institutes/demo-school/students/${id}/advance-uses`
  const send = (body: Json) => office.post(url, { reason: 'The family asked for it.', ...body })
  for (const body of [
    { component_type: 'EXAM_FEE', amount: 100.01 },
    { amount: 600.01 },
    { amount: 0 },
    { component_type: 'TUITION_FEE' },
    { component_type: 'NO_SUCH_FEE' },
    { reason: '' },
  ])
    assert.equal((await send(body)).status, 400, JSON.stringify(body))
  const used = await send({ component_type: 'EXAM_FEE' })
  assert.equal(used.status, 201, used.text)
  assert.deepEqual(
    used.body.data.map(({ to_component, amount }: Json) => ({ to_component, amount })),
    [{ to_component: 'EXAM_FEE', amount: 100 }],
  )
  const { outstanding, advance } = await summary(id)
  assert.deepEqual({ outstanding, advance }, { outstanding: 700, advance: 500 })
  const [audited] = await bursar.sql<Json>(
    `select what, why, after from console_audit where about = $1 and what = 'advance.used'`,
    [id],
  )
  assert.deepEqual(audited, {
    what: 'advance.used',
    why: 'The family asked for it.',
    after: { 'TUITION_FEE → EXAM_FEE': 100 },
  })
  assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
})
