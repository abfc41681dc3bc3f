import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rail } from '../../src/providers/port.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Json } from '../harness/client.ts'
import {
  advance,
  bursar,
  demo,
  mandates,
  paymentNow,
  port,
  present,
  register,
  school,
  sql,
  studentId,
  toldOf,
} from './debits-support.ts'

const SANDBOX = '/api/v1/sandbox'
const INSTITUTE = school.id

async function press(page: string, act: string): Promise<Response> {
  return fetch(page, {
    method: 'POST',
    body: new URLSearchParams({ act, way: 'aadhaar' }),
    redirect: 'manual',
  })
}

const outcomes = (mandateId: string): Json[] =>
  mandates.filter(report => report.mandateId === mandateId).map(report => report.outcome)

test('the page of an eNACH mandate says who asks, how much at most and for how long; the bank confirms on the next working day', async () => {
  const { mandateId, ref, page } = await register('enach')
  const shown = await (await fetch(page)).text()
  for (const words of [
    'Demo School',
    '₹20,000',
    '1 January 2020',
    '31 December 2099',
    'Net banking',
    'Aadhaar',
  ])
    assert.ok(shown.includes(words), words)
  assert.doesNotMatch(shown, /<script/)
  const answer = await press(page, 'approve')
  assert.equal(answer.status, 303)
  assert.equal(answer.headers.get('location'), `${bursar.url}/healthz`)
  const [authorised] = outcomes(mandateId)
  assert.equal(authorised.kind, 'authorised')
  assert.match(authorised.umrn, /^[A-Z0-9]{20}$/)
  // A second click changes nothing and leads back as the first did.
  assert.equal((await press(page, 'decline')).status, 303)
  const [due] = await sql<{ at: Date }>('select confirm_at as at from bank_mandates where ref = $1', [ref])
  assert.match(due?.at.toISOString() ?? '', /T04:30:00/, '10:00 in India')
  const { summary } = await advance('P5D')
  assert.equal(summary.bank_confirms, 1)
  assert.deepEqual(
    outcomes(mandateId).map(outcome => outcome.kind),
    ['authorised', 'active'],
  )
  assert.match(await (await fetch(page)).text(), new RegExp(authorised.umrn))
})

test('UPI Autopay shows a link for an app and a code, and is active at once', async () => {
  const { mandateId, page } = await register('upi_autopay')
  const shown = await (await fetch(page)).text()
  assert.match(shown, /href="upi:\/\/mandate\?/)
  assert.match(shown, /src="data:image\/svg\+xml/)
  await press(page, 'approve')
  const [active, ...rest] = outcomes(mandateId)
  assert.deepEqual([active.kind, rest.length], ['active', 0])
  assert.ok(active.upiReference)
})

test('a payer can decline, a bank can refuse later, and a payer can withdraw', async () => {
  const declined = await register('upi_autopay')
  await press(declined.page, 'decline')
  const refused = await register('enach')
  await press(refused.page, 'approve_in_vain')
  const withdrawn = await register('upi_autopay')
  await press(withdrawn.page, 'approve')
  await press(withdrawn.page, 'revoke')
  await advance('P5D')
  const kinds = [declined, refused, withdrawn].map(({ mandateId }) =>
    outcomes(mandateId).map(({ kind, code }) => (code === undefined ? kind : `${kind} ${code}`)),
  )
  assert.deepEqual(kinds, [
    ['rejected payer_declined'],
    ['authorised', 'rejected bank_refused'],
    ['active', 'cancelled QA'],
  ])
  for (const { mandateId, ref } of [declined, refused, withdrawn]) {
    const report = await port.status({ instituteId: INSTITUTE, mandateId, providerRef: ref })
    assert.deepEqual(report.outcome, outcomes(mandateId).at(-1), 'asked, it says the same')
  }
})

test('registering twice is one mandate; one it never heard of is open; a wrong address is a page that says so', async () => {
  const { mandateId, ref, page } = await register('enach')
  const again = await port.register({
    instituteId: INSTITUTE,
    mandateId,
    rail: 'enach',
    capPaise: 1 as never,
    startOn: '2026-01-01',
    endOn: '2026-12-31',
    payer: { name: '', phone: '', email: '' },
    description: '',
    returnUrl: '',
  })
  assert.equal(again.providerRef, ref)
  const unheard = await port.status({ instituteId: INSTITUTE, mandateId: 'mdt_none', providerRef: null })
  assert.deepEqual(unheard.outcome, { kind: 'open' })
  for (const wrong of [page.replace(ref, 'bank_x'), page.replace(`/${INSTITUTE}/`, '/2/'), `${page}%20`])
    assert.equal((await fetch(wrong)).status, 404)
  assert.equal((await press(page, 'nonsense')).status, 404)
})

test('no money is taken by the mandate page of a debit: its payment has no page at the bank', async () => {
  const payment = await present(100_00, 'bank_nobody')
  const { provider_ref: ref } = await paymentNow(payment)
  assert.equal((await fetch(`${bursar.url}/sandbox/bank/${INSTITUTE}/${ref}`)).status, 404)
})

async function planWith(rail: Rail): Promise<{ planId: string; instalmentId: string; ref: string }> {
  const { mandateId, ref } = await register(rail)
  const [planId, instalmentId] = [newId('plan'), newId('inst')]
  await sql(`update flex_plans set state = 'cancelled'`)
  await sql(
    `insert into flex_plans (institute_id, id, student_id, collector_code, product_name, is_custom, created_at, fitted_to, fitted_at)
     values ($1, $2, $3, 'MAIN', 'Fees', false, now(), '[]', now())`,
    [INSTITUTE, planId, studentId],
  )
  await sql(
    `insert into flex_mandates (institute_id, id, plan_id, provider, account_id, provider_ref, rail, cap_paise, start_on, end_on, created_at)
     values ($1, $2, $3, 'sandbox', 'sandbox', $4, $5, 100, '2026-01-01', '2030-01-01', now())`,
    [INSTITUTE, mandateId, planId, ref, rail],
  )
  await sql(
    `insert into flex_instalments (institute_id, plan_id, id, number, due_on, present_on, lines, planned)
     values ($1, $2, $3, 1, '2026-01-01', '2026-01-01', '[]', '[]')`,
    [INSTITUTE, planId, instalmentId],
  )
  return { planId, instalmentId, ref }
}

test('the sandbox API authorises a plan, lets the bank decide about an instalment, and takes one back', async () => {
  const { planId, instalmentId, ref } = await planWith('upi_autopay')
  const outcome = (body: unknown) => demo.post(`${SANDBOX}/flex/instalments/${instalmentId}/outcome`, body)
  const authorised = await demo.post(`${SANDBOX}/flex/plans/${planId}/authorise`)
  assert.deepEqual(authorised.body.data, { plan_id: planId, status: 'active' }, authorised.text)
  assert.equal((await demo.post(`${SANDBOX}/flex/plans/${planId}/authorise`)).status, 409)
  const early = await outcome({ outcome: 'debited' })
  assert.equal(early.status, 409)
  assert.match(early.body.message, /clock/)
  for (const wrong of [
    {},
    { outcome: 'perhaps' },
    { debited: true, bounced: true },
    { debited: true, code: '04' },
  ])
    assert.equal((await outcome(wrong)).status, 400, JSON.stringify(wrong))

  const presentIt = async () => {
    const payment = await present(100_00, ref, 'upi_autopay')
    await sql('update flex_instalments set order_id = $2 where id = $1', [instalmentId, payment.orderId])
    return payment
  }
  const bounced = await presentIt()
  assert.equal((await outcome({ bounced: true, code: 'U30' })).body.data.status, 'failed')
  assert.deepEqual(toldOf(bounced), ['failed U30'])
  const debited = await presentIt()
  const key = { 'idempotency-key': 'outcome-1' }
  const path = `${SANDBOX}/flex/instalments/${instalmentId}/outcome`
  const first = await demo.post(path, { outcome: 'debited' }, key)
  assert.deepEqual(first.body.data, {
    instalment_id: instalmentId,
    payment_id: debited.id,
    status: 'captured',
  })
  assert.equal((await demo.post(path, { outcome: 'debited' }, key)).text, first.text)
  assert.equal((await outcome({ debited: true })).status, 409)
  assert.equal((await outcome({ outcome: 'bounced' })).status, 200)
  assert.deepEqual(toldOf(debited), ['captured', 'reversed Z9'])
  assert.equal((await outcome({ outcome: 'bounced' })).status, 409)
})

test('plans and instalments that are not there, or another institute’s, are 404', async () => {
  const { planId, instalmentId } = await planWith('enach')
  for (const client of [demo, bursar.group]) {
    const [plan, instalment] = client === demo ? ['plan_none', 'inst_none'] : [planId, instalmentId]
    assert.equal((await client.post(`${SANDBOX}/flex/plans/${plan}/authorise`)).status, 404)
    const answer = await client.post(`${SANDBOX}/flex/instalments/${instalment}/outcome`, {
      outcome: 'debited',
    })
    assert.equal(answer.status, 404)
  }
  const declined = await demo.post(`${SANDBOX}/flex/plans/${planId}/authorise`, { outcome: 'failure' })
  assert.equal(declined.body.data.status, 'rejected')
})
