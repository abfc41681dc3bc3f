import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FLEX } from '../../flex/support.ts'
import type { Answer } from '../../harness/client.ts'
import { startFakeErp } from '../../harness/fakes/erp.ts'
import { operationsOf } from '../../harness/openapi/operations.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { LoanWorld } from '../../loans/support.ts'

/** Every act of the sandbox, done twice with one Idempotency-Key. */
const SANDBOX = '/api/v1/sandbox'
const world = await LoanWorld.open({ after })
const { demo } = world.bursar
const erp = await startFakeErp({ after })

type Act = { path: string; body?: unknown }

async function post(path: string, body?: unknown): Promise<Answer> {
  const answer = await demo.post(path, body)
  assert.ok(answer.status < 300, `${path}: ${answer.text}`)
  return answer
}

async function order(): Promise<string> {
  return (await post(`${PAY}/orders`, sampleOrder())).body.data.order_id
}

async function pendingPayment(): Promise<string> {
  const paid = await post(`${SANDBOX}/pay/orders/${await order()}/pay`, { outcome: 'pending' })
  return paid.body.data.payment_id
}

async function plan(): Promise<string> {
  const drafted = await post(`${FLEX}/students/${await world.student()}/plans`, {})
  return drafted.body.data.plan_id
}

async function mandate(): Promise<string> {
  const planId = await plan()
  await post(`${SANDBOX}/flex/plans/${planId}/authorise`)
  return (await demo.get(`${FLEX}/plans/${planId}`)).body.data.mandate.id
}

/** Of a plan whose first debit is at the bank, or was there. */
async function presentedInstalment(): Promise<string> {
  const planId = await plan()
  await post(`${SANDBOX}/flex/plans/${planId}/authorise`)
  for (let week = 0; week < 20; week++) {
    const { payment_schedule: rows } = (await demo.get(`${FLEX}/plans/${planId}`)).body.data
    const out = rows.find(({ status }: { status: string }) =>
      ['presented', 'debited', 'settled'].includes(status),
    )
    if (out !== undefined) return out.id
    await world.advance('P7D')
  }
  throw new Error('no instalment was presented within 20 weeks')
}

async function loan(...verbs: string[]): Promise<string> {
  const id = await world.start(await world.student())
  await world.act(id, ...verbs)
  return id
}

const ofMandate = (act: string) => async (): Promise<Act> => ({
  path: `${SANDBOX}/flex/mandates/${await mandate()}/${act}`,
})
const ofLoan =
  (act: string, ...before: string[]) =>
  async (): Promise<Act> => ({ path: `${SANDBOX}/loans/${await loan(...before)}/${act}` })

const ACTS: Record<string, () => Promise<Act>> = {
  'POST /pay/orders/{order_id}/pay': async () => ({
    path: `${SANDBOX}/pay/orders/${await order()}/pay`,
    body: { outcome: 'failure' },
  }),
  'POST /payments/{payment_id}/capture': async () => ({
    path: `${SANDBOX}/payments/${await pendingPayment()}/capture`,
  }),
  'POST /payments/{payment_id}/fail': async () => ({
    path: `${SANDBOX}/payments/${await pendingPayment()}/fail`,
  }),
  'POST /payments/{payment_id}/dispute': async () => {
    const paid = await post(`${SANDBOX}/pay/orders/${await order()}/pay`, { outcome: 'success' })
    return {
      path: `${SANDBOX}/payments/${paid.body.data.payment_id}/dispute`,
      body: { outcome: 'open' },
    }
  },
  'POST /pay/students/{service_student_id}/virtual_account/transfers': async () => {
    const student = await world.student()
    await post(`${PAY}/students/${student}/virtual_account`)
    return {
      path: `${SANDBOX}/pay/students/${student}/virtual_account/transfers`,
      body: { amount: 100 },
    }
  },
  'POST /linked_accounts': async () => ({
    path: `${SANDBOX}/linked_accounts`,
    body: { linked_id: 'acc_trust', verified: true },
  }),
  'POST /settlements/run': async () => {
    await post(`${SANDBOX}/pay/orders/${await order()}/pay`, { outcome: 'success' })
    return { path: `${SANDBOX}/settlements/run` }
  },
  'POST /clock': async () => ({ path: `${SANDBOX}/clock`, body: { advance: 'PT1M' } }),
  'POST /events/trigger': async () => ({
    path: `${SANDBOX}/events/trigger`,
    body: { event_code: 'pay.payment.debited' },
  }),
  'PUT /erp': async () => ({ path: `${SANDBOX}/erp`, body: { url: erp.url } }),
  'POST /erp/integration-check': async () => ({
    path: `${SANDBOX}/erp/integration-check`,
    body: { identifier: 'NOBODY', parts: ['webhooks'] },
  }),
  'POST /flex/plans/{plan_id}/authorise': async () => ({
    path: `${SANDBOX}/flex/plans/${await plan()}/authorise`,
  }),
  'POST /flex/instalments/{instalment_id}/outcome': async () => ({
    path: `${SANDBOX}/flex/instalments/${await presentedInstalment()}/outcome`,
    body: { outcome: 'bounced' },
  }),
  'POST /flex/mandates/{mandate_id}/revoke': ofMandate('revoke'),
  'POST /flex/mandates/{mandate_id}/pause': ofMandate('pause'),
  'POST /flex/mandates/{mandate_id}/resume': async () => {
    const id = await mandate()
    await post(`${SANDBOX}/flex/mandates/${id}/pause`)
    return { path: `${SANDBOX}/flex/mandates/${id}/resume` }
  },
  'POST /flex/mandates/{mandate_id}/expire': ofMandate('expire'),
  'POST /loans/{application_id}/fill': ofLoan('fill'),
  'POST /loans/{application_id}/approve': ofLoan('approve', 'fill'),
  'POST /loans/{application_id}/reject': ofLoan('reject', 'fill'),
  'POST /loans/{application_id}/sign': ofLoan('sign', 'fill', 'approve'),
  'POST /loans/{application_id}/disburse': ofLoan('disburse', 'fill', 'approve', 'sign'),
  'POST /loans/{application_id}/emi': async () => {
    const id = await loan('fill', 'approve', 'sign', 'disburse')
    await world.settle()
    return { path: `${SANDBOX}/loans/${id}/emi` }
  },
  'POST /loans/{application_id}/expire': ofLoan('expire', 'fill'),
  'POST /loans/{application_id}/cancel': ofLoan('cancel', 'fill'),
}

const writes = operationsOf(world.bursar, SANDBOX)
  .filter(({ method }) => method !== 'GET')
  .map(({ method, path }) => `${method} ${path.slice(SANDBOX.length)}`)

for (const write of writes)
  test(`${write} of the sandbox heeds its Idempotency-Key`, async () => {
    const prepare = ACTS[write]
    assert.ok(prepare, `ACTS of this file says nothing of ${write}`)
    const { path, body } = await prepare()
    const [method = ''] = write.split(' ')
    const key = { 'idempotency-key': write }
    const first = await demo.send(method, path, body, key)
    assert.ok(first.status < 300, first.text)
    assert.equal(first.headers.get('idempotent-replayed'), null)
    const again = await demo.send(method, path, body, key)
    assert.deepEqual([again.status, again.text], [first.status, first.text])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const other = await demo.send(method, path, { ...(body as object), reason: 'another request' }, key)
    assert.equal(`${other.status} ${other.body.code}`, '422 IDE00000')
  })
