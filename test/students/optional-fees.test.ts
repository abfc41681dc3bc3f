import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeOptionalFee, monthlyBus } from '../console/students/optional-fee.ts'
import { SCHOOL, STUDENTS, StudentDesk, TUITION } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import type { Json } from '../harness/client.ts'
import { ERP } from '../harness/samples.ts'
import { readPdf } from '../receipts/read-pdf.ts'

const desk = await StudentDesk.open(after)
const { bursar, owner, finance, viewer } = desk
const { demo } = bursar
const FEES = `${SCHOOL}/optional-fees`

const BUS = monthlyBus(
  ['2026-11', '2026-12', '2027-01'],
  [
    { name: 'Route 4', stop: 'Gandhi Chowk', amount: 1_500, places: 2 },
    { name: 'Route 4', stop: 'Station', amount: 1_800, places: 2 },
    { name: 'Route 5', stop: 'Lake', amount: 900 },
  ],
)

const make = (fee: Json) => makeOptionalFee(finance, fee)

const outcomes = (answer: Json): Json[] =>
  answer.body.data.students.map((one: Json) => [one.outcome, one.reason, one.before_amount, one.after_amount])

const linesOf = async (id: string): Promise<Json[]> =>
  (await demo.get(`${ERP}/students/${id}/dues`)).body.data.components
    .filter((one: Json) => one.component_type !== 'TUITION_FEE')
    .map((one: Json) => [one.component_type, one.fee_amount, one.outstanding_amount, one.due_date])

const bus = await make(BUS)
const [gandhi = '', station = '', lake = ''] = bus.options
const kabir = await desk.register({ fullname: 'Kabir' })
const meera = await desk.register({ fullname: 'Meera' })
const veer = await desk.register({ fullname: 'Veer', grade: '6' })

test('an option is charged by month with its due days, after a preview that leaves no trace', async () => {
  const ask = { student_ids: [kabir], option_id: gandhi, first_day: '2026-11-16' }
  const preview = await finance.post(`${bus.at}/children`, { ...ask, preview: true })
  assert.deepEqual(outcomes(preview), [['changed', undefined, 0, 3_750]])
  assert.deepEqual(await linesOf(kabir), [])
  assert.equal((await viewer.post(`${bus.at}/children`, ask)).status, 403)
  assert.deepEqual(outcomes(await finance.post(`${bus.at}/children`, ask)), [
    ['changed', undefined, 0, 3_750],
  ])
  assert.deepEqual(await linesOf(kabir), [
    ['TRANSPORT_FEE_NOVEMBER', 750, 750, '2026-11-10'],
    ['TRANSPORT_FEE_DECEMBER', 1_500, 1_500, '2026-12-10'],
    ['TRANSPORT_FEE_JANUARY', 1_500, 1_500, '2027-01-10'],
  ])
  const given = {
    component_type: 'TRANSPORT_FEE_DECEMBER',
    discount_type: 'MERIT',
    amount: 10,
    reason: 'Kind',
  }
  assertAnswer(await finance.post(`${STUDENTS}/${kabir}/concessions`, given), '400 HUE00000')
  const again = await finance.post(`${bus.at}/children`, ask)
  assert.deepEqual(outcomes(again), [['unchanged', 'has it already', 3_750, 3_750]])
})

test('many are added at once, and whoever cannot have it is named with the reason', async () => {
  const gone = await desk.register({ fullname: 'Gone' })
  assertAnswer(await finance.post(`${STUDENTS}/${gone}/status`, { status: 'dropped', reason: 'Left' }), '200')
  const charged = await desk.register(
    { fullname: 'Anil' },
    { fees: [TUITION, { component_type: 'TRANSPORT_FEE_DECEMBER', fee_amount: 10 }] },
  )
  const ids = {
    student_ids: [gone, charged, kabir, meera, veer],
    option_id: station,
    first_day: '2026-12-01',
  }
  const { body } = await finance.post(`${bus.at}/children`, ids)
  assert.deepEqual(
    body.data.students.map((one: Json) => [one.fullname, one.outcome, one.reason]),
    [
      [
        'Anil',
        'skipped',
        'is charged TRANSPORT_FEE_DECEMBER already, by the ERP, a file or the fee structure',
      ],
      ['Gone', 'skipped', 'is dropped'],
      ['Kabir', 'skipped', 'has Route 4, Gandhi Chowk from 16 November 2026 already'],
      ['Meera', 'changed', undefined],
      ['Veer', 'skipped', 'finds no place left: Route 4 has 2'],
    ],
  )
})

test('a class or a list of admission numbers is meant as people type them', async () => {
  const wanted = { option_id: lake, first_day: '2027-01-01', preview: true }
  const list = { identifiers: ['adm-nobody'], ...wanted }
  assert.deepEqual((await finance.post(`${bus.at}/children`, list)).body.data.unknown, ['adm-nobody'])
  const grade = await finance.post(`${bus.at}/children`, { grade: '6', ...wanted })
  assert.equal(grade.body.data.students.length, 1)
  assertAnswer(await finance.post(`${bus.at}/children`, { ...wanted }), '400 HUE00000')
  assertAnswer(
    await finance.post(`${bus.at}/children`, { grade: '6', student_ids: [kabir], ...wanted }),
    '400 HUE00000',
  )
  assertAnswer(
    await finance.post(`${bus.at}/children`, { ...wanted, student_ids: ['student_x'] }),
    '404 HUE00001',
  )
})

test('changing the stop and ending in the middle recompute, and what was paid more is an advance', async () => {
  const paid = { amount: 3_750, paid_at: '2026-11-17', mode: 'cash' }
  const parts = { NOVEMBER: 750, DECEMBER: 1_500, JANUARY: 1_500 }
  const fee_components = Object.entries(parts).map(([month, amount]) => {
    return { component_type: `TRANSPORT_FEE_${month}`, amount }
  })
  assertAnswer(await finance.post(`${STUDENTS}/${kabir}/payments`, { ...paid, fee_components }), '201')
  const change = {
    student_ids: [kabir],
    option_id: station,
    first_day: '2026-12-17',
    change: true,
    reason: 'Moved',
  }
  assert.deepEqual(outcomes(await finance.post(`${bus.at}/children`, change)), [
    ['changed', undefined, 3_750, 4_195],
  ])
  const end = { student_ids: [kabir], last_day: '2026-12-31', reason: 'Walks now' }
  assert.deepEqual(outcomes(await finance.post(`${bus.at}/endings`, end)), [
    ['changed', undefined, 4_195, 2_395],
  ])
  const { advance_amount } = (await demo.get(`${ERP}/students/${kabir}/dues`)).body.data
  assert.equal(advance_amount, 1_500)
  assert.deepEqual(
    (await linesOf(kabir)).map(line => line.slice(1, 3)),
    [
      [750, 0],
      [1_645, 145],
      [0, 0],
    ],
  )
  const { data } = (await viewer.get(`${STUDENTS}/${kabir}/optional-fees`)).body
  assert.deepEqual(
    data.map((one: Json) => [one.stop, one.first_day, one.last_day]),
    [
      ['Station', '2026-12-17', '2026-12-31'],
      ['Gandhi Chowk', '2026-11-16', '2026-12-16'],
    ],
  )
  const back = { student_ids: [kabir], take_back: true, reason: 'A mistake' }
  assert.deepEqual(outcomes(await finance.post(`${bus.at}/endings`, back)), [
    ['changed', undefined, 2_395, 0],
  ])
  const nothing = await finance.post(`${bus.at}/endings`, back)
  assert.deepEqual(outcomes(nothing), [['unchanged', 'does not have it after that day', 0, 0]])
})

test('who rides a route on a day is a list with filters', async () => {
  const at = `${SCHOOL}/enrolments?option=route%204`
  const names = async (more: string): Promise<string[]> =>
    (await viewer.get(`${at}${more}`)).body.data.map((one: Json) => one.student_name)
  assert.equal((await names('&on=2026-12-05')).length, 1)
  assert.deepEqual(await names('&on=2026-11-20'), [])
  assert.deepEqual(await names('&stop=Gandhi%20Chowk'), [])
})

test('what children have keeps its rules; amounts, places and new options change for others', async () => {
  const { options } = (await viewer.get(bus.at)).body.data
  const same = options.map(({ children: _children, ...one }: Json) => one)
  const put = (changes: Json) => finance.send('PUT', bus.at, { ...BUS, options: same, ...changes })
  assertAnswer(await put({ prorating: 'none' }), '409 HUE00002')
  assertAnswer(await put({ options: same.slice(2) }), '409 HUE00002')
  assertAnswer(await put({ name: 'Bus', options: [...same, { name: 'Route 9', amount: 700 }] }), '200')
  assert.equal((await viewer.get(bus.at)).body.data.options.length, 4)
  assertAnswer(await finance.send('DELETE', bus.at), '409 HUE00002')
  assertAnswer(await finance.post(FEES, BUS), '400 HUE00000')
  const spare = await make({ ...BUS, component_type: 'VAN_FEE' })
  assertAnswer(await finance.send('DELETE', spare.at), '200')
  assertAnswer(await viewer.get(spare.at), '404 HUE00001')
})

test('fines add up with a reason each, and one is taken back alone', async () => {
  const fine = await make({
    ...BUS,
    kind: 'fine',
    name: 'Fine',
    component_type: 'FINE',
    rhythm: 'once',
    periods: [],
    options: [{ name: 'Late to school', amount: 50 }],
  })
  const ask = { student_ids: [veer], option_id: fine.options[0] }
  assertAnswer(await finance.post(`${fine.at}/children`, ask), '400 HUE00000')
  assertAnswer(await finance.post(`${fine.at}/children`, { ...ask, reason: 'Monday' }), '200')
  assertAnswer(
    await finance.post(`${fine.at}/children`, { ...ask, amount: 120, reason: 'Broken window' }),
    '200',
  )
  assert.deepEqual(await linesOf(veer), [['FINE', 170, 170, undefined]])
  const [window] = (await viewer.get(`${STUDENTS}/${veer}/optional-fees`)).body.data
  assert.equal(window.reason, 'Broken window')
  const back = { student_ids: [veer], enrolment_id: window.enrolment_id, take_back: true, reason: 'Not her' }
  assertAnswer(await finance.post(`${fine.at}/endings`, back), '200')
  assert.deepEqual(await linesOf(veer), [['FINE', 50, 50, undefined]])
})

test('concessions by rule in per cent come off a fee that takes them, and a deposit has to be marked by an owner', async () => {
  const structure = {
    terms: [{ name: 'Term 1', due_date: '2026-06-10' }],
    fee_heads: ['TUITION_FEE'],
    grades: ['5'],
    amounts: [{ grade: '5', component_type: 'TUITION_FEE', term: 1, amount: 60_000 }],
    concessions: [
      { discount_type: 'STAFF', kind: 'category', category: 'Staff', percent: 50 },
      { discount_type: 'STAFF_MORE', kind: 'category', category: 'Staff', amount: 100 },
    ],
  }
  assertAnswer(await finance.send('PUT', `${SCHOOL}/fee-structures/2026/2027`, structure), '200')
  const taken = { ...structure, fee_heads: ['TUITION_FEE', 'TRANSPORT_FEE'] }
  assertAnswer(await finance.send('PUT', `${SCHOOL}/fee-structures/2026/2027`, taken), '400 HUE00000')
  const staff = await desk.register({ fullname: 'Staff child', category: 'Staff' })
  const meals = await make({
    ...BUS,
    kind: 'meals',
    name: 'Lunch',
    component_type: 'LUNCH_FEE',
    takes_concessions: true,
    options: [{ name: 'Lunch', amount: 1_000 }],
  })
  const ask = { student_ids: [staff], option_id: meals.options[0], first_day: '2026-12-01' }
  assert.deepEqual(outcomes(await finance.post(`${meals.at}/children`, ask)), [
    ['changed', undefined, 0, 1_000],
  ])
  const deposit = { ...BUS, kind: 'deposit', component_type: 'BUS_CARD_DEPOSIT', rhythm: 'once', periods: [] }
  assertAnswer(await finance.post(FEES, deposit), '400 HUE00000')
  await owner.send('PUT', `${SCHOOL}/deposit-fees`, { component_types: ['BUS_CARD_DEPOSIT'] })
  assertAnswer(await finance.post(FEES, deposit), '201')
})

test('children are carried on into the new year with the option of the same name', async () => {
  const next = await make({
    ...BUS,
    academic_year_start: 2027,
    academic_year_end: 2028,
    periods: [{ name: 'June', first_day: '2027-06-01', last_day: '2027-06-30', due_date: '2027-06-10' }],
    options: [{ name: 'route 4', stop: 'STATION', amount: 2_000 }],
  })
  const { identifier } = await desk.page(meera)
  const older = await desk.register({
    fullname: 'Meera',
    identifier,
    grade: '7',
    academic_year_start: '2027',
    academic_year_end: '2028',
  })
  const carry = (preview: boolean) =>
    finance.post(`${next.at}/carry`, { from_optional_fee_id: bus.id, preview })
  assert.deepEqual(outcomes(await carry(true)), [['changed', undefined, 0, 2_000]])
  assert.deepEqual(outcomes(await carry(false)), [['changed', undefined, 0, 2_000]])
  assert.deepEqual(await linesOf(older), [['TRANSPORT_FEE', 2_000, 2_000, '2027-06-10']])
  assert.equal(outcomes(await carry(false))[0]?.[0], 'unchanged')
})

const feesOf = async (): Promise<string[]> => {
  const { data } = (await viewer.get(`${SCHOOL}/money/tally-ledgers`)).body
  return data
    .filter((one: Json) => one.subject.startsWith('component:'))
    .map((one: Json) => `${one.subject.slice('component:'.length)}: ${one.ledger}`)
}

test('Tally has one ledger of a fee, however many terms, months, routes and stops it is charged by', async () => {
  const structure = {
    terms: [
      { name: 'Term 1', due_date: '2026-06-10' },
      { name: 'Term 2', due_date: '2026-12-10' },
    ],
    fee_heads: ['TUITION_FEE'],
    grades: ['5'],
    amounts: [1, 2].map(term => ({ grade: '5', component_type: 'TUITION_FEE', term, amount: 30_000 })),
    concessions: [],
  }
  assertAnswer(await finance.send('PUT', `${SCHOOL}/fee-structures/2026/2027`, structure), '200')
  const rider = await desk.register({ fullname: 'Rider' })
  const ask = { student_ids: [rider], option_id: lake, first_day: '2026-11-01' }
  assertAnswer(await finance.post(`${bus.at}/children`, ask), '200')
  const parts = ['TRANSPORT_FEE_NOVEMBER', 'TRANSPORT_FEE_DECEMBER', 'TUITION_FEE_TERM_1']
  const paid = await finance.post(`${STUDENTS}/${rider}/payments`, {
    amount: 300,
    paid_at: '2026-11-15',
    mode: 'cash',
    transaction_id: 'TALLY-1',
    fee_components: parts.map(component_type => ({ component_type, amount: 100 })),
  })
  assertAnswer(paid, '201')
  const listed = await feesOf()
  assert.ok(listed.includes('TRANSPORT_FEE: Transport fee') && listed.includes('TUITION_FEE: Tuition fee'))
  assert.deepEqual(
    listed.filter(one => /^(TRANSPORT|TUITION)_FEE_/.test(one)),
    [],
  )
  const vouchers = async (): Promise<string[]> => {
    const { text } = await finance.get(`${SCHOOL}/money/payments/export?format=tally`)
    const own = text.split('</VOUCHER>').find(voucher => voucher.includes('TALLY-1')) ?? ''
    return [...own.matchAll(/<LEDGERNAME>(.*)<\/LEDGERNAME>\n.*\n<AMOUNT>([\d.]+)/g)]
      .map(([, ledger, amount]) => `${ledger} ${amount}`)
      .toSorted()
  }
  assert.deepEqual(await vouchers(), ['Transport fee 200.00', 'Tuition fee 100.00'])
  const ledgers = [
    { subject: 'component:TRANSPORT_FEE', ledger: 'Bus income' },
    { subject: 'component:TUITION_FEE', ledger: 'Tuition fee' },
  ]
  const named = { ledgers, reason: 'As in our books' }
  assertAnswer(await finance.send('PUT', `${SCHOOL}/money/tally-ledgers`, named), '200')
  assert.deepEqual(await vouchers(), ['Bus income 200.00', 'Tuition fee 100.00'])
  // A part that was named while it had a ledger of its own keeps that until somebody clears it.
  await bursar.sql(`insert into tally_ledgers (institute_id, subject, ledger)
    select id, 'component:TRANSPORT_FEE_NOVEMBER', 'Bus November' from institutes where code = 'demo-school'`)
  assert.deepEqual(await vouchers(), ['Bus November 100.00', 'Bus income 100.00', 'Tuition fee 100.00'])
  assert.ok((await feesOf()).includes('TRANSPORT_FEE_NOVEMBER: Bus November'))
  assertAnswer(await finance.send('PUT', `${SCHOOL}/money/tally-ledgers`, named), '200')
  assert.deepEqual(await vouchers(), ['Bus income 200.00', 'Tuition fee 100.00'])
})

test('each route has a sheet: stop by stop in the order of the fee, with class and phone, of the day that is asked', async () => {
  const sheet = async (at: string, query: string): Promise<string> => {
    const response = await fetch(`${bursar.url}${at}/roll-sheets?${query}`, {
      headers: { cookie: viewer.cookie ?? '' },
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(response.status, 200, bytes.toString())
    if (query.includes('xlsx')) return bytes.subarray(0, 2).toString()
    return readPdf(bytes).text
  }
  const own = await make({
    ...BUS,
    name: 'Evening bus',
    component_type: 'EVENING_BUS',
    options: [
      { name: 'Route 9', stop: 'Station', amount: 100 },
      { name: 'Route 9', stop: 'Gandhi Chowk', amount: 100 },
      { name: 'Route 10', amount: 100 },
    ],
  })
  const [first = '', second = '', other = ''] = own.options
  for (const [child, option_id, last_day] of [
    [kabir, second, '2027-01-31'],
    [meera, first, '2026-12-15'],
    [veer, other, '2027-01-31'],
  ]) {
    const given = { student_ids: [child], option_id, first_day: '2026-12-01', last_day }
    assertAnswer(await finance.post(`${own.at}/children`, given), '200')
  }
  const both = await sheet(own.at, 'format=pdf&on=2026-12-10')
  assert.match(
    both,
    /Evening bus: Route 9[\s\S]*Station[\s\S]*Meera[\s\S]*9876543210[\s\S]*Gandhi Chowk[\s\S]*Kabir/,
  )
  assert.match(both, /Evening bus: Route 10[\s\S]*Veer/)
  const later = await sheet(own.at, 'format=pdf&on=2026-12-16&option=route%209')
  assert.match(later, /Kabir/)
  assert.doesNotMatch(later, /Meera|Veer/)
  assert.equal(await sheet(own.at, 'format=xlsx&on=2026-12-10'), 'PK')
  assertAnswer(await viewer.get(`${own.at}/roll-sheets?format=pdf&on=2026-11-02`), '409 HUE00002')
  const [noted] = (await owner.get(`${SCHOOL}/audit?about=${own.id}&limit=1`)).body.data
  assert.deepEqual([noted.what, noted.after.format], ['report.exported', 'xlsx'])
})
