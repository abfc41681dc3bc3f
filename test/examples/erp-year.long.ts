import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Student } from '../../examples/erp/books.ts'
import { connect, push, takeCash } from '../../examples/erp/connect.ts'
import { toPaise } from '../../examples/erp/money.ts'
import { reconcile } from '../../examples/erp/reconcile.ts'
import { startDelivering } from '../webhooks/support.ts'
import { clientOf, SECRETS, sampleStudent, startErp } from './support.ts'

const { url } = await startDelivering({ after })
const bursar = clientOf(url)
const erp = await startErp({ after })
const { books } = erp

const kabir = sampleStudent()
const meera = sampleStudent({
  identifier: 'ADM-2',
  fullname: 'Meera Nair',
  contact_email: 'nair@example.in',
  contact_number: '9876500002',
})
const arjun = sampleStudent({
  identifier: 'ADM-3',
  fullname: 'Arjun Das',
  contact_email: 'das@example.in',
  contact_number: '9876500003',
})

async function payDues(student: Student, amount?: string): Promise<string> {
  const id = books.findStudent(student.identifier, student.year)?.service_student_id ?? assert.fail()
  const { order_id } = await bursar.createStudentOrder(id, amount === undefined ? {} : { amount })
  await bursar.sandboxPay(order_id, { outcome: 'success' })
  return order_id
}

/** The ERP's books and Bursar agree on every record, to the paisa. */
async function assertAgrees(): Promise<void> {
  assert.deepEqual(await reconcile(bursar, books), [])
  for (const student of books.listStudents()) {
    const { fee_summary } = await bursar.getStudent(student.service_student_id ?? assert.fail())
    const theirs = toPaise(fee_summary.outstanding) - toPaise(fee_summary.advance)
    assert.equal(books.outstandingOf(student), theirs, `${student.identifier} of ${student.year}`)
  }
}

async function today(): Promise<Temporal.PlainDate> {
  const { now } = await bursar.getSandboxClock()
  return Temporal.Instant.from(now).toZonedDateTimeISO('Asia/Kolkata').toPlainDate()
}

test('the example ERP agrees with Bursar to the paisa through a school year of payments, debits, bounces, refunds, a day off and a new year', async () => {
  await connect(bursar, erp.url, SECRETS)
  for (const student of [kabir, meera, arjun]) {
    books.addStudent(student, { TUITION_FEE: 60_000_00, TRANSPORT_FEE: 12_345_67 })
    await push(bursar, books, student)
  }
  await payDues(kabir)
  const order = await payDues(arjun, '20000.50')
  await bursar.refundPayOrder(order, { amount: '5000.25' })
  await takeCash(
    bursar,
    books,
    { ...arjun, service_student_id: serviceId(arjun) },
    {
      receipt: 'CASH-1',
      component: 'TUITION_FEE',
      paise: 1_000_00,
      paidAt: new Date().toISOString(),
    },
  )
  // A refund counts as given back at once here, and in the ERP's books when the bank has done it.
  await bursar.moveSandboxClock({ advance: 'P1D' })
  await assertAgrees()

  // Six debits; the bank returns the third at once and the fourth after three days.
  const first = (await today()).add({ days: 20 })
  const rows = ['0.00', '0.00', '0.81', '0.85', '0.00', '12344.01'].map((transport, month) => ({
    due_date: first.add({ months: month }).toString(),
    details: [
      { component_type: 'TUITION_FEE', amount: month === 5 ? '0.00' : '12000.00' },
      { component_type: 'TRANSPORT_FEE', amount: transport },
    ].filter(({ amount }) => amount !== '0.00'),
  }))
  const { plan_id } = await bursar.createPlan(serviceId(meera), { payment_schedule: rows })
  await bursar.sandboxAuthorisePlan(plan_id)
  for (let month = 0; month < 7; month++) {
    // The office loses an address before the second debit, and finds it a week after.
    if (month === 1)
      books.addStudent({ ...meera, contact_email: '', service_student_id: serviceId(meera) }, {})
    // Before the fifth debit the ERP is away: no fetch, no webhook.
    if (month === 4) await erp.stop()
    for (let week = 0; week < 4; week++) await bursar.moveSandboxClock({ advance: 'P1W' })
    if (month === 1) books.addStudent({ ...meera, service_student_id: serviceId(meera) }, {})
    if (month === 4) await erp.restart()
    await bursar.moveSandboxClock({ advance: 'P3D' })
    await assertAgrees()
  }
  const tasks = books.listTasks().map(({ text }) => text.replace(/:.*/, ''))
  assert.ok(tasks.includes('skipped') && tasks.includes('bounced'), tasks.join())

  // The new year: records of their own, and last year's dues stay on last year's.
  for (const student of [kabir, meera, arjun]) {
    const next = { ...student, year: 2027, grade: '6' }
    books.addStudent(next, { TUITION_FEE: 66_000_00 })
    await push(bursar, books, next)
    await payDues(next, '1000.00')
  }
  await payDues(meera)
  await bursar.sandboxSettle()
  await bursar.moveSandboxClock({ advance: 'P8W' })
  await assertAgrees()
  assert.equal(books.outstandingOf(meera), 0)
  assert.equal(books.outstandingOf({ ...meera, year: 2027 }), 65_000_00)
  assert.equal(books.outstandingOf(arjun), 72_345_67 - 20_000_50 + 5_000_25 - 1_000_00)
})

test('the example ERP starts by its one command, connects itself and ends at Ctrl-C', async () => {
  const main = fileURLToPath(new URL('../../examples/erp/main.ts', import.meta.url))
  const env = {
    PATH: process.env['PATH'],
    BURSAR_URL: url,
    PORT: '0',
    ERP_URL: erp.url,
    DATABASE: ':memory:',
  }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => void child.kill())
  const [text] = await once(child.stdout, 'data')
  assert.match(String(text), /connected with http/)
  child.kill('SIGINT')
  assert.equal(await new Promise(resolve => child.once('exit', resolve)), 0)
})

function serviceId({ identifier, year }: Student): string {
  return books.findStudent(identifier, year)?.service_student_id ?? assert.fail()
}
