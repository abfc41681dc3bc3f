import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purgeChildTries } from '../../../src/portal/poster/poster.service.ts'
import { API, demoVisitor } from '../../console/support.ts'
import { Visitor } from '../../harness/visitor.ts'
import { assertStatus, register, unique } from '../../http/support.ts'
import { contract } from '../entry-support.ts'

const { demo, url, sql, app } = contract
const POSTER = '/school/demo-school/pay'

await sql(`update institutes set has_poster = true where code = 'demo-school'`)

let phones = 9_400_000_000

async function childOf(student: Record<string, unknown> = {}) {
  const number = unique('ADM')
  const phone = String(phones++)
  const answer = await register(
    demo,
    unique('parent'),
    {
      identifier: number,
      fullname: 'Asha Verma',
      date_of_birth: '2015-06-20',
      primary_contact_number: phone,
      ...student,
    },
    {
      fee_components: [
        { component_type: 'TUITION_FEE', fee_amount: 60_000 },
        { component_type: 'BUS_FEE', fee_amount: 1_234.5 },
      ],
    },
  )
  assertStatus(answer, 201)
  return { number, phone, id: String(answer.body.data.service_student_id) }
}

const name = (number: string, fact: string, visitor = new Visitor(url)) =>
  visitor.post(POSTER, { number, fact })

async function opened(child: { number: string; phone: string }) {
  const visitor = new Visitor(url)
  assert.equal((await name(child.number, child.phone, visitor)).location, POSTER)
  return visitor
}

/** What an answer says, without what was typed and the addresses of forms. */
const said = (text: string): string => text.replaceAll(/value="[^"]*"/g, '')

test('the number with the date of birth or a phone number opens the fees, with the name masked, in this browser alone', async () => {
  const child = await childOf()
  for (const fact of ['20/06/2015', '20 Jun 2015', '२०/०६/२०१५', child.phone, `+91 ${child.phone}`]) {
    const visitor = new Visitor(url)
    const answer = await name(` ${child.number.toLowerCase()} `, fact, visitor)
    assert.equal(answer.location, POSTER, fact)
    const { text } = await visitor.get(POSTER)
    assert.match(text, /A••• V•••/)
    assert.match(text, /₹61,234\.50/)
    assert.doesNotMatch(text, /Verma|primary|9400/)
  }
  assert.match((await new Visitor(url).get(POSTER)).text, /name="fact"/)
})

test('an unknown child, a wrong birth date and a wrong phone number are answered alike', async () => {
  const child = await childOf()
  const answers = await Promise.all([
    name(unique('ADM'), '20/06/2015'),
    name(child.number, '21/06/2015'),
    name(child.number, '9876500000'),
  ])
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400])
  assert.equal(new Set(answers.map(({ text }) => said(text))).size, 1)
})

test('what is not a date or a number is asked for again and counts as no guess', async () => {
  const child = await childOf()
  for (let at = 0; at < 12; at++) assert.equal((await name(child.number, 'soon')).status, 400)
  assert.equal((await name('', child.phone)).status, 400)
  assert.equal((await name('x'.repeat(500), child.phone)).status, 400)
  await opened(child)
})

test('guesses are limited for children who are there and who are not, and forgotten when no limit counts them', async () => {
  const child = await childOf()
  for (const number of [unique('ADM'), child.number]) {
    await sql('delete from child_tries')
    const statuses: number[] = []
    for (let day = 1; day <= 8; day++) statuses.push((await name(number, `0${day}/01/2015`)).status)
    assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429, 429, 429])
  }
  assert.equal((await name(child.number, child.phone)).status, 429)
  await sql(`update child_tries set last_at = now() - interval '9 days'`)
  assert.ok((await purgeChildTries(app.ctx, 100)) > 0)
  await opened(child)
})

test('a phone number of the school or a placeholder proves nothing', async () => {
  const phone = String(phones++)
  const children = []
  for (let at = 0; at < 6; at++) children.push(await childOf({ primary_contact_number: phone }))
  await sql('delete from child_tries')
  assert.equal((await name(children[0]?.number ?? '', phone)).status, 400)
})

test('all, the fees that are ticked or a part is paid, and the checkout shows the name only once it is paid', async () => {
  const child = await childOf()
  const visitor = await opened(child)
  const start = (fields: [string, string][]) =>
    visitor.post(`${POSTER}/start`, [['child', child.id], ...fields])
  const bus = await start([
    ['act', 'fees'],
    ['fee', 'BUS_FEE'],
  ])
  assert.match((await visitor.get(bus.location ?? '')).text, /₹1,234\.50/)
  const part = await start([
    ['act', 'part'],
    ['amount', '10,000'],
  ])
  assert.match(part.location ?? '', /^\/pay\/demo-school\/order_/)
  const page = await visitor.get(part.location ?? '')
  assert.match(page.text, /₹10,000\.00/)
  assert.match(page.text, /A••• V•••/)
  assert.doesNotMatch(page.text, /Verma/)
  const order = part.location?.split('/').at(-1)
  assertStatus(await demo.post(`/api/v1/sandbox/pay/orders/${order}/pay`, { outcome: 'success' }), 200)
  const paid = await visitor.get(part.location ?? '')
  assert.match(paid.text, /Asha Verma/)
  assert.match(paid.text, new RegExp(`href="${POSTER}"`))
  assert.match((await visitor.get(POSTER)).text, /₹51,234\.50/)
  const old = await start([
    ['act', 'all'],
    ['sum', '6123450'],
  ])
  assert.equal(old.status, 400)
  assert.match(old.text, /Something changed meanwhile/)
  for (const fields of [
    [['act', 'fees']],
    [
      ['act', 'part'],
      ['amount', '-3'],
    ],
    [
      ['act', 'part'],
      ['amount', '9e9'],
    ],
  ])
    assert.equal((await start(fields as [string, string][])).status, 400)
})

test('another child of the same school is not paid for or shown, and a forged pass opens nothing', async () => {
  const [mine, other] = [await childOf(), await childOf()]
  const visitor = await opened(mine)
  assert.equal((await visitor.post(`${POSTER}/start`, { child: other.id, act: 'all' })).location, POSTER)
  const pass = visitor.cookies.get('poster') ?? ''
  for (const forged of [
    pass.replace(mine.id, other.id),
    pass.replace('demo-school', 'demo-group'),
    'rubbish',
    `${pass}x`,
  ]) {
    visitor.cookies.set('poster', forged)
    assert.match((await visitor.get(POSTER)).text, /name="fact"/)
  }
})

test('a school that has no poster is answered like one that there is not, and its office turns it on and prints it', async () => {
  assert.equal((await new Visitor(url).get('/school/demo-group/pay')).status, 404)
  assert.equal((await new Visitor(url).get('/school/nobody/pay')).status, 404)
  const owner = await demoVisitor(url)
  const pages = `${API}/institutes/demo-school/family-pages`
  assert.equal((await owner.send('PUT', pages, { sign_in: true, poster: false })).status, 200)
  assert.equal((await new Visitor(url).get(POSTER)).status, 404)
  assert.equal((await owner.get(`${pages}/poster`)).status, 409)
  const on = await owner.send('PUT', pages, { sign_in: true, poster: true })
  assert.equal(on.body.data.poster_url, `${url}${POSTER}`)
  const kept = await owner.send('PUT', pages, { sign_in: false })
  assert.equal(kept.body.data.poster, true, 'absent leaves it as it is')
  for (const language of ['', '?language=en', '?language=ta']) {
    const file = await owner.get(`${pages}/poster${language}`)
    assert.equal(file.status, 200)
    assert.match(file.text, /^%PDF-1\.7/)
    assert.match(file.text, /\/Count 1\b/, 'one page')
  }
})
