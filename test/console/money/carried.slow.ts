import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import { leftByDay } from '../../../src/dues/dues.rules.ts'
import { yearEnd } from '../../../src/app/jobs.ts'
import { paiseOf, sumPaise } from '../../../src/platform/money.ts'
import { advanceRollovers } from '../../../src/students/rollover/rollover.service.ts'
import { startBursar, type TestBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { Random } from '../../sim/random.ts'
import { demoVisitor, type Visitor } from '../support.ts'
import { daysAgo, deskOf } from './support.ts'

/** Dues and advances that rollovers carry from year to year, in the reports of the office. */
const FEES = ['TUITION_FEE', 'BUS_FEE', 'LIBRARY_FEE'] as const
const BUCKETS = ['not_due', 'days_0_30', 'days_31_60', 'days_61_90', 'days_over_90', 'no_due_day'] as const

type Office = { bursar: TestBursar; visitor: Visitor; read: (path: string) => Promise<Json> }

async function openOffice(t: TestContext): Promise<Office> {
  const bursar = await startBursar(t)
  const visitor = await demoVisitor(bursar.url)
  return { bursar, visitor, read: deskOf(visitor).read }
}

async function setDueDay(
  { bursar }: Office,
  year: number,
  componentType: string,
  day: string,
): Promise<void> {
  await bursar.sql(
    `insert into fee_due_days (institute_id, academic_year_start, component_type, due_on) values (1, $1, $2, $3)`,
    [year, componentType, day],
  )
}

async function register({ bursar }: Office, year: number, identifier: string, fees: Json[]): Promise<string> {
  const student = sampleStudent({
    identifier,
    grade: String(year - 2020),
    academic_year_start: year,
    academic_year_end: year + 1,
  })
  const answer = await bursar.demo.post(`${ERP}/users/parent-of-${identifier}/students`, {
    student,
    fee_components: fees,
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.service_student_id
}

async function payAtCounter({ bursar }: Office, id: string, line: Json): Promise<void> {
  const paid = await bursar.demo.post(`${ERP}/students/${id}/payments`, {
    amount: line.amount,
    paid_at: daysAgo(1),
    fee_components: [line],
  })
  assert.equal(paid.status, 201, paid.text)
}

/** Into the next year: a class up, with a fee of its own, dues and advances carried. */
async function rollOver({ bursar }: Office, from: number): Promise<void> {
  const [grade, next_grade] = [String(from - 2020), String(from - 2019)]
  const started = await bursar.demo.post(`${ERP}/academic-years/rollover`, {
    from_academic_year_start: from,
    from_academic_year_end: from + 1,
    to_academic_year_start: from + 1,
    to_academic_year_end: from + 2,
    grades: [{ grade, next_grade }],
    fees: [{ grade: next_grade, fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 900 }] }],
    carry_dues_as: 'PREVIOUS_YEAR_DUES',
    carry_advance_as: 'PREVIOUS_YEAR_ADVANCE',
  })
  assert.equal(started.status, 201, started.text)
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(bursar.app.ctx, yearEnd)
}

const paise = (rupees: number): number => Math.round(rupees * 100)

/** What the year's report says, held against ageing. */
async function checkYear({ read }: Office, year: number): Promise<Json> {
  const demand = await read(`/demand?academic_year_start=${year}`)
  const { total: aged } = await read(`/ageing?academic_year_start=${year}`)
  for (const one of [demand.total, ...demand.grades]) {
    const left = one.demanded + one.carried_in - one.carried_out - one.collected
    assert.equal(paise(left), paise(one.outstanding - one.advance), `${year}: ${JSON.stringify(one)}`)
  }
  assert.equal(paise(demand.total.outstanding), paise(aged.total), `ageing of ${year}`)
  const buckets = BUCKETS.reduce((sum, bucket) => sum + paise(aged[bucket]), 0)
  assert.equal(buckets, paise(aged.total))
  return demand.total
}

/** All years: what went out came in, and what was collected is what the ledger and the counter have. */
async function checkAll(office: Office, years: readonly number[]): Promise<Json[]> {
  const totals: Json[] = []
  for (const year of years) totals.push(await checkYear(office, year))
  const sum = (key: string): number => totals.reduce((all, one) => all + paise(one[key]), 0)
  assert.equal(sum('carried_in'), sum('carried_out'))
  const [row] = await office.bursar.sql<{ paise: string }>(
    `select (select coalesce(sum(case when t.source = 'institute_payable' then t.amount_paise else -t.amount_paise end), 0)
         from ledger_transfers t join ledger_postings p on p.institute_id = t.institute_id and p.id = t.posting_id
         where 'institute_payable' in (t.source, t.destination) and p.kind <> 'settled')
       + (select coalesce(sum(amount_paise), 0) from direct_payments where cancelled_at is null) as paise`,
  )
  assert.equal(sum('collected'), Number(row?.paise))
  return totals
}

async function actAtRandom(office: Office, random: Random, id: string): Promise<void> {
  const { demo } = office.bursar
  const { fee_components: fees } = (await demo.get(`${ERP}/students/${id}/fee`)).body.data
  const owing = fees.filter((fee: Json) => fee.outstanding > 0)
  const fee = random.pick<Json>(owing)
  if (fee === undefined) return
  const line = {
    component_type: fee.component_type,
    amount: random.between(1, Math.max(1, Math.floor(fee.outstanding))),
  }
  if (random.chance(0.3)) {
    const more = random.chance(0.3) ? 700 : 0
    return payAtCounter(office, id, { ...line, amount: line.amount + more })
  }
  const made = await demo.post(`${PAY}/orders`, sampleOrder({ service_student_id: id, details: [line] }))
  assert.equal(made.status, 201, made.text)
  const order = made.body.data.order_id
  const paid = await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'success' })
  assert.equal(paid.status, 200, paid.text)
  if (random.chance(0.3)) {
    const back = await demo.post(`${PAY}/orders/${order}/refunds`, { amount: random.between(1, line.amount) })
    assert.equal(back.status, 201, back.text)
  }
}

async function idsOf({ bursar }: Office, year: number): Promise<string[]> {
  const rows = await bursar.sql<{ id: string }>(
    'select id from students where academic_year_start = $1 order by identifier',
    [year],
  )
  return rows.map(({ id }) => id)
}

for (const seed of [1, 2, 3])
  test(`demand, ageing and ledger cross-foot over two rollovers, and a year that was carried closes to 0 (${seed})`, async t => {
    const office = await openOffice(t)
    const random = new Random(seed)
    await setDueDay(office, 2024, 'TUITION_FEE', daysAgo(400))
    await setDueDay(office, 2024, 'BUS_FEE', daysAgo(45))
    await setDueDay(office, 2025, 'TUITION_FEE', daysAgo(10))
    for (let child = 0; child < 5; child++) {
      const fees = FEES.map(component_type => ({ component_type, fee_amount: random.between(100, 1_000) }))
      await register(office, 2024, `CHILD-${child}`, fees)
    }
    for (const year of [2024, 2025, 2026]) {
      for (let acts = 0; acts < 10; acts++)
        await actAtRandom(office, random, random.pick(await idsOf(office, year)) ?? '')
      await checkAll(office, [2024, 2025, 2026])
      if (year === 2026) break
      await rollOver(office, year)
      const totals = await checkAll(office, [2024, 2025, 2026])
      for (const closed of totals.slice(0, year - 2023))
        assert.deepEqual([closed.outstanding, closed.advance], [0, 0])
    }
  })

test('what is carried keeps the day on which it fell due, in ageing, defaulters, dues and on the home page', async t => {
  const office = await openOffice(t)
  const { bursar, read, visitor } = office
  await setDueDay(office, 2025, 'TUITION_FEE', daysAgo(100))
  await setDueDay(office, 2025, 'BUS_FEE', daysAgo(20))
  await setDueDay(office, 2026, 'TUITION_FEE', daysAgo(-30))
  const fees = FEES.map(component_type => ({ component_type, fee_amount: 1_000 }))
  const old = await register(office, 2025, 'KEEPS', fees)
  await payAtCounter(office, old, { component_type: 'TUITION_FEE', amount: 400 })
  const aged = async (): Promise<number[]> => {
    const { total } = await read('/ageing')
    return BUCKETS.map(bucket => total[bucket])
  }
  const overdue = async (): Promise<Json> =>
    (await visitor.get('/console/api/institutes/demo-school/home')).body.data.outstanding
  assert.deepEqual(await aged(), [0, 1_000, 0, 0, 600, 1_000])
  const before = await overdue()
  await rollOver(office, 2025)
  assert.deepEqual(await aged(), [900, 1_000, 0, 0, 600, 1_000])
  assert.deepEqual(await overdue(), { ...before, amount: before.amount + 900 })

  const [next = ''] = await idsOf(office, 2026)
  const [defaulter] = await read('/defaulters')
  assert.deepEqual(
    [defaulter.service_student_id, defaulter.owed, defaulter.oldest_due_on, defaulter.days_late],
    [next, 1_600, daysAgo(100), 100],
  )
  const dueOf = async (id: string): Promise<string> => {
    const { components } = (await bursar.demo.get(`${ERP}/students/${id}/dues`)).body.data
    return components.find((line: Json) => line.component_type === 'PREVIOUS_YEAR_DUES').due_date
  }
  assert.equal(await dueOf(next), daysAgo(100))
  // The oldest is paid first.
  await payAtCounter(office, next, { component_type: 'PREVIOUS_YEAR_DUES', amount: 700 })
  assert.deepEqual(await aged(), [900, 900, 0, 0, 0, 1_000])
  assert.equal(await dueOf(next), daysAgo(20))
  // And they keep it once more.
  await rollOver(office, 2026)
  assert.deepEqual(await aged(), [900 + 0, 900, 0, 0, 0, 1_900])
})

test('ageing counts a child that owes in two years once and in the class of today, as the home page does', async t => {
  const office = await openOffice(t)
  const { read, visitor } = office
  const fee = [{ component_type: 'TUITION_FEE', fee_amount: 1_000 }]
  for (const year of [2025, 2026]) await register(office, year, 'TWO-YEARS', fee)
  await register(office, 2026, 'ONE-YEAR', fee)
  const home = (await visitor.get('/console/api/institutes/demo-school/home')).body.data.outstanding
  for (const by of ['component', 'grade', 'branch']) {
    const { total, groups } = await read(`/ageing?by=${by}`)
    assert.deepEqual([total.students, total.total], [home.students, home.amount], by)
    const counts = groups.map((group: Json) => group.students)
    assert.deepEqual(counts, [2])
  }
  assert.equal(home.students, 2)
})

test('what is left of carried dues is what is owed, of the latest days', () => {
  const part = fc.record({
    dueOn: fc.constantFrom('2025-06-01', '2025-07-01', null),
    amountPaise: fc.integer({ min: 1, max: 1_000 }).map(paiseOf),
  })
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 5_000 }),
      (parts, owed) => {
        const left = leftByDay(parts, paiseOf(owed))
        assert.equal(sumPaise(left.map(one => one.amountPaise)), owed)
        assert.ok(left.every(one => one.amountPaise > 0))
        const all = sumPaise(parts.map(one => one.amountPaise))
        if (owed <= all) assert.ok(left.length <= parts.length)
        const [oldest] = left
        if (owed === all) assert.equal(oldest?.amountPaise, parts[0]?.amountPaise)
      },
    ),
  )
})
