import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { groupDemand } from '../../../src/console/reports/demand/demand.rules.ts'
import { nextMailAt } from '../../../src/console/reports/mailing/mailing.rules.ts'
import { spanOf, sumByFee } from '../../../src/dues/certificate/certificate.service.ts'
import { paiseOf, sumPaise, type Paise } from '../../../src/platform/money.ts'
import { SCHOOL, StudentDesk, STUDENTS } from '../students/support.ts'
import { assertAnswer } from '../support.ts'
import type { Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { textOf, visitAs } from '../../portal/parents-support.ts'

const desk = await StudentDesk.open(after)
const { bursar, viewer } = desk

test('a financial year runs from April to March, and nothing else is one', () => {
  assert.deepEqual(spanOf('2026-27'), { from: '2026-04-01', before: '2027-04-01' })
  assert.deepEqual(spanOf('2099-00'), { from: '2099-04-01', before: '2100-04-01' })
  for (const text of ['2026', '2026-28', '2026-2027', '1899-00', '']) assert.throws(() => spanOf(text))
})

const totalOf = (some: readonly { amountPaise: Paise }[]): number =>
  sumPaise(some.map(one => one.amountPaise))

test('sums by fee add up to all that was paid less all that was given back', () => {
  const line = fc.record({
    componentType: fc.constantFrom('TUITION_FEE', 'BUS_FEE'),
    amountPaise: fc.integer({ min: -10_000, max: 10_000 }).map(paiseOf),
  })
  fc.assert(
    fc.property(fc.array(line), lines => {
      assert.equal(totalOf(sumByFee(lines)), totalOf(lines))
    }),
  )
})

test('a certificate is there for a year in which a child paid, for staff and for its own parents alone', async () => {
  const parent = desk.nextParent()
  const id = await desk.register({}, { parent })
  const at = `${STUDENTS}/${id}/fee-certificate?financial_year=2026-27`
  assertAnswer(await viewer.get(at), '409 HUE00002')
  const paid = await bursar.demo.post(`${ERP}/students/${id}/payments`, {
    amount: 1_200,
    paid_at: '2026-11-02',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 1_200 }],
  })
  assertAnswer(paid, '201')
  assert.equal((await viewer.get(at)).text.slice(0, 5), '%PDF-')
  assertAnswer(await viewer.get(`${STUDENTS}/${id}/fee-certificate?financial_year=2025-26`), '409 HUE00002')
  assertAnswer(await viewer.get(`${STUDENTS}/${id}/fee-certificate?financial_year=2026`), '400 HUE00000')
  const visitor = await visitAs(bursar, parent)
  assert.match(
    textOf((await visitor.get('/parents/history')).text),
    /Fee certificate of Kabir Rao for tax \(PDF\)/,
  )
  const own = `/parents/students/${id}/fee-certificate/2026-27`
  assert.equal((await visitor.get(own)).text.slice(0, 5), '%PDF-')
  const stranger = desk.nextParent()
  await desk.register({}, { parent: stranger })
  assert.equal((await (await visitAs(bursar, stranger)).get(own)).status, 404)
  assert.equal((await visitor.get(own.replace('2026-27', '2025-26'))).status, 404)
})

async function pay(id: string, amount: number, day: string): Promise<void> {
  const answer = await bursar.demo.post(`${ERP}/students/${id}/payments`, {
    amount,
    paid_at: day,
    fee_components: [{ component_type: 'TUITION_FEE', amount }],
  })
  assertAnswer(answer, '201')
}

test('what was demanded and what came in stand side by side by class and month, with the year before', async () => {
  const grade = 'DEMAND'
  const of = (start: number, identifier: string): Promise<string> =>
    desk.register({ grade, identifier, academic_year_start: start, academic_year_end: start + 1 })
  const [now, other, before] = [await of(2026, 'D-1'), await of(2026, 'D-2'), await of(2025, 'D-1')]
  await pay(now, 10_000, '2026-06-05')
  await pay(other, 500, '2026-06-30')
  await pay(other, 700, '2026-07-01')
  await pay(before, 4_000, '2025-06-05')
  const read = async (query = ''): Promise<Json> =>
    (await viewer.get(`${SCHOOL}/money/demand${query}`)).body.data
  const { academic_year_start: year, grades, months } = await read()
  assert.equal(year, 2026)
  assert.deepEqual(
    grades.find((row: Json) => row.grade === grade),
    {
      grade,
      demanded: 120_000,
      carried_in: 0,
      carried_out: 0,
      collected: 11_200,
      last_demanded: 60_000,
      last_collected: 4_000,
      outstanding: 108_800,
      advance: 0,
    },
  )
  const june = months.find((row: Json) => row.month === '2026-06-01')
  assert.deepEqual([june.collected, june.last_collected], [10_500, 4_000])
  const past = (await read('?academic_year_start=2025')).grades.find((row: Json) => row.grade === grade)
  assert.deepEqual([past.demanded, past.collected], [60_000, 4_000])
  const { text } = await viewer.get(`${SCHOOL}/money/demand/export?format=csv`)
  assert.match(text, /DEMAND,01\/07\/2026,0\.00,0\.00,0\.00,700\.00,0\.00,0\.00/)
})

test('grades and months of demand add up to the same total', () => {
  const paise = fc.integer({ min: -1_000, max: 100_000 }).map(paiseOf)
  const row = fc.record({
    grade: fc.constantFrom('1', '2', '10'),
    month: fc.constantFrom(null, '2026-04-01', '2026-05-01'),
    demandedPaise: paise,
    carriedInPaise: paise,
    carriedOutPaise: paise,
    collectedPaise: paise,
    lastDemandedPaise: paise,
    lastCollectedPaise: paise,
  })
  fc.assert(
    fc.property(fc.array(row), rows => {
      const { grades, months, total } = groupDemand(rows, [])
      for (const key of ['demandedPaise', 'carriedInPaise', 'collectedPaise', 'lastCollectedPaise'] as const)
        for (const some of [grades, months])
          assert.equal(
            some.reduce((sum, one) => sum + one[key], 0),
            total[key],
          )
      const names = grades.map(one => Number(one.grade))
      assert.deepEqual(
        names,
        names.toSorted((one, other) => one - other),
      )
    }),
  )
})

const MAILS = `${SCHOOL}/money/report-mails`

async function clockTo(to: string): Promise<void> {
  assertAnswer(await bursar.demo.post('/api/v1/sandbox/clock', { to }), '200')
}

test('a report is mailed once on its day to those whom an owner chose, and to nobody after it is stopped', async () => {
  const { owner, finance } = desk
  const to = 'trustee@school.example'
  const wanted = { every: 'month', day: 3, recipients: [to, to] }
  assertAnswer(await finance.post(MAILS, wanted), '403 AUE00001')
  assertAnswer(await owner.post(MAILS, { ...wanted, every: 'week', day: 8 }), '400 HUE00000')
  const { body } = await owner.post(MAILS, wanted)
  assert.deepEqual(body.data.recipients, [to])
  const mails = async (): Promise<Json[]> =>
    (await bursar.demo.get(`/api/v1/sandbox/mailbox?to=${encodeURIComponent(to)}`)).body.data
  const next = new Date(body.data.next_at)
  await clockTo(new Date(next.getTime() - 60_000).toISOString())
  assert.equal((await mails()).length, 0)
  await clockTo(new Date(next.getTime() + 3_600_000).toISOString())
  const [mail, ...others] = await mails()
  assert.deepEqual(others, [])
  assert.match(mail.subject, /^Demo School: ₹[\d,.]+ collected, 1 /)
  assert.match(mail.text, /Left to pay today: ₹/)
  assertAnswer(await owner.send('DELETE', `${MAILS}/${body.data.id}`, {}), '200')
  assertAnswer(await owner.send('DELETE', `${MAILS}/${body.data.id}`, {}), '404 HUE00001')
  await clockTo(new Date(next.getTime() + 40 * 86_400_000).toISOString())
  assert.equal((await mails()).length, 1)
})

test('the next mail lies ahead, on its day, at eight in the morning in India', () => {
  const schedule = fc.oneof(
    fc.record({ every: fc.constant('week' as const), day: fc.integer({ min: 1, max: 7 }) }),
    fc.record({ every: fc.constant('month' as const), day: fc.integer({ min: 1, max: 28 }) }),
  )
  const moment = fc.date({ min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(schedule, moment, (one, now) => {
      const next = Temporal.Instant.fromEpochMilliseconds(nextMailAt(one, now).getTime())
      const local = next.toZonedDateTimeISO('Asia/Kolkata')
      const days = (next.epochMilliseconds - now.getTime()) / 86_400_000
      assert.ok(days > 0 && days <= (one.every === 'week' ? 7 : 31), String(days))
      assert.deepEqual([local.hour, local.minute], [8, 0])
      assert.equal(one.every === 'week' ? local.dayOfWeek : local.day, one.day)
    }),
  )
})
