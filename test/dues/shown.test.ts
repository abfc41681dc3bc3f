import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readDuesLeft } from '../../src/dues/on-the-way.service.ts'
import { listOnTheWay } from '../../src/payments/student-payments.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { operationsOf } from '../harness/openapi/operations.ts'
import { ERP, PAY, sampleStudent } from '../harness/samples.ts'
import { API, demoVisitor } from '../console/support.ts'

/** What is on the way stands wherever dues are shown. */
const bursar = await startBursar({ after })
const { demo } = bursar

const DUES = ['outstanding', 'outstanding_amount', 'overdue_amount', 'owed', 'owed_in_all', 'days_over_90']
const ON_THE_WAY = 'on_the_way_amount'

/** Answers with dues that are not to be paid by what they say, and why. */
const NOT_ASKED_FOR: Record<string, string> = {
  'GET /console/api/institutes/{institute_code}/money/demand':
    'a year as the books have it: what is on the way is neither demanded nor collected',
}

/** Objects that show dues and have no sum of what is on the way, nor stand in one that has. */
function silent(schema: Json, path: string, isSaid = false): string[] {
  const properties: Record<string, Json> = schema?.properties ?? {}
  const names = Object.keys(properties)
  const says =
    isSaid || names.includes(ON_THE_WAY) || properties['fee_summary']?.properties?.[ON_THE_WAY] !== undefined
  const own = names.filter(name => DUES.includes(name) && properties[name]?.type === 'number')
  const inner = Object.entries(properties).flatMap(([name, field]) =>
    // Parts of a student's dues stand below their sum; other students and years have sums of their own.
    silent(field.items ?? field, `${path}.${name}`, says && isPart(field.items ?? field)),
  )
  return own.length > 0 && !says ? [`${path} (${own.join(', ')})`, ...inner] : inner
}

function isPart({ properties = {} }: Json): boolean {
  return !('service_student_id' in properties)
}

const operationOf = (place: string): string => /^\S+ [^.]+/.exec(place)?.[0].trim() ?? place

test('every answer of the API and the console that shows dues says what of them is on the way', () => {
  const found = operationsOf(bursar).flatMap(({ method, path, responses }) =>
    Object.entries(responses ?? {})
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, answer]) => silent(answer?.content?.['application/json']?.schema, `${method} ${path}`)),
  )
  assert.deepEqual(
    found.filter(place => !(operationOf(place) in NOT_ASKED_FOR)),
    [],
  )
  const unused = Object.keys(NOT_ASKED_FOR).filter(one => !found.some(place => operationOf(place) === one))
  assert.deepEqual(unused, [], 'every exception is one')
})

const must = (answer: { status: number; text: string; body: Json }): Json => {
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`)
  return answer.body.data
}

async function register(identifier: string): Promise<string> {
  const student = sampleStudent({ identifier })
  const fee_components = [
    { component_type: 'TUITION_FEE', fee_amount: 1000 },
    { component_type: 'TRANSPORT_FEE', fee_amount: 300 },
  ]
  return must(await demo.post(`${ERP}/users/shown/students`, { student, fee_components })).service_student_id
}

/** Of a tuition fee 1,000 is pending at the bank; 300 of transport is left. */
async function payPending(id: string): Promise<string> {
  const { order_id: orderId } = must(
    await demo.post(`${PAY}/orders`, {
      name: 'Asha Rao',
      phone: '9876543210',
      email: 'asha@example.in',
      service_student_id: id,
      details: [{ component_type: 'TUITION_FEE', amount: 1000 }],
    }),
  )
  return must(await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'pending' })).payment_id
}

test('what is on the way stands beside the dues in every view, list, report and file, until the bank has answered', async () => {
  const [id, sibling] = [await register('SHOWN-1'), await register('SHOWN-2')]
  const paymentId = await payPending(id)
  const clerk = await demoVisitor(bursar.url)
  const at = `${API}/institutes/demo-school`
  const sums = async (): Promise<Record<string, number>> => {
    const student = must(await demo.get(`${ERP}/students/${id}`))
    const [listed] = must(await demo.get(`${ERP}/students?identifier=SHOWN-1`))
    const rows: Json[] = must(await clerk.get(`${at}/students?q=SHOWN-1`))
    const late: Json[] = must(await clerk.get(`${at}/money/defaulters?bucket=no_due_day`))
    const family: Json[] = must(await clerk.get(`${at}/students/${sibling}`)).family.children
    const own = (row: Json): boolean => row.service_student_id === id
    const file = (await clerk.get(`${at}/students/export?format=csv&q=SHOWN-1`)).text
    const [titles = '', ...cells] = file.split(/\r?\n/)
    const column = titles.split(',').findIndex(title => title.includes('On the way'))
    return {
      view: student.fee_summary[ON_THE_WAY],
      list: listed.fee_summary[ON_THE_WAY],
      fees: must(await demo.get(`${ERP}/students/${id}/fee`)).fee_summary[ON_THE_WAY],
      dues: must(await demo.get(`${ERP}/students/${id}/dues`))[ON_THE_WAY],
      row: rows.find(own)?.[ON_THE_WAY],
      defaulter: late.find(own)?.[ON_THE_WAY] ?? 0,
      sibling: family.find(own)?.[ON_THE_WAY],
      page: must(await clerk.get(`${at}/students/${id}`)).dues[ON_THE_WAY],
      home: must(await clerk.get(`${at}/home`)).outstanding[ON_THE_WAY],
      ageing: must(await clerk.get(`${at}/money/ageing?by=grade`))[ON_THE_WAY],
      file: Number(cells[0]?.split(',')[column]),
    }
  }
  const all = await sums()
  assert.deepEqual(all, Object.fromEntries(Object.keys(all).map(name => [name, 1000])))
  must(await demo.post(`/api/v1/sandbox/payments/${paymentId}/fail`))
  assert.deepEqual(await sums(), Object.fromEntries(Object.keys(all).map(name => [name, 0])))
})

test('a reminder and a demand notice ask for what is left, and for nothing while all of it is on the way', async () => {
  const [part, whole] = [await register('LEFT-1'), await register('LEFT-2')]
  await payPending(part)
  const { order_id: orderId } = must(await demo.post(`${PAY}/students/${whole}/orders`, {}))
  must(await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'pending' }))
  const left = await readDuesLeft(bursar.app.ctx, 1, [part, whole])
  assert.deepEqual(
    [part, whole].map(id => left.get(id)?.totalPaise),
    [30_000, 0],
  )
  const clerk = await demoVisitor(bursar.url)
  const at = `${API}/institutes/demo-school`
  const preview = async (id: string): Promise<Json> =>
    must(
      await clerk.post(`${at}/reminder-runs/preview`, {
        student_ids: [id],
        scope: 'all',
        channels: ['email'],
        language: 'en',
        subject: 'Fees',
        body: '{details}',
      }),
    )
  assert.match((await preview(part)).sample.body, /300\.00/)
  assert.equal((await preview(whole)).sample, undefined)
  const notices = await clerk.get(`${at}/demand-notices?student_ids=${whole}`)
  assert.equal(notices.status, 409, notices.text)
})

test('of many students everything that is on the way is found, however much it is', async () => {
  const id = await register('MANY-1')
  const paymentId = await payPending(id)
  const copy = (table: string, changed: string, condition: string): Promise<unknown> =>
    bursar.sql(
      `insert into ${table} select (jsonb_populate_record(t, ${changed})).* from ${table} t, generate_series(1, 600) n where ${condition}`,
      [paymentId],
    )
  const orderId = `(select order_id from payments where id = $1)`
  await copy('orders', `jsonb_build_object('id', 'order_many' || n)`, `t.id = ${orderId}`)
  await copy(
    'payments',
    `jsonb_build_object('id', 'pay_many' || n, 'order_id', 'order_many' || n, 'transaction_id', null)`,
    't.id = $1',
  )
  assert.equal((await listOnTheWay(bursar.app.ctx.db, 1, [id])).length, 601)
})
