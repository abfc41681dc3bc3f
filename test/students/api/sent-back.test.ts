import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar, type TestBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { importFile } from '../../imports/support.ts'

/** An ERP that mirrors its books sends back what was collected here. */
const bursar = await startBursar({ after })
const { demo } = bursar
const sql: TestBursar['sql'] = (text, values) => bursar.sql(text, values)
const SANDBOX = '/api/v1/sandbox'
const FEES = [{ component_type: 'TUITION_FEE', fee_amount: 1000 }]
let students = 0

async function newStudent(): Promise<{ id: string; student: Json }> {
  const student = sampleStudent({ identifier: `BACK-${++students}` })
  const body = { student, fee_components: FEES }
  const answer = await demo.post(`${ERP}/users/parent-back/students`, body)
  assert.equal(answer.status, 201, answer.text)
  return { id: answer.body.data.service_student_id, student }
}

async function startPaying(studentId: string, outcome: string): Promise<Json> {
  const order = await demo.post(`${PAY}/students/${studentId}/orders`, {})
  assert.equal(order.status, 201, order.text)
  const paid = await demo.post(`${SANDBOX}/pay/orders/${order.body.data.order_id}/pay`, { outcome })
  assert.equal(paid.status, 200, paid.text)
  const [payment] = await sql<Json>(
    'select id, transaction_id from payments where order_id = $1 order by created_at desc',
    [order.body.data.order_id],
  )
  return payment ?? assert.fail('no payment')
}

function echo(transactionId: string, changes: Json = {}): Json {
  const fee_components = [{ component_type: 'TUITION_FEE', amount: 1000 }]
  const paid = { amount: 1000, paid_at: '2026-11-15', mode: 'online', fee_components }
  return { ...paid, transaction_id: transactionId, ...changes }
}

function sendBack(studentId: string, payment: Json): Promise<Answer> {
  return demo.post(`${ERP}/students/${studentId}/payments`, payment)
}

async function summaryOf(id: string): Promise<Json> {
  return (await demo.get(`${ERP}/students/${id}`)).body.data.fee_summary
}

async function assertPaidOnce(id: string): Promise<void> {
  const { paid, outstanding, advance } = await summaryOf(id)
  assert.deepEqual({ paid, outstanding, advance }, { paid: 1000, outstanding: 0, advance: 0 })
  const [kept] = await sql<Json>(
    'select sum(paid_paise)::int as paid from student_balances where student_id = $1',
    [id],
  )
  assert.equal(kept?.['paid'], 100_000)
}

async function directEvents(id: string): Promise<string[]> {
  const events = await sql<{ event_code: string }>(
    `select event_code from events where resource_id = $1 and event_code like 'direct.%' order by sequence`,
    [id],
  )
  return events.map(event => event.event_code)
}

/** A file of payments of 1,000 each, by transaction id and our id. */
function fileOf(student: Json, payments: readonly string[][]): string {
  const { identifier, grade, academic_year_start, academic_year_end } = student
  const columns =
    'identifier,grade,academic_year_start,academic_year_end,transaction_id,component_type,amount,paid_at,mode,id'
  const who = [identifier, grade, academic_year_start, academic_year_end]
  const rows = payments.map(([transactionId, id]) =>
    [...who, transactionId, 'TUITION_FEE', 1000, '2026-11-15', 'online', id].join(','),
  )
  return [columns, ...rows].join('\n')
}

test('a payment collected here and sent back as a direct payment is known and not counted again', async () => {
  const { id } = await newStudent()
  const payment = await startPaying(id, 'success')
  const names = [
    echo(payment['transaction_id']),
    echo(payment['id']),
    echo('ERP-RECEIPT-1', { id: payment['id'] }),
    // Whatever else the ERP's books say of it.
    echo(payment['transaction_id'], {
      amount: 900,
      fee_components: [{ component_type: 'BUS_FEE', amount: 900 }],
    }),
  ]
  for (const sent of names) {
    const answer = await sendBack(id, sent)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.data.id, payment['id'])
    assert.match(answer.body.message, /was collected here; it is not counted again/)
  }
  await assertPaidOnce(id)
  assert.deepEqual(await directEvents(id), [])
})

test('an order or link that pays dues, by service_student_id or settle_dues, is known when it is sent back', async () => {
  for (const kind of ['orders', 'payment_links']) {
    for (const isNamed of [true, false]) {
      const { id, student } = await newStudent()
      const identifier = student['identifier']
      const whose = isNamed ? { service_student_id: id } : { identifier, settle_dues: true }
      const details = [{ component_type: 'TUITION_FEE', amount: 1000 }]
      const order = await demo.post(`${PAY}/${kind}`, sampleOrder({ details, identifier, ...whose }))
      assert.equal(order.status, 201, order.text)
      const paying = `${SANDBOX}/pay/orders/${order.body.data.order_id}/pay`
      const paid = (await demo.post(paying, { outcome: 'success' })).body.data
      await assertPaidOnce(id)
      for (const sent of [echo(paid.payment_id), echo(`ERP-${identifier}`, { id: paid.payment_id })]) {
        const answer = await sendBack(id, sent)
        assert.deepEqual([answer.status, answer.body.data.id], [200, paid.payment_id], answer.text)
      }
      await assertPaidOnce(id)
      assert.deepEqual(await directEvents(id), [])
    }
  }
})

test('another payment under an id of the ERP, or of another student, is a payment of its own', async () => {
  const { id } = await newStudent()
  const other = await newStudent()
  const payment = await startPaying(id, 'success')
  assert.equal((await sendBack(other.id, echo(payment['transaction_id']))).status, 201)
  assert.equal((await sendBack(id, echo('CASH-7', { id: 'erp-7' }))).status, 201)
  assert.equal((await summaryOf(id)).paid, 2000)
})

test('Register Student with a payment collected here answers 200 and does not count it again', async () => {
  const { id, student } = await newStudent()
  const payment = await startPaying(id, 'success')
  for (const sent of [echo(payment['transaction_id']), echo('ERP-2', { id: payment['id'] })]) {
    const body = { student, fee_components: FEES, payments: [sent] }
    const answer = await demo.post(`${ERP}/users/parent-back/students`, body)
    assert.equal(answer.status, 200, answer.text)
  }
  await assertPaidOnce(id)
  assert.deepEqual(await directEvents(id), [])
})

test('a file of payments that holds one collected here leaves it unchanged', async () => {
  const { id, student } = await newStudent()
  const payment = await startPaying(id, 'success')
  const rows = [
    [payment['transaction_id'], ''],
    ['ERP-3', payment['id']],
  ]
  const done = await importFile(bursar, 'kind=payments', fileOf(student, rows))
  assert.deepEqual([done['state'], done['rows'].applied, done['rows'].unchanged], ['done', 0, 2])
  await assertPaidOnce(id)
})

test('a direct payment that came before its capture gives way to it and is told as cancelled', async () => {
  const { id } = await newStudent()
  const payment = await startPaying(id, 'pending')
  assert.equal((await sendBack(id, echo(payment['id']))).status, 201)
  assert.equal((await demo.post(`${SANDBOX}/payments/${payment['id']}/capture`, {})).status, 200)
  await assertPaidOnce(id)
  assert.deepEqual(await directEvents(id), ['direct.payment.added', 'direct.payment.cancelled'])
  const direct = await demo.get(`${ERP}/students/${id}/payments/${payment['id']}`)
  assert.equal(direct.body.data.status, 'cancelled')
})

test('a copy under another transaction id, sent with our id before the capture, gives way too', async () => {
  for (const by of ['api', 'register', 'file']) {
    const { id, student } = await newStudent()
    const payment = await startPaying(id, 'pending')
    const sent = echo(`MIRROR-${by}`, { id: payment['id'] })
    if (by === 'api') assert.equal((await sendBack(id, sent)).status, 201)
    else if (by === 'register')
      await demo.post(`${ERP}/users/parent-back/students`, {
        student,
        fee_components: FEES,
        payments: [sent],
      })
    else await importFile(bursar, 'kind=payments', fileOf(student, [['MIRROR-file', payment['id']]]))
    assert.equal((await summaryOf(id)).paid, 1000)
    assert.equal((await demo.post(`${SANDBOX}/payments/${payment['id']}/capture`, {})).status, 200)
    await assertPaidOnce(id)
    assert.deepEqual(await directEvents(id), ['direct.payment.added', 'direct.payment.cancelled'])
    assert.deepEqual(await sql('select id from refunds where payment_id = $1', [payment['id']]), [])
  }
})

test('however a capture and the copy of it meet, the money counts once', async () => {
  for (let round = 0; round < 12; round++) {
    const { id, student } = await newStudent()
    const payment = await startPaying(id, 'pending')
    const registered = { student, payments: [echo(payment['id'])] }
    const [captured, sent] = await Promise.all([
      demo.post(`${SANDBOX}/payments/${payment['id']}/capture`, {}),
      round % 2 === 0
        ? sendBack(id, echo(payment['id']))
        : demo.post(`${ERP}/users/parent-back/students`, registered),
    ])
    assert.equal(captured.status, 200, captured.text)
    assert.ok([200, 201].includes(sent.status), sent.text)
    await assertPaidOnce(id)
  }
})

test('Register Student refuses a known transaction with other components, mode or UTR', async () => {
  const { id, student } = await newStudent()
  const first = echo('CASH-9', { settlement_utr: 'UTR9' })
  const register = (payment: Json) =>
    demo.post(`${ERP}/users/parent-back/students`, { student, fee_components: FEES, payments: [payment] })
  assert.equal((await register(first)).status, 200)
  const others: Json[] = [
    { fee_components: [{ component_type: 'BUS_FEE', amount: 1000 }] },
    { mode: 'cash' },
    { settlement_utr: 'UTR10' },
    { amount: 500, fee_components: [{ component_type: 'TUITION_FEE', amount: 500 }] },
  ]
  for (const change of others) {
    const answer = await register({ ...first, ...change })
    assert.equal(answer.status, 409, answer.text)
    assert.equal(answer.body.data.service_student_id, id)
  }
  assert.equal((await register({ ...first, notes: 'a remark', paid_at: '2026-11-16' })).status, 200)
  await assertPaidOnce(id)
})
