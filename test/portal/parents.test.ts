import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { Visitor } from '../harness/visitor.ts'
import { entranceFor, newFamily, startPaying, submit, textOf, visitAs } from './parents-support.ts'

const bursar = await startBursar({ after })
const { demo, url } = bursar
const SANDBOX = '/api/v1/sandbox'
const pathOf = (studentId: string): string => `/parents/students/${studentId}`

async function must(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering
  assert.ok(status < 300, text)
  return body.data
}

async function seen(visitor: Visitor, path: string): Promise<string> {
  const { status, text } = await visitor.get(path)
  assert.equal(status, 200, text)
  return textOf(text)
}

test('all children of a parent stand in one place with what each owes, and nobody else’s', async () => {
  const { user, students } = await newFamily(demo, {
    students: [{ fullname: 'Kabir Rao' }, { fullname: 'Anaya Rao', grade: 'Nursery' }],
  })
  await newFamily(demo, { students: [{ fullname: 'Zoya Khan' }] })
  const home = await seen(await visitAs(bursar, user), '/parents')
  assert.match(home, /₹1,32,001\.00 still to pay in all/)
  assert.match(home, /Anaya Rao Nursery · 2026-27 ₹66,000\.50 to pay for the year/)
  assert.match(home, /Kabir Rao Class 5 · 2026-27 ₹66,000\.50 to pay for the year/)
  assert.doesNotMatch(home, /Zoya/)
  assert.equal(students.length, 2)
})

test('a child’s page links to its other academic year, each with its own dues, and to nobody else’s', async () => {
  const child = { fullname: 'Ishaan Rao', identifier: 'YEARS-1' }
  const { user, students } = await newFamily(demo, { students: [child] })
  const next = { ...child, grade: '6', academic_year_start: 2027, academic_year_end: 2028 }
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 70000 }]
  const register = async (registrationId: string): Promise<string> => {
    const body = { student: sampleStudent(next), fee_components: fees }
    return (await must(demo.post(`${ERP}/users/${registrationId}/students`, body))).service_student_id
  }
  const [old = ''] = students
  const id = await register(user)
  const visitor = await visitAs(bursar, user)
  const page = await visitor.get(pathOf(id))
  assert.match(page.text, new RegExp(`<a class="card" href="${pathOf(old)}">`))
  assert.match(textOf(page.text), /₹70,000\.00 still to pay/)
  assert.match(
    textOf(page.text),
    /Other academic years .* Ishaan Rao Class 5 · 2026-27 ₹66,000\.50 to pay for the year/,
  )
  assert.match(await seen(visitor, pathOf(old)), /Class 6 · 2027-28 ₹70,000\.00 to pay for the year/)
  assert.match(await seen(visitor, `${pathOf(old)}?lang=hi`), /दूसरे शैक्षणिक वर्ष/)
  const { user: other, students: siblings } = await newFamily(demo, {
    students: [{ identifier: 'YEARS-1', grade: '4' }],
  })
  const others = await seen(await visitAs(bursar, other), pathOf(siblings[0] ?? ''))
  assert.doesNotMatch(others, /Other academic years/)
})

test('dues stand by component, with concessions, payments, due days and an explained late fee', async t => {
  await must(
    demo.send('PUT', `${ERP}/payment-rules`, {
      min_amount: 500,
      late_fees: [
        {
          component_type: 'TUITION_FEE',
          due_date: '2020-01-10',
          kind: 'slab',
          slabs: [{ from_day: 1, amount: 250 }],
        },
        { component_type: 'TRANSPORT_FEE', due_date: '2090-01-10', kind: 'none' },
      ],
    }),
  )
  t.after(() => must(demo.send('PUT', `${ERP}/payment-rules`, {})))
  const cash = { amount: 4000, paid_at: '2026-06-01', mode: 'cash', transaction_id: 'CASH-1' }
  const payments = [{ ...cash, fee_components: [{ component_type: 'TUITION_FEE', amount: 4000 }] }]
  const { user, students } = await newFamily(demo, { payments })
  const [id = ''] = students
  const visitor = await visitAs(bursar, user)
  const page = await seen(visitor, pathOf(id))
  assert.match(
    page,
    /₹62,250\.50 still to pay for the year ₹50,250\.00 overdue ₹12,000\.50 due by 10 January 2090/,
  )
  assert.match(
    page,
    /Tuition fee Fee ₹60,000\.00 Sibling concession: ₹6,000\.00 off Paid ₹4,000\.00 Was due on 10\s\w+\s2020 ₹50,000\.00/,
  )
  assert.match(page, /Transport fee Due by 10\sJanuary\s2090 ₹12,000\.50/)
  assert.match(page, /Late fee Tuition fee: due on 10\sJanuary\s2020, \d+ days late ₹250\.00/)
  assert.match(
    page,
    /From ₹500\.00 to ₹62,250\.50\. A part is used for late fees first, then for the fees that are due earliest/,
  )
  const order = await startPaying(visitor, id, '₹1,250')
  const lines = await bursar.sql(
    'select component_type, amount_paise from order_lines where order_id = $1 order by 1',
    [order],
  )
  assert.deepEqual(lines, [
    { component_type: 'LATE_FEE', amount_paise: 25000 },
    { component_type: 'TUITION_FEE', amount_paise: 100000 },
  ])
  const paid = await submit(visitor, pathOf(id), `${pathOf(id)}/pay`, { amount: '100' })
  assert.equal(paid.status, 400)
  assert.match(paid.text, /The least that can be paid at once is ₹500\.00/)
})

test('each rule of allocation is stated where it holds', async t => {
  t.after(() => must(demo.send('PUT', `${ERP}/payment-rules`, {})))
  const { user, students } = await newFamily(demo)
  const [id = ''] = students
  const visitor = await visitAs(bursar, user)
  for (const [rules, words] of [
    [{ allocation: 'as_registered' }, /then for the fees in the order shown above/],
    [{ allocation: 'in_proportion' }, /spread over all fees by how much of each is open/],
    [{ part_payments: false }, /At Demo School fees are paid in one sum\./],
  ] as const) {
    await must(demo.send('PUT', `${ERP}/payment-rules`, rules))
    assert.match(await seen(visitor, pathOf(id)), words)
  }
  const part = await submit(visitor, pathOf(id), `${pathOf(id)}/pay`, { amount: '100' })
  assert.equal(part.status, 400)
  assert.match(part.text, /are paid in one sum of ₹66,000\.50\. Nothing was paid/)
})

test('an amount that cannot be paid is refused with words, and what was written stays', async () => {
  const { user, students } = await newFamily(demo)
  const [id = ''] = students
  const visitor = await visitAs(bursar, user)
  for (const [amount, words] of [
    ['', /Please write the amount/],
    ['abc', /Please write the amount/],
    ['1,5', /Please write the amount/],
    ['-5', /Please write the amount/],
    ['0', /Please write the amount/],
    ['10.005', /Please write the amount/],
    ['66000.51', /more than the ₹66,000\.50 due/],
    ['0.50', /least that can be paid at once is ₹1\.00/],
    ['"><script>x</script>', /Please write the amount/],
  ] as const) {
    const answer = await submit(visitor, pathOf(id), `${pathOf(id)}/pay`, { amount })
    assert.equal(answer.status, 400, amount)
    assert.match(answer.text, words)
    assert.doesNotMatch(answer.text, /<script>x/)
    if (amount === 'abc') assert.match(answer.text, /value="abc"/)
  }
  const orders = await bursar.sql('select 1 from orders where student_id = $1', [id])
  assert.equal(orders.length, 0)
})

test('all of it is paid at the checkout, whose page leads back, and the receipt is there for the family alone', async () => {
  const { user, students } = await newFamily(demo)
  const [id = ''] = students
  const visitor = await visitAs(bursar, user)
  const order = await startPaying(visitor, id)
  const checkout = `/pay/demo-school/${order}`
  assert.match(
    (await visitor.get(checkout)).text,
    new RegExp(`href="${pathOf(id)}"[^>]*>Back to the fees of Kabir Rao`),
  )
  await must(demo.post(`${SANDBOX}/pay/orders/${order}/pay`, { outcome: 'success' }))
  const back = (await visitor.get(`${checkout}/return`)).location ?? ''
  assert.equal(back, `${pathOf(id)}?paid=${order}`)
  const elsewhere = new Visitor(url)
  assert.equal((await elsewhere.get(`${checkout}/return`)).location, checkout)
  assert.doesNotMatch((await elsewhere.get(checkout)).text, /href="\/parents|Back to/)
  assert.match(
    await seen(visitor, back),
    /We have received ₹66,000\.50\. Thank you\. Receipt 20\d\d-\d\d\/\d{6} \(PDF\) Nothing is left to pay/,
  )
  assert.match(await seen(visitor, pathOf(id)), /₹0\.00 Nothing is due\./)
  const history = await seen(visitor, '/parents/history')
  assert.match(
    history,
    /online Tuition fee, Transport fee Reference \w+ Receipt 20\d\d-\d\d\/\d{6} \(PDF\) ₹66,000\.50/,
  )
  const pdf = await visitor.get(`/parents/history/${order}`)
  assert.equal(pdf.headers.get('content-type'), 'application/pdf')
  assert.match(pdf.text, /^%PDF-/)
  const stranger = await visitAs(bursar, (await newFamily(demo)).user)
  assert.equal((await stranger.get(`/parents/history/${order}`)).status, 404)
  assert.equal((await new Visitor(url).get(`/parents/history/${order}`)).status, 403)
})

test('while a payment is pending the page says not to pay again, offers no button, and starts no other', async () => {
  const { user, students } = await newFamily(demo)
  const [id = ''] = students
  const visitor = await visitAs(bursar, user)
  const order = await startPaying(visitor, id, '1000')
  const csrf = await visitor.csrf(pathOf(id))
  const paying = await must(demo.post(`${SANDBOX}/pay/orders/${order}/pay`, { outcome: 'pending' }))
  const page = await visitor.get(pathOf(id))
  assert.match(
    textOf(page.text),
    /A payment of ₹1,000\.00 is on its way .* Do not pay again\..*Most banks answer within minutes/,
  )
  assert.match(page.text, new RegExp(`href="/pay/demo-school/${order}"`))
  assert.doesNotMatch(page.text, /action="[^"]*\/pay"/)
  assert.match(await seen(visitor, '/parents'), /₹1,000\.00 is on the way and need not be paid again/)
  assert.equal((await visitor.post(`${pathOf(id)}/pay`, { csrf })).location, pathOf(id))
  const orders = await bursar.sql('select 1 from orders where student_id = $1', [id])
  assert.equal(orders.length, 1)
  await must(demo.post(`${SANDBOX}/payments/${paying.payment_id}/fail`))
  assert.match((await visitor.get(pathOf(id))).text, /action="[^"]*\/pay"/)
})

test('another parent’s child is answered as one that does not exist, on every page and form', async () => {
  const mine = await newFamily(demo)
  const theirs = (await newFamily(demo)).students[0] ?? ''
  const [own = ''] = mine.students
  const visitor = await visitAs(bursar, mine.user)
  const csrf = await visitor.csrf('/parents')
  const unknown = theirs.slice(0, -1) + (theirs.endsWith('0') ? '1' : '0')
  for (const suffix of ['', '/pay', '/plan', '/plan/hold', '/plan/cancel', '/plan/start']) {
    const foreign = await visitor.get(`${pathOf(theirs)}${suffix}`)
    assert.equal(foreign.status, 404, suffix)
    assert.equal(foreign.text, (await visitor.get(`${pathOf(unknown)}${suffix}`)).text)
  }
  for (const suffix of ['/pay', '/plan/start', '/plan/hold', '/plan/resume', '/plan/cancel']) {
    const foreign = await visitor.post(`${pathOf(theirs)}${suffix}`, { csrf })
    assert.equal(foreign.status, 404, suffix)
    assert.equal(foreign.text, (await visitor.post(`${pathOf(unknown)}${suffix}`, { csrf })).text)
  }
  for (const odd of ['%00', '..%2f..', 'x'.repeat(200)]) {
    assert.ok([400, 404].includes((await visitor.get(`/parents/students/${odd}`)).status), odd)
  }
  assert.equal((await visitor.get(pathOf(own))).status, 200)
})

test('a form without the session’s own secret does nothing', async () => {
  const mine = await newFamily(demo)
  const [id = ''] = mine.students
  const visitor = await visitAs(bursar, mine.user)
  const other = await visitAs(bursar, (await newFamily(demo)).user)
  const foreign = await other.csrf('/parents')
  for (const suffix of ['/pay', '/plan/start', '/plan/hold', '/plan/resume', '/plan/cancel']) {
    for (const csrf of [undefined, '', 'x', foreign]) {
      const answer = await visitor.post(`${pathOf(id)}${suffix}`, csrf === undefined ? {} : { csrf })
      assert.equal(answer.status, 403, `${suffix} ${csrf}`)
      assert.match(answer.text, /Nothing was done/)
    }
  }
  assert.equal((await bursar.sql('select 1 from orders where student_id = $1', [id])).length, 0)
  assert.equal((await bursar.sql('select 1 from flex_plans where student_id = $1', [id])).length, 0)
})

test('a student who was dropped is shown as such, can be paid for, and starts no instalments', async () => {
  const { user, students } = await newFamily(demo)
  const [id = ''] = students
  await bursar.sql(`update students set status = 'dropped' where id = $1`, [id])
  const visitor = await visitAs(bursar, user)
  assert.match(await seen(visitor, '/parents'), /Left the school/)
  assert.match(await seen(visitor, pathOf(id)), /has marked Kabir Rao as having left/)
  assert.doesNotMatch(await seen(visitor, pathOf(id)), /Pay in instalments/)
  const plan = await visitor.get(`${pathOf(id)}/plan`)
  assert.match(plan.text, /has left the school, so instalments cannot be started/)
  assert.doesNotMatch(plan.text, /plan\/start/)
  assert.equal((await submit(visitor, pathOf(id), `${pathOf(id)}/plan/start`)).location, `${pathOf(id)}/plan`)
  assert.equal((await bursar.sql('select 1 from flex_plans where student_id = $1', [id])).length, 0)
})

test('nobody without a session sees anything, and no page stays in a cache', async () => {
  const { user, students } = await newFamily(demo)
  const [id = ''] = students
  for (const path of ['/parents', pathOf(id), `${pathOf(id)}/plan`, '/parents/history']) {
    const answer = await new Visitor(url).get(path)
    assert.equal(answer.status, 403, path)
    assert.doesNotMatch(answer.text, /Kabir/)
    const { headers } = await (await visitAs(bursar, user)).get(path)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  }
})

test('the log names neither tokens, cookies nor people', async () => {
  const { user, students } = await newFamily(demo)
  const link = await entranceFor(demo, user)
  const visitor = new Visitor(url)
  await visitor.open(link)
  await visitor.get(pathOf(students[0] ?? ''))
  const log = bursar.logText()
  const secrets = [
    link.split('=')[1],
    visitor.cookies.get('parents'),
    'Kabir',
    'asha@example.in',
    students[0],
  ]
  for (const secret of secrets) assert.ok(secret !== undefined && !log.includes(secret))
})
