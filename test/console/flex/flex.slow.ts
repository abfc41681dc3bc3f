import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { must, openFlexSchool } from './support.ts'
import { API, assertAnswer, createPerson, demoVisitor } from '../support.ts'

const { bursar, erp, plans, day } = await openFlexSchool({ after })
const AT = `${API}/institutes/demo-school/flex`

const viewer = await createPerson(bursar, {
  email: 'looks@school.example',
  institute: 'demo-school',
  role: 'viewer',
})

const read = async (path: string): Promise<Json> => (await must(viewer.get(`${AT}${path}`))).body.data

test('a month says for each day how much was presented and what became of it', async () => {
  const calendar = await read(`/calendar?month=${day}`)
  assert.equal(calendar.month, day.slice(0, 7))
  const cell = calendar.days.find((one: Json) => one.day === day)
  const sums = Object.fromEntries(cell.sums.map((sum: Json) => [sum.status, [sum.count, sum.amount]]))
  // One of the two is to be presented again: its money stands on that day.
  assert.deepEqual(sums, {
    debited: [1, 7200.05],
    bounced: [2, 7200.05],
    stopped: [1, 7200.05],
    skipped: [1, 7200.05],
    covered: [1, 7200.05],
  })
  assert.equal(cell.is_working_day, true)
  assert.equal(new Date(`${calendar.days.at(-1).day}T00:00:00Z`).getUTCMonth() + 1, Number(day.slice(5, 7)))
})

test('a day lists each debit once, with its reason and what happens next', async () => {
  const rows: Json[] = await read(`/debits?from=${day}&to=${day}`)
  const by = Object.fromEntries(rows.map(row => [row.student_name, row]))
  assert.equal(rows.length, 6)
  assert.match(by['Kabir Rao'].next_step, /settled to the bank/i)
  assert.equal(by['Asha Menon'].status, 'bounced')
  assert.equal(by['Asha Menon'].reason.category, 'Not enough money')
  assert.match(by['Asha Menon'].next_step, /^To be presented again on \d+ \w+ \d{4}\.$/)
  assert.equal(by['Ravi Iyer'].reason.code, '08')
  assert.match(by['Ravi Iyer'].next_step, /new mandate/)
  assert.equal(by['Meera Nair'].status, 'skipped')
  assert.match(by['Meera Nair'].why, /No such student in our books/)
  assert.match(by['Meera Nair'].next_step, /The ERP is asked again on .* IST\.$/)
  assert.equal(by['Dev Shah'].status, 'stopped')
  assert.match(by['Dev Shah'].next_step, /Resume/)
  assert.equal(by['Om Jain'].status, 'covered')
})

test('pages of debits follow each other without a gap or a repeat, over both kinds of rows', async () => {
  const seen: string[] = []
  let cursor = ''
  do {
    const { body } = await must(
      viewer.get(`${AT}/debits?from=${day}&to=${day}&limit=1${cursor && `&cursor=${cursor}`}`),
    )
    seen.push(...body.data.map((row: Json) => row.id))
    cursor = body.next_cursor ?? ''
  } while (cursor !== '')
  const all = await read(`/debits?from=${day}&to=${day}`)
  assert.deepEqual(
    seen,
    all.map((row: Json) => row.id),
  )
  const bounced = await read(`/debits?from=${day}&to=${day}&status=bounced&return_code=04`)
  assert.deepEqual(
    bounced.map((row: Json) => row.student_name),
    ['Asha Menon'],
  )
  assertAnswer(await viewer.get(`${AT}/debits?cursor=nonsense`), '400 HUE00000')
  assertAnswer(await viewer.get(`${AT}/debits?from=${day}&to=2000-01-01`), '400 HUE00000')
})

const namesIn = async (address: string): Promise<string[]> =>
  (await read(address)).map((row: Json) => row.student_name).toSorted()

test('debits are found by class and section as people write them, presented or not', async () => {
  await bursar.sql(
    `update students set section = ' b', grade = 'Nursery' where fullname in ('Kabir Rao', 'Dev Shah')`,
  )
  assert.deepEqual(await namesIn(`/debits?from=${day}&to=${day}&grade=nursery&section=B`), [
    'Dev Shah',
    'Kabir Rao',
  ])
  assert.deepEqual(await namesIn(`/debits?from=${day}&to=${day}&section=B&status=stopped`), ['Dev Shah'])
  assert.deepEqual(await namesIn(`/debits?from=${day}&to=${day}&section=C`), [])
  assert.equal((await namesIn(`/debits?from=${day}&to=${day}&grade=5`)).length, 4)
})

test('bounces are told by reason, with what follows and what has become of them', async () => {
  const returns = await read(`/returns?from=${day}&to=${day}`)
  assert.equal(`${returns.decided} ${returns.returned} ${returns.returned_amount}`, '3 2 14400.1')
  const byCode = Object.fromEntries(returns.reasons.map((one: Json) => [one.code, one]))
  assert.deepEqual(byCode['04'].since, { paid: 0, again: 1, due: 0, over: 0 })
  assert.deepEqual(byCode['08'].since, { paid: 0, again: 0, due: 1, over: 0 })
  assert.match(byCode['08'].next, /new mandate/)
})

test('the coming run says what stands in the way', async () => {
  const coming = await read('/coming')
  assert.ok(coming.days.length >= 5)
  const waiting = Object.fromEntries(coming.waiting.map((one: Json) => [one.kind, one.count]))
  assert.deepEqual(waiting, { held: 1, skipped: 1 })
  const again = coming.days.flatMap((one: Json) => one.runs)
  assert.equal(again.length, 1)
  assert.deepEqual(again[0].to_ask, { count: 1, amount: 7200.05 })
  const hours = (Date.parse(again[0].presented_at) - Date.parse(again[0].told_by)) / 3_600_000
  assert.equal(hours, 24)
})

test('plans are found by state, hold, words of the student and UMRN', async () => {
  assert.equal((await namesIn('/plans?')).length, 7)
  assert.deepEqual(await namesIn('/plans?status=locked'), ['Ravi Iyer'])
  assert.deepEqual(await namesIn('/plans?status=draft'), ['Isha Bose'])
  assert.deepEqual(await namesIn('/plans?held=yes'), ['Dev Shah'])
  assert.deepEqual(await namesIn('/plans?search=kab'), ['Kabir Rao'])
  assert.deepEqual(await namesIn('/plans?search=ADM-ASHA'), ['Asha Menon'])
  assert.deepEqual(await namesIn(`/plans?search=${plans.Om}`), ['Om Jain'])
  const [kabir] = await read('/plans?search=Kabir')
  assert.match(kabir.umrn, /^\w{20}$/)
  assert.deepEqual(await namesIn(`/plans?search=${kabir.umrn.toLowerCase()}`), ['Kabir Rao'])
  assert.equal(kabir.paid_amount, 7200.05)
  assert.equal(kabir.total_amount, 72000.5)
  assert.equal(`${kabir.paid_instalments} of ${kabir.instalments}`, '1 of 10')
  assert.ok(kabir.next_debit_on > day)
  const first = await must(viewer.get(`${AT}/plans?limit=4`))
  const second = await must(viewer.get(`${AT}/plans?limit=4&cursor=${first.body.next_cursor}`))
  assert.equal(second.body.has_more, false)
  assert.equal(new Set([...first.body.data, ...second.body.data].map((row: Json) => row.plan_id)).size, 7)
})

test('a plan has a timeline: mandate, schedule with attempts, decisions, events and messages', async () => {
  const plan = await read(`/plans/${plans.Asha}`)
  assert.equal(plan.mandate.status, 'active')
  assert.match(plan.mandate.umrn, /^\w{20}$/)
  const [first] = plan.payment_schedule
  assert.equal(first.attempts[0].return_code, '04')
  assert.match(first.attempts[0].reason, /not have enough money/)
  assert.equal(first.can_be_moved, true)
  const of = (kind: string): Json[] => plan.timeline.filter((one: Json) => one.kind === kind)
  assert.ok(of('decision').some(one => one.what === 'bounced' && one.instalment === first.number && one.why))
  assert.ok(of('event').some(one => one.what === 'flex.instalment.bounced' && one.data.reason.code === '04'))
  assert.ok(of('message').some(one => /will be debited on/.test(one.data.subject ?? '')))
  const times = plan.timeline.map((one: Json) => one.at)
  assert.deepEqual(times, times.toSorted().toReversed())
  const ravi = await read(`/plans/${plans.Ravi}`)
  assert.equal(ravi.obstacle.kind, 'mandate_ended')
})

test("the ERP's health is told by branch, with what it said last", async () => {
  const { branches } = await read('/erp')
  const [main] = branches
  assert.equal(main.collector_code, 'MAIN')
  assert.match(main.host, /^(127\.0\.0\.1|localhost):\d+$/)
  assert.ok(main.found > 0 && main.refused > 0)
  assert.equal(main.problems[0].code, 'student_not_found')
  assert.equal(main.problems[0].message, 'No such student in our books.')
  const refused = await read('/erp/fetches?outcome=refused&limit=1')
  assert.equal(refused[0].fullname, 'Meera Nair')
  const [found] = await read('/erp/fetches?outcome=found&collector_code=MAIN&limit=1')
  assert.equal(found.outcome, 'found')
})

test('no view asks the database more than a few questions, however much there is', async () => {
  const { db } = bursar.app.ctx
  const query = db.query.bind(db)
  let asked = 0
  db.query = (text, values) => {
    // Not who asks, nor what the process does meanwhile.
    if (/\b(flex_|erp_)\w+/.test(text)) asked++
    return query(text, values)
  }
  const views = {
    [`/calendar?month=${day}`]: 1,
    // The page, and its plans in three.
    [`/debits?from=${day}&to=${day}`]: 4,
    [`/returns?from=${day}&to=${day}`]: 1,
    '/coming': 1,
    '/plans': 1,
    '/plans?search=Kabir': 1,
    [`/plans/${plans.Asha}`]: 7,
    '/erp': 2,
    '/erp/fetches': 1,
    '/settings': 1,
  }
  for (const [path, expected] of Object.entries(views)) {
    asked = 0
    await read(path)
    assert.equal(asked, expected, path)
  }
})

const total = (counts: readonly number[]): number => counts.reduce((sum, one) => sum + one, 0)

test('an instalment that came back twice is two bounces, in the calendar, on Home, by reason and by plan alike', async () => {
  const { demo } = bursar
  const [instalment] = await bursar.sql<{ id: string; presentOn: string }>(
    `select id, present_on::text as "presentOn" from flex_instalments
     where plan_id = $1 and state = 'scheduled' and return_code = '04'`,
    [plans.Asha],
  )
  assert.ok(instalment !== undefined)
  const outcome = `/api/v1/sandbox/flex/instalments/${instalment.id}/outcome`
  await must(demo.post('/api/v1/sandbox/clock', { to: `${instalment.presentOn}T08:30:30+05:30` }))
  await must(demo.post(outcome, { outcome: 'bounced', code: '04' }))
  const to = Temporal.PlainDate.from(instalment.presentOn).add({ days: 3 }).toString()
  await must(demo.post('/api/v1/sandbox/clock', { to: `${to}T20:00:00+05:30` }))
  const returns = await read(`/returns?from=${day}&to=${to}`)
  const funds = returns.reasons.find((one: Json) => one.code === '04')
  const { paid, again, due } = funds.since
  assert.deepEqual([funds.count, funds.bounces, paid + again + due], [1, 2, 1])
  const home = (await must(viewer.get(`${API}/institutes/demo-school/home`))).body.data
  const months = [...new Set([day.slice(0, 7), to.slice(0, 7)])]
  const calendars = await Promise.all(months.map(async month => read(`/calendar?month=${month}-01`)))
  const ofDays = calendars
    .flatMap(({ days }) => days.flatMap((one: Json) => one.sums))
    .filter((sum: Json) => sum.status === 'bounced' || sum.status === 'reversed')
  const money = calendars.flatMap(({ days }) =>
    days.flatMap((one: Json) => one.sums.map((sum: Json) => sum.amount)),
  )
  const [once] = await bursar.sql<{ rupees: number }>(
    `select sum(amount_paise)::float8 / 100 as rupees from (
       select (select sum((l ->> 'amountPaise')::bigint) from jsonb_array_elements(i.lines) l) as amount_paise
       from flex_instalments i join flex_plans p on p.institute_id = 1 and p.id = i.plan_id
       where i.institute_id = 1 and not i.is_downpayment and i.state <> 'cancelled' and p.state <> 'draft'
         and to_char(case when i.state in ('presented', 'debited', 'settled', 'bounced', 'reversed') then i.presented_on else i.present_on end, 'YYYY-MM') = any($1)) each_once`,
    [months],
  )
  assert.equal(Math.round(total(money) * 100), Math.round((once?.rupees ?? 0) * 100), 'each instalment once')
  const listed = await read('/plans')
  const everywhere = [
    home.returns.bounced,
    total(returns.reasons.map((one: Json) => one.bounces)),
    total(ofDays.map((one: Json) => one.count)),
    total(listed.map((one: Json) => one.bounces)),
  ]
  assert.ok(returns.returned >= 2)
  assert.deepEqual(everywhere, Array(4).fill(returns.returned))
})

test('the plan of a child whom the ERP says has left ends as soon as the ERP says so, whatever it was asked for', async () => {
  const [kabir] = await bursar.sql<{ id: string }>('select student_id as id from flex_plans where id = $1', [
    plans.Kabir,
  ])
  const owner = await demoVisitor(bursar.url)
  const fetch = (): Promise<Answer> =>
    owner.post(`${API}/institutes/demo-school/students/${kabir?.id}/fetch`, {})
  const stateOf = async (): Promise<string> => (await read(`/plans/${plans.Kabir}`)).status
  erp.refuse('ADM-KABIR', 'data_error', 'The record is being mended.')
  await must(fetch())
  assert.equal(await stateOf(), 'active')
  erp.refuse('ADM-KABIR', 'student_discontinued', 'Left for Pune.')
  await must(fetch())
  assert.ok(['cancelled', 'cancelling'].includes(await stateOf()), await stateOf())
  const { payment_schedule: rows } = (
    await must(bursar.demo.get(`/api/v1/integrations/flex/plans/${plans.Kabir}`))
  ).body.data
  assert.deepEqual(
    rows.filter((one: Json) => ['scheduled', 'confirmed'].includes(one.status)),
    [],
  )
  const [event] = await bursar.sql<{ reason: Json }>(
    `select payload::jsonb -> 'reason' as reason from events where resource_id = $1
     and event_code = 'flex.subscription.cancelled'`,
    [plans.Kabir],
  )
  assert.deepEqual(event?.reason, {
    code: 'student_discontinued',
    category: 'erp',
    message: 'Left for Pune.',
  })
})
