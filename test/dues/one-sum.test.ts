import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { yearEnd } from '../../src/app/jobs.ts'
import { countChanges } from '../../src/console/sums/sums.service.ts'
import { printedCodeUrl } from '../../src/dues/printed-code.service.ts'
import { addOwed, LATE_FEE, owedOf, timingOf } from '../../src/dues/dues.rules.ts'
import { counterFeesOf, nextDueDay } from '../../src/dues/takings/takings.rules.ts'
import { formatRupees, paiseOf, sumPaise, ZERO } from '../../src/platform/money.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import type { Json } from '../harness/client.ts'
import { operationsOf } from '../harness/openapi/operations.ts'
import { ERP, PAY, sampleOrder } from '../harness/samples.ts'
import { Visitor } from '../harness/visitor.ts'
import { SCHOOL, StudentDesk, STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { daysAgo } from '../console/money/support.ts'
import { textOf, visitAs } from '../portal/parents-support.ts'

/**
 * A family of two, with everything that makes sums differ: dues of an earlier year with a day and without one, a concession,
 * a part that is paid, late fees, money on the way and fees that are not due yet.
 */
const desk = await StudentDesk.open(after)
const { bursar, finance, viewer } = desk
const { demo } = bursar
const PARENT = 'family-of-one-sum'
const kabir = { fullname: 'Kabir Sen', identifier: 'SUM-1' }

const must = (answer: { status: number; text: string; body: Json }): Json => {
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`)
  return answer.body.data
}
const fee = (component_type: string, fee_amount: number): Json => ({ component_type, fee_amount })
const pay = (id: string, component_type: string, amount: number): Promise<Json> =>
  demo
    .post(`${ERP}/students/${id}/payments`, {
      amount,
      paid_at: daysAgo(1),
      fee_components: [{ component_type, amount }],
    })
    .then(must)

const ids = { kabir: '', old: '', meera: '' }

before(async () => {
  const late = { kind: 'slab', slabs: [{ from_day: 1, amount: 250 }] }
  const rules = [
    { component_type: 'TUITION_FEE', due_date: daysAgo(40), ...late },
    { component_type: 'HOSTEL_FEE', due_date: daysAgo(-10), kind: 'none' },
  ]
  must(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: rules }))
  await bursar.sql(
    `insert into fee_due_days (institute_id, academic_year_start, component_type, due_on) values (1, 2025, 'BUS_FEE', $1)`,
    [daysAgo(100)],
  )
  ids.old = await desk.register(
    { ...kabir, grade: '5', academic_year_start: '2025', academic_year_end: '2026' },
    { parent: PARENT, fees: [fee('BUS_FEE', 1_000), fee('LIBRARY_FEE', 500)] },
  )
  await pay(ids.old, 'BUS_FEE', 300)
  const started = await demo.post(`${ERP}/academic-years/rollover`, {
    from_academic_year_start: 2025,
    from_academic_year_end: 2026,
    to_academic_year_start: 2026,
    to_academic_year_end: 2027,
    grades: [{ grade: '5', next_grade: '6' }],
    fees: [{ grade: '6', fee_components: [fee('TUITION_FEE', 900), fee('HOSTEL_FEE', 400)] }],
    carry_dues_as: 'PREVIOUS_YEAR_DUES',
    carry_advance_as: 'PREVIOUS_YEAR_ADVANCE',
  })
  must(started)
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(bursar.app.ctx, yearEnd)
  const [next] = await bursar.sql<{ id: string }>(
    `select id from students where identifier = 'SUM-1' and academic_year_start = 2026`,
  )
  ids.kabir = next?.id ?? ''
  must(
    await demo.patch(`${ERP}/students/${ids.kabir}/fee`, {
      fee_components: [{ ...fee('TUITION_FEE', 900), discounts: [{ discount_type: 'SIBLING', value: 100 }] }],
    }),
  )
  await pay(ids.kabir, 'TUITION_FEE', 200)
  ids.meera = await desk.register(
    { fullname: 'Meera Sen', identifier: 'SUM-2', grade: '3' },
    { parent: PARENT, fees: [fee('TUITION_FEE', 900)] },
  )
  const details = [{ component_type: 'PREVIOUS_YEAR_DUES', amount: 300 }]
  const order = sampleOrder({ service_student_id: ids.kabir, details })
  const { order_id: orderId } = must(await demo.post(`${PAY}/orders`, order))
  must(await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'pending' }))
})

type Sums = { total: number; overdue: number; onTheWay: number }

/** 600 of tuition, 250 of late fee, 1,200 carried of which 700 has a day, and 400 that is not due yet. */
const KABIR: Sums = { total: 2_450, overdue: 1_550, onTheWay: 300 }
const MEERA: Sums = { total: 1_150, overdue: 1_150, onTheWay: 0 }
const FAMILY: Sums = { total: 3_600, overdue: 2_700, onTheWay: 300 }

const sumsOf = (of: Json): Sums => ({
  total: of.total_amount,
  overdue: of.overdue_amount,
  onTheWay: of.on_the_way_amount,
})
const ofChild = (all: Json[], identifier: string): Json => all.find(one => one.identifier === identifier)

/** Every answer that says what is overdue, and how the sums of this family are found in it. */
const PLACES: Record<string, () => Promise<void>> = {
  'GET /api/v1/integrations/erp/students/{service_student_id}/dues': async () => {
    assert.deepEqual(sumsOf(must(await demo.get(`${ERP}/students/${ids.kabir}/dues`))), KABIR)
    assert.deepEqual(sumsOf(must(await demo.get(`${ERP}/students/${ids.meera}/dues`))), MEERA)
    assert.deepEqual(sumsOf(must(await demo.get(`${ERP}/students/${ids.old}/dues`))).total, 0)
  },
  'GET /console/api/institutes/{institute_code}/students/{service_student_id}': async () => {
    for (const id of [ids.kabir, ids.meera, ids.old]) {
      const page = await desk.page(id)
      assert.deepEqual(sumsOf(page.family), FAMILY)
      assert.deepEqual(sumsOf(ofChild(page.family.children, 'SUM-1')), KABIR)
      assert.deepEqual(sumsOf(ofChild(page.family.children, 'SUM-2')), MEERA)
      assert.equal(page.family.children.length, 2, 'each child once')
    }
    assert.deepEqual(sumsOf((await desk.page(ids.kabir)).dues), KABIR)
    assert.deepEqual(sumsOf((await desk.page(ids.old)).other_years[0]), KABIR)
  },
  'GET /console/api/institutes/{institute_code}/counter/families/{service_student_id}': async () => {
    for (const id of [ids.kabir, ids.meera, ids.old]) {
      const family = must(await viewer.get(`${SCHOOL}/counter/families/${id}`))
      assert.deepEqual(sumsOf(family), FAMILY)
      assert.deepEqual(sumsOf(ofChild(family.children, 'SUM-1')), KABIR)
      assert.deepEqual(sumsOf(ofChild(family.children, 'SUM-2')), MEERA)
    }
  },
  'GET /console/api/institutes/{institute_code}/money/defaulters': async () => {
    for (const query of ['', '?bucket=days_31_60', '?sort=fullname', '?sort=-owed']) {
      const rows: Json[] = must(await viewer.get(`${SCHOOL}/money/defaulters${query}`))
      const own = ofChild(rows, 'SUM-1')
      assert.deepEqual([own.overdue_amount, own.on_the_way_amount, own.late_fee_amount], [1_550, 300, 250])
      assert.equal(ofChild(rows, 'SUM-2').overdue_amount, 1_150)
    }
    const { text } = await viewer.get(`${SCHOOL}/money/defaulters/export?format=csv`)
    const [titles = [], ...lines] = text.split(/\r?\n/).map(line => line.split(','))
    const column = titles.findIndex(title => title.includes('Overdue with late fee'))
    const cells = lines.filter(line => line.includes('SUM-1') || line.includes('SUM-2'))
    assert.deepEqual(
      cells.map(line => Number(line[column])).toSorted((one, other) => one - other),
      [1_150, 1_550],
    )
  },
}

type OfSchool = { total: number; overdue: number; students: number; families: number }

/** What all active students owe together, one after the other as the ERP reads them; here a parent's child is a family of its own. */
async function schoolSums(): Promise<OfSchool> {
  const students = await bursar.sql<{ id: string; parent: string }>(
    `select s.id, u.registration_id as parent from students s join student_users u on u.institute_id = 1 and u.student_id = s.id
     where s.institute_id = 1 and s.status = 'active' order by s.id`,
  )
  const all: (Sums & { parent: string })[] = []
  for (const { id, parent } of students)
    all.push({ parent, ...sumsOf(must(await demo.get(`${ERP}/students/${id}/dues`))) })
  const late = all.filter(one => one.overdue > 0)
  return {
    total: all.reduce((sum, one) => sum + one.total, 0),
    overdue: all.reduce((sum, one) => sum + one.overdue, 0),
    students: late.length,
    families: new Set(late.map(one => one.parent)).size,
  }
}

const LATE = ['days_0_30', 'days_31_60', 'days_61_90', 'days_over_90']

/** Every answer with sums of a whole school, which are those of its students together. */
const OF_SCHOOL: Record<string, () => Promise<void>> = {
  'GET /console/api/institutes/{institute_code}/home': async () => {
    const { outstanding } = must(await viewer.get(`${SCHOOL}/home`))
    const { amount: total, overdue_amount: overdue, overdue_students: students } = outstanding
    const { families: _, ...school } = await schoolSums()
    assert.deepEqual({ total, overdue, students }, school)
  },
  'GET /console/api/institutes/{institute_code}/money/ageing': async () => {
    const { total, overdue, students, families } = await schoolSums()
    for (const by of ['component', 'grade', 'branch']) {
      const ageing = must(await viewer.get(`${SCHOOL}/money/ageing?by=${by}`))
      const late = (row: Json): number => LATE.reduce((sum, age) => sum + row[age], 0)
      assert.deepEqual([ageing.total.total, late(ageing.total)], [total, overdue], by)
      const all = ageing.groups.reduce((sum: number, row: Json) => sum + row.total, 0)
      assert.equal(all, total, by)
      assert.deepEqual(ageing.overdue, { amount: overdue, students, families })
      const { text } = await viewer.get(`${SCHOOL}/money/ageing/export?format=csv&by=${by}`)
      assert.equal(Number(text.trim().split(/\r?\n/).at(-1)?.split(',').at(-1)), total, text)
    }
  },
  'GET /console/api/institutes/{institute_code}/students': async () => {
    const { total } = await schoolSums()
    for (const query of ['', '&sort=-outstanding_amount', '&sort=outstanding_amount']) {
      const rows: Json[] = must(await viewer.get(`${SCHOOL}/students?status=active${query}`))
      const left = rows.map(row => row.outstanding_amount)
      assert.equal(
        left.reduce((sum: number, one: number) => sum + one, 0),
        total,
      )
      const order = left.toSorted((one: number, other: number) => one - other)
      if (query !== '') assert.deepEqual(left, query.includes('=-') ? order.toReversed() : order)
      assert.equal(ofChild(rows, 'SUM-2').outstanding_amount, MEERA.total)
    }
  },
}

/** Rows of the list of students, of whom a line of a bank statement names some. */
const SAME_ROWS = 'GET /console/api/institutes/{institute_code}/bank/lines/{line_id}/students'

const SUMS = ['overdue_amount', 'outstanding_amount', 'no_due_day']

function says({ properties = {}, items }: Json): boolean {
  if (items !== undefined) return says(items)
  return Object.entries(properties).some(([name, field]) => SUMS.includes(name) || says(field as Json))
}

test('every answer that says what is overdue or left to pay has the same sum of a child, a family and the school', async t => {
  const found = operationsOf(bursar).flatMap(({ method, path, responses }) =>
    Object.entries(responses ?? {}).some(
      ([status, answer]) =>
        status.startsWith('2') && says(answer?.content?.['application/json']?.schema ?? {}),
    )
      ? [`${method} ${path}`]
      : [],
  )
  const places = { ...PLACES, ...OF_SCHOOL }
  assert.deepEqual(found.toSorted(), [...Object.keys(places), SAME_ROWS].toSorted())
  for (const [place, check] of Object.entries(places)) await t.test(place, check)
})

async function checkSchool(): Promise<void> {
  for (const check of Object.values(OF_SCHOOL)) await check()
}

test('sums of the school follow a late fee that is waived, of who is counted and who is not', async () => {
  const id = await desk.register(
    { fullname: 'Tara Bose', identifier: 'SUM-4', grade: '3' },
    { parent: 'family-of-tara', fees: [fee('TUITION_FEE', 900)] },
  )
  const waive = async (amount: number): Promise<void> => {
    const [late] = must(await demo.get(`${ERP}/students/${id}/dues`)).late_fees
    const { overdue: before } = await schoolSums()
    const waiver = { reason: 'Bank holiday', amount, late_fee_id: late.late_fee_id }
    must(await demo.post(`${ERP}/students/${id}/late-fee-waivers`, waiver))
    assert.equal((await schoolSums()).overdue, before - amount)
    await checkSchool()
  }
  await checkSchool()
  await waive(100)
  while ((await countChanges(bursar.app.ctx, { least: 1 })) > 0);
  await checkSchool()
  await waive(50)
  await waive(100)
  must(await demo.post(`${ERP}/students/${id}/drop`))
  await checkSchool()
})

test('a fee without a due day has no late fee, whatever rule another fee has', async () => {
  const id = await desk.register(
    { fullname: 'Om Jain', identifier: 'SUM-3', grade: '3' },
    { parent: 'family-of-om', fees: [fee('LAB_FEE', 500)] },
  )
  const dues = must(await demo.get(`${ERP}/students/${id}/dues`))
  assert.deepEqual([dues.total_amount, dues.overdue_amount, dues.late_fees], [500, 0, []])
  const dayless = { late_fees: [{ kind: 'per_day', amount_per_day: 10 }] }
  const refused = await demo.send('PUT', `${ERP}/payment-rules`, dayless)
  assert.equal(refused.status, 400)
  assert.match(refused.text, /due_date/)
  await checkSchool()
  must(await demo.post(`${ERP}/students/${id}/drop`))
})

const rupees = (amount: number): string => formatRupees(paiseOf(amount * 100))

test('sheets of classes and the pages of families say the same sums', async () => {
  const classes: Json[] = must(await viewer.get(`${SCHOOL}/money/classes`))
  assert.equal(sumPaise(classes.map(one => paiseOf(one.owed * 100))), FAMILY.overdue * 100)
  const visitor = await visitAs(bursar, PARENT)
  const home = textOf((await visitor.get('/parents')).text)
  const own = textOf((await visitor.get(`/parents/students/${ids.kabir}`)).text)
  for (const sum of [FAMILY.total, KABIR.total, KABIR.overdue, MEERA.total, KABIR.onTheWay])
    assert.ok(home.includes(rupees(sum)), `${rupees(sum)} is not in: ${home}`)
  for (const sum of [KABIR.total, KABIR.overdue])
    assert.ok(own.includes(rupees(sum)), `${rupees(sum)} is not in: ${own}`)
})

test('whoever asks for money asks for the same: what is overdue less what of it is on the way', async () => {
  const { children } = must(await viewer.get(`${SCHOOL}/counter/families/${ids.kabir}`))
  const button = (name: string): number =>
    children.flatMap((child: Json) => child.fees).reduce((sum: number, one: Json) => sum + one[name], 0)
  assert.equal(button('overdue_amount'), FAMILY.overdue - FAMILY.onTheWay)
  assert.equal(button('everything_amount'), FAMILY.total - FAMILY.onTheWay)
  const { left_amount: left } = must(await viewer.get(`${STUDENTS}/${ids.kabir}/spread?amount=1`))
  assert.equal(left, KABIR.total - KABIR.onTheWay)
  const preview = await finance.post(`${SCHOOL}/reminder-runs/preview`, {
    student_ids: [ids.kabir, ids.meera],
    scope: 'overdue',
    channels: ['email'],
    language: 'en',
    subject: 'Fees',
    body: '{details} {total}',
  })
  const { body } = must(preview).sample
  for (const sum of [KABIR.overdue - KABIR.onTheWay, MEERA.overdue, FAMILY.overdue - FAMILY.onTheWay])
    assert.ok(body.includes(rupees(sum)), `${rupees(sum)} is not in: ${body}`)
  const { pathname } = new URL(printedCodeUrl(bursar.app.ctx, { code: 'demo-school' }, ids.kabir))
  const page = textOf((await new Visitor(bursar.url).get(pathname)).text)
  assert.ok(page.includes(rupees(KABIR.total - KABIR.onTheWay)), page)
  // Kabir has the open order whose payment is pending, so it gets no second one.
  const links = { student_ids: [ids.kabir, ids.meera], scope: 'overdue' }
  assertAnswer(await finance.post(`${STUDENTS}/payment-links`, links), '200')
  const linked = await bursar.sql<{ rupees: number }>(
    `select (sum(l.amount_paise) / 100)::int as rupees from orders o join order_lines l on l.order_id = o.id
     where o.student_id = any($1) and o.kind = 'student' and o.state = 'unpaid' group by o.id order by 1`,
    [[ids.kabir, ids.meera]],
  )
  assert.deepEqual(
    linked.map(one => one.rupees),
    [MEERA.overdue],
  )
})

const TODAY = '2026-11-17'
const paise = fc.integer({ min: 0, max: 1_000_000 }).map(paiseOf)
const day = fc.constantFrom(null, '2025-07-10', '2026-11-17', '2027-01-10')
const part = fc.record({ dueOn: day, amountPaise: fc.integer({ min: 1, max: 1_000_000 }).map(paiseOf) })
const line = fc
  .record({
    componentType: fc.constantFrom('A', 'B', 'C', LATE_FEE),
    amount: paise,
    share: fc.integer({ min: 0, max: 100 }),
    dueOn: day,
    parts: fc.option(fc.array(part, { minLength: 1, maxLength: 3 })),
    lateFrom: day,
    lateRuleId: fc.constantFrom(null, 'late_1'),
  })
  .map(({ amount, share, parts, dueOn, ...one }) => {
    const owedPaise = parts === null ? amount : sumPaise(parts.map(({ amountPaise }) => amountPaise))
    const plannedPaise = paiseOf(Math.floor((owedPaise * share) / 100))
    return { ...one, dueOn, owedPaise, plannedPaise, carriedParts: parts, isCarried: parts !== null }
  })
const lines = fc.uniqueArray(line, { selector: one => one.componentType, maxLength: 4 })

test('of any dues the counter’s sums are those of everywhere else, and parts by day are never more than is owed', () => {
  fc.assert(
    fc.property(lines, paise, (own, late) => {
      const fees = late === 0 ? [] : [{ ruleId: 'late_1', componentType: null, dueOn: '2025-07-10' }]
      const lateFees = fees.map(one => ({ ...one, daysLate: 3, amountPaise: late, waivedPaise: ZERO }))
      const owedPaise = sumPaise(own.map(one => one.owedPaise))
      const totals = { lateFeePaise: late, totalPaise: paiseOf(owedPaise + late) }
      const dues = { today: TODAY, lines: own, lateFees, ...totals }
      const { overduePaise, totalPaise } = owedOf(dues)
      const offered = counterFeesOf(dues, { today: TODAY, nextDay: nextDueDay([dues], TODAY) })
      assert.equal(sumPaise(offered.map(one => one.overduePaise)), overduePaise)
      assert.equal(sumPaise(offered.map(one => one.leftPaise)), totalPaise)
      const { plannedPaise, nextDue } = timingOf(dues)
      assert.ok(overduePaise + plannedPaise + (nextDue?.amountPaise ?? 0) <= totalPaise)
      assert.equal(addOwed([owedOf(dues), owedOf(dues)]).overduePaise, 2 * overduePaise)
    }),
    { numRuns: 1_000 },
  )
})
