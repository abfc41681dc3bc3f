import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readConfig } from '../../../src/app/config.ts'
import { createBursar } from '../../../src/app/bursar.ts'
import { createLog } from '../../../src/platform/log.ts'
import { startBursar, TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { Client, DEMO, type Answer, type Json } from '../../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'

/** What many callers do at once ends as if they had come one after another, in one process or over two. */
const bursar = await startBursar({ after })
const { demo } = bursar
const neighbour = await startNeighbour()
const places = [
  { where: 'in one process', tag: 'one', clients: [demo] },
  { where: 'over two processes', tag: 'two', clients: [demo, neighbour] },
]

async function startNeighbour(): Promise<Client> {
  const app = await createBursar(
    readConfig({
      PORT: '0',
      PUBLIC_URL: bursar.url,
      DATABASE_URL: bursar.app.config.databaseUrl ?? '',
      MASTER_KEY: TEST_MASTER_KEY,
      BURSAR_ROLE: 'api',
      DRAIN_SECONDS: '0',
    }),
    createLog({ level: 'silent', format: 'json' }),
  )
  after(() => app.stop())
  return new Client(`http://${app.config.host}:${app.config.port}`, DEMO)
}

/** Sends all of them before the first answer is awaited, in turn over the processes. */
function atOnce(
  count: number,
  clients: readonly Client[],
  send: (client: Client, index: number) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => send(clients[index % clients.length] ?? demo, index)),
  )
}

function tally(answers: readonly Answer[]): Record<string, number> {
  const labels = answers.map(({ status, body }) => (status < 300 ? `${status}` : `${status} ${body?.code}`))
  return Object.fromEntries(labels.map(label => [label, labels.filter(other => other === label).length]))
}

async function count(from: string, ...values: unknown[]): Promise<number> {
  const [row] = await bursar.sql<{ n: number }>(`select count(*)::int as n from ${from}`, values)
  return row?.n ?? -1
}

function eventsOf(code: string, resourceId: string): Promise<number> {
  return count('events where event_code = $1 and resource_id = $2', code, resourceId)
}

function isStillRunning({ status, body, headers }: Answer): boolean {
  return status === 409 && body.code === 'IDE00001' && Number(headers.get('retry-after')) >= 1
}

for (const { where, tag, clients } of places) {
  for (const [noun, path] of [
    ['order', `${PAY}/orders`],
    ['payment link', `${PAY}/payment_links`],
  ] as const) {
    test(`50 identical creates at once with one Idempotency-Key make one ${noun} ${where}`, async () => {
      const identifier = `SAME-${noun}-${tag}`
      const body = sampleOrder({ identifier })
      const key = { 'idempotency-key': identifier }
      const answers = await atOnce(50, clients, client => client.post(path, body, key))
      const made = answers.filter(answer => answer.status === 201)
      assert.ok(made.length >= 1, `nobody was told that it was made: ${JSON.stringify(tally(answers))}`)
      assert.equal(made.length + answers.filter(isStillRunning).length, 50, JSON.stringify(tally(answers)))
      assert.equal(new Set(made.map(answer => answer.text)).size, 1)
      assert.equal(made.filter(answer => answer.headers.get('idempotent-replayed') === null).length, 1)
      for (const client of clients) {
        const repeat = await client.post(path, body, key)
        assert.equal(repeat.status, 201)
        assert.equal(repeat.headers.get('idempotent-replayed'), 'true')
        assert.equal(repeat.text, made[0]?.text)
      }
      assert.equal(await count('orders where identifier = $1', identifier), 1)
    })
  }

  test(`20 different creates at once with one Idempotency-Key make one order ${where}`, async () => {
    const identifier = `DIFFERENT-${tag}`
    const answers = await atOnce(20, clients, (client, index) =>
      client.post(`${PAY}/orders`, sampleOrder({ identifier, name: `Payer ${index}` }), {
        'idempotency-key': identifier,
      }),
    )
    const counts = tally(answers)
    assert.equal(counts['201'], 1, JSON.stringify(counts))
    assert.equal((counts['422 IDE00000'] ?? 0) + answers.filter(isStillRunning).length, 19)
    assert.equal(await count('orders where identifier = $1', identifier), 1)
  })

  test(`50 Add Webhook calls at once for one event code make one subscription ${where}`, async () => {
    const event = tag === 'one' ? 'pay.payment.debited' : 'pay.payment.settled'
    const body = sampleWebhook({ event_code: event })
    const answers = await atOnce(50, clients, client => client.post(`${ERP}/webhooks`, body))
    assert.deepEqual(tally(answers), { '201': 50 })
    assert.equal(new Set(answers.map(answer => answer.body.data.id)).size, 1)
    assert.equal(await count('webhook_subscriptions where event_code = $1', event), 1)
  })

  test(`50 Add Webhook calls at once with different secrets leave one subscription ${where}`, async () => {
    const event = tag === 'one' ? 'order.payment.debited' : 'order.payment.settled'
    const answers = await atOnce(50, clients, (client, index) =>
      client.post(
        `${ERP}/webhooks`,
        sampleWebhook({ event_code: event, secret_key: `secret-of-the-erp-${index}` }),
      ),
    )
    assert.deepEqual(tally(answers), { '201': 50 })
    assert.equal(new Set(answers.map(answer => answer.body.data.id)).size, 1)
    const rows = 'webhook_subscriptions where event_code = $1'
    assert.equal(await count(rows, event), 1)
    assert.equal(await count(`${rows} and previous_secret_sealed <> secret_sealed`, event), 1)
  })

  for (const many of [2, 20]) {
    test(`${many} simultaneous registrations of one student make one student ${where}`, async () => {
      const identifier = `STUDENT-${tag}-${many}`
      const body = {
        student: sampleStudent({ identifier }),
        fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60000 }],
        payments: [samplePayment(identifier)],
      }
      const answers = await atOnce(many, clients, client =>
        client.post(`${ERP}/users/parent-${identifier}/students`, body),
      )
      assert.deepEqual(tally(answers), { '200': many - 1, '201': 1 })
      const ids = new Set(answers.map(answer => answer.body.data.service_student_id))
      const rows = await bursar.sql<{ id: string }>('select id from students where identifier = $1', [
        identifier,
      ])
      assert.deepEqual(ids, new Set(rows.map(row => row.id)))
      const [id = ''] = ids
      assert.equal(rows.length, 1)
      assert.equal(await eventsOf('masterdata.student.registered', id), 1)
      assert.equal(await eventsOf('direct.payment.added', id), 1)
      assert.equal(await count('direct_payments where student_id = $1', id), 1)
      assert.equal(await count('fee_changes where student_id = $1', id), 1)
    })
  }

  test(`simultaneous registrations of a student under different registration ids link all users ${where}`, async () => {
    const identifier = `FAMILY-${tag}`
    const parents = Array.from({ length: 20 }, (_, no) => `parent-${tag}-${no}`)
    const answers = await atOnce(parents.length, clients, (client, index) =>
      client.post(`${ERP}/users/${parents[index]}/students`, { student: sampleStudent({ identifier }) }),
    )
    assert.deepEqual(tally(answers), { '200': 19, '201': 1 })
    const id = answers[0]?.body.data.service_student_id
    const student = await neighbour.get(`${ERP}/students/${id}`)
    assert.deepEqual(new Set(student.body.data.registration_ids), new Set(parents))
    assert.equal(student.body.data.registration_ids.length, parents.length)
    assert.equal(await eventsOf('masterdata.student.registered', id), 1)
  })

  test(`simultaneous Update Fee calls on different components lose none ${where}`, async () => {
    const id = await registerOne(`FEES-${tag}`)
    const sent = Array.from({ length: 30 }, (_, no) => ({
      component_type: `PART_${no}`,
      fee_amount: 100 + no,
    }))
    const answers = await atOnce(sent.length, clients, (client, index) =>
      client.patch(`${ERP}/students/${id}/fee`, { fee_components: [sent[index]] }),
    )
    assert.deepEqual(tally(answers), { '200': 30 })
    const { body } = await neighbour.get(`${ERP}/students/${id}/fee`)
    const stored: Json[] = body.data.fee_components
    const amounts = new Map(stored.map(part => [part.component_type, part.fee_amount]))
    assert.deepEqual(
      sent.map(part => amounts.get(part.component_type)),
      sent.map(part => part.fee_amount),
    )
    assert.equal(await count('(select distinct position from fee_components where student_id = $1)', id), 30)
  })

  test(`simultaneous Update Fee calls on one component leave an unbroken history ${where}`, async () => {
    const id = await registerOne(`HISTORY-${tag}`)
    await atOnce(20, clients, (client, index) =>
      client.patch(`${ERP}/students/${id}/fee`, {
        fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1000 + index }],
      }),
    )
    const { body } = await demo.get(`${ERP}/students/${id}/fee`)
    const [component] = body.data.fee_components
    const history: Json[] = component.history
    assert.equal(history.length, 20)
    assert.deepEqual(
      history.slice(0, -1).map(entry => entry.before.fee_amount),
      history.slice(1).map(entry => entry.after.fee_amount),
    )
    assert.equal(component.fee_amount, history[0].after.fee_amount)
  })

  test(`of 20 simultaneous cancellations of one link one succeeds and makes one event ${where}`, async () => {
    const link = (await demo.post(`${PAY}/payment_links`, sampleOrder())).body.data.order_id
    const answers = await atOnce(20, clients, client => client.delete(`${PAY}/payment_links/${link}`))
    assert.deepEqual(tally(answers), { '200': 1, '409 HUE00002': 19 })
    assert.equal(await eventsOf('payment_link.payment.cancelled', link), 1)
  })

  test(`20 simultaneous cancellations with one Idempotency-Key are one cancellation ${where}`, async () => {
    const link = (await demo.post(`${PAY}/payment_links`, sampleOrder())).body.data.order_id
    const cancel = (client: Client): Promise<Answer> =>
      client.delete(`${PAY}/payment_links/${link}`, { 'idempotency-key': `cancel-${link}` })
    const answers = await atOnce(20, clients, cancel)
    const done = answers.filter(answer => answer.status === 200)
    assert.ok(done.length >= 1)
    assert.equal(done.length + answers.filter(isStillRunning).length, 20, JSON.stringify(tally(answers)))
    assert.equal(await eventsOf('payment_link.payment.cancelled', link), 1)
    assert.equal((await cancel(neighbour)).headers.get('idempotent-replayed'), 'true')
  })
}

test('orders that bring the same new components in opposite orders at once are all made', async () => {
  const details = codes('ORDER', 5).map(component_type => ({ component_type, amount: 10 }))
  const answers = await releasedTogether('ORDER_2', 2, () =>
    atOnce(2, [demo], (client, index) =>
      client.post(`${PAY}/orders`, sampleOrder({ details: index === 0 ? details : details.toReversed() })),
    ),
  )
  assert.deepEqual(tally(answers), { '201': 2 })
})

test('registrations that bring the same new components in any order at once all succeed', async () => {
  await registerOne('FIRST-OF-ITS-GRADE')
  const [held, ...others] = codes('REGISTER', 13).map(component_type => ({ component_type, fee_amount: 500 }))
  const answers = await releasedTogether('REGISTER_0', 12, () =>
    atOnce(12, [demo], (client, index) =>
      client.post(`${ERP}/users/parent-any/students`, {
        student: sampleStudent({ identifier: `ANY-${index}` }),
        fee_components: [others[index], held, ...others.slice(index + 1), ...others.slice(0, index)],
      }),
    ),
  )
  assert.deepEqual(tally(answers), { '201': 12 })
})

test('repeated registrations and Update Fee calls at once with the same new components all succeed', async () => {
  const student = sampleStudent({ identifier: 'MIXED' })
  const id = await registerOne('MIXED')
  const fees = codes('MIXED', 25).map(component_type => ({ component_type, fee_amount: 500 }))
  const answers = await releasedTogether('MIXED_12', 12, () =>
    atOnce(12, [demo], (client, index) => {
      const fee_components = index % 4 < 2 ? fees : fees.toReversed()
      return index % 2 === 0
        ? client.patch(`${ERP}/students/${id}/fee`, { fee_components })
        : client.post(`${ERP}/users/parent-MIXED/students`, { student, fee_components })
    }),
  )
  assert.deepEqual(tally(answers), { '200': 12 })
  assert.equal(await count('fee_changes where student_id = $1', id), 25)
})

function codes(prefix: string, length: number): string[] {
  return Array.from({ length }, (_, no) => `${prefix}_${no}`)
}

/** Holds a component back until every caller waits for it or for another, then lets go: the worst moment. */
async function releasedTogether(
  component: string,
  callers: number,
  start: () => Promise<Answer[]>,
): Promise<Answer[]> {
  let answers: Promise<Answer[]> | undefined
  await bursar.app.ctx.db.transaction(async tx => {
    await tx.query(
      `insert into catalogue_entries select id, 'component', $1, $1 from institutes where code = 'demo-school'`,
      [component],
    )
    answers = start()
    await waitFor(async () => (await bursar.countWaiting()) >= callers, 'every caller to wait')
  })
  return answers ?? []
}

async function registerOne(identifier: string): Promise<string> {
  const { body } = await demo.post(`${ERP}/users/parent-${identifier}/students`, {
    student: sampleStudent({ identifier }),
  })
  return body.data.service_student_id
}

function samplePayment(transactionId: string): Record<string, unknown> {
  return {
    amount: 1500,
    paid_at: '2026-06-01T10:00:00+05:30',
    mode: 'cash',
    transaction_id: transactionId,
    fee_components: [{ component_type: 'TUITION_FEE', amount: 1500 }],
  }
}
