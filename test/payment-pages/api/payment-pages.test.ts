import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purgeUnpaidForms } from '../../../src/payment-pages/page-payments.service.ts'
import type { Json } from '../../harness/client.ts'
import { PAY } from '../../harness/samples.ts'
import { CONTACT, createPage, NOT_A_PAGE, pay, PAGES, post, samplePage, submit } from '../support.ts'
import {
  assertRefused,
  assertStatus,
  openContract,
  strictSchool,
  unique,
  withoutRequestId,
} from '../../http/support.ts'

/** What an institute does with its pages by the API. */
const contract = await openContract()
const { demo, group, sql } = contract
const LATER = '2099-01-31T18:30:00+05:30'

async function read(id: string) {
  const answer = await demo.get(`${PAGES}/${id}`)
  assertStatus(answer, 200)
  return answer.body.data
}

test('Create answers 201 with exactly page_id and the public url', async () => {
  const answer = await demo.post(PAGES, samplePage({ slug: 'science-fair' }))
  assertStatus(answer, 201)
  assert.deepEqual(Object.keys(answer.body.data).sort(), ['page_id', 'url'])
  assert.match(answer.body.data.page_id, /^page_/)
  assert.equal(answer.body.data.url, `${contract.url}/p/demo-school/science-fair`)
})

test('the read view of a page without options has exactly the constant keys', async () => {
  const { id, url } = await createPage(demo, { slug: 'plain' })
  const { created_at: createdAt, updated_at: updatedAt, ...page } = await read(id)
  assert.match(createdAt, /Z$/)
  assert.equal(updatedAt, createdAt)
  assert.deepEqual(page, {
    page_id: id,
    url,
    slug: 'plain',
    collector_code: 'MAIN',
    title: 'Science fair',
    details: [{ component_type: 'EVENT_FEE', amount: 250, max_quantity: 1, is_optional: false }],
    fields: [],
    is_published: true,
    status: 'open',
    paid_count: 0,
  })
})

test('every option of a page is in its read view', async () => {
  const options = {
    slug: 'all-options',
    description: 'Saturday.\nAt ten.',
    details: [
      { component_type: 'TICKET', label: 'Adult ticket', amount: 250.5, max_quantity: 5, is_optional: true },
      {
        component_type: 'GIFT',
        label: 'For the library',
        min_amount: 50,
        max_amount: 5000,
        is_optional: false,
      },
      { component_type: 'OTHER', min_amount: 1, is_optional: true },
    ],
    fields: [
      { key: 'student_name', is_required: true },
      { key: 'house', label: 'House', is_required: false, options: ['Ganga', 'Kaveri'] },
    ],
    is_published: false,
    max_payments: 10,
    callback_url: 'https://school.example.in/done',
    success_message: 'See you there.',
  }
  const { id } = await createPage(demo, { ...options, closes_at: LATER })
  const page = await read(id)
  for (const [name, value] of Object.entries(options)) assert.deepEqual(page[name], value, name)
  assert.equal(page.closes_at, '2099-01-31T13:00:00.000Z')
  assert.equal(page.status, 'unpublished')
})

test('what cannot be a page is 400 and names the field, when it is made and when it is changed', async () => {
  const { id } = await createPage(demo)
  const before = await read(id)
  for (const [what, change, key] of NOT_A_PAGE) {
    assertRefused(await demo.post(PAGES, samplePage(change)), 'HUE00000', key)
    if (what === 'no title') continue
    assertRefused(await demo.patch(`${PAGES}/${id}`, change), 'HUE00000', key)
  }
  assert.deepEqual(await read(id), before)
})

test('a slug is the institute’s own: made of the title when absent, 409 when another page has it', async () => {
  const title = unique('Fête des élèves')
  const first = await createPage(demo, { title })
  assert.match(first.url, /\/p\/demo-school\/fete-des-eleves-\d+$/)
  const second = await createPage(demo, { title })
  assert.match(second.url, /\/fete-des-eleves-\d+-\w{6}$/)
  assert.match((await createPage(demo, { title: 'वार्षिक उत्सव' })).url, /\/p\/demo-school\/page$/)
  const slug = first.url.split('/').at(-1)
  const taken = await demo.post(PAGES, samplePage({ slug }))
  assertRefused(taken, 'HUE00002')
  assert.deepEqual(taken.body.data, { page_id: first.id })
  assertRefused(await demo.patch(`${PAGES}/${second.id}`, { slug }), 'HUE00002')
  const elsewhere = await group.post(PAGES, samplePage({ slug, collector_code: 'NORTH' }))
  assertStatus(elsewhere, 201)
})

test('of ten pages made at once with one slug one is made', async () => {
  const slug = unique('race')
  const answers = await Promise.all(Array.from({ length: 10 }, () => demo.post(PAGES, samplePage({ slug }))))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers) if (answer.status !== 201) assertRefused(answer, 'HUE00002')
})

test('of two pages that are given one slug at once one gets it', async () => {
  const slug = unique('contested')
  const pages = [await createPage(demo), await createPage(demo)]
  const answers = await Promise.all(pages.map(({ id }) => demo.patch(`${PAGES}/${id}`, { slug })))
  assert.deepEqual(answers.map(answer => `${answer.status}`).sort(), ['200', '409'])
})

test('PATCH changes what is sent, clears what is emptied and leaves the rest', async () => {
  const { id } = await createPage(demo, {
    description: 'Saturday.',
    fields: [{ key: 'house', label: 'House' }],
    closes_at: LATER,
    max_payments: 3,
    success_message: 'Thanks.',
  })
  const before = await read(id)
  const answer = await demo.patch(`${PAGES}/${id}`, {
    title: 'Art fair',
    description: null,
    max_payments: '',
    fields: null,
  })
  assertStatus(answer, 200)
  const { description: _, max_payments: __, ...kept } = before
  const after = { ...kept, title: 'Art fair', fields: [], updated_at: answer.body.data.updated_at }
  assert.deepEqual(answer.body.data, after)
  assert.deepEqual(await read(id), after)
  assertRefused(await demo.patch(`${PAGES}/${id}`, { title: '' }), 'HUE00000', 'title')
  assertRefused(await demo.patch(`${PAGES}/${id}`, { details: null }), 'HUE00000', 'details')
})

test('an Idempotency-Key makes one page of two requests', async () => {
  const key = { 'idempotency-key': unique('page') }
  const body = samplePage({ title: unique('Once') })
  const first = await demo.post(PAGES, body, key)
  const second = await demo.post(PAGES, body, key)
  assert.equal(second.text, first.text)
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
})

test('with several branches a page needs a known collector_code', async () => {
  assertRefused(await group.post(PAGES, samplePage()), 'HUE00000', 'collector_code')
  assertRefused(await group.post(PAGES, samplePage({ collector_code: 'MAIN' })), 'HUE00000', 'collector_code')
  const { id } = await createPage(group, { collector_code: 'SOUTH' })
  assert.equal((await group.get(`${PAGES}/${id}`)).body.data.collector_code, 'SOUTH')
})

test('a strict institute has only components and grades of its catalogue on a page', async () => {
  const strict = await strictSchool(contract)
  const details = [{ component_type: 'TUITION_FEE', amount: 10 }]
  assertRefused(await strict.post(PAGES, samplePage()), 'HUE00000', 'details.0.component_type')
  const asking = (field: Record<string, unknown>) =>
    samplePage({ details, fields: [{ key: 'grade', ...field }] })
  assertRefused(await strict.post(PAGES, asking({})), 'HUE00000', 'fields.0.options')
  assertRefused(await strict.post(PAGES, asking({ options: ['5', '6'] })), 'HUE00000', 'fields.0.options.1')
  assertStatus(await strict.post(PAGES, asking({ options: ['5'] })), 201)
})

test('what payers type joins no catalogue; what the institute writes does', async () => {
  const { url } = await createPage(demo, {
    details: [{ component_type: 'OF_THE_PAGE', amount: 1 }],
    fields: [{ key: 'grade' }],
  })
  await submit(url, { 'field.grade': 'typed-by-a-payer' })
  const rows = await sql<{ code: string }>(
    `select code from catalogue_entries where code in ('OF_THE_PAGE', 'typed-by-a-payer')`,
  )
  assert.deepEqual(rows, [{ code: 'OF_THE_PAGE' }])
})

test('pages are listed newest first, page by page, and filtered', async () => {
  const made: string[] = []
  for (const collector_code of ['NORTH', 'SOUTH', 'NORTH'])
    made.push((await createPage(group, { title: unique('Listed'), collector_code })).id)
  await group.patch(`${PAGES}/${made[0]}`, { is_published: false })
  const pages = async (query: string) => {
    const answer = await group.get(`${PAGES}?${query}`)
    assertStatus(answer, 200)
    return answer.body.data.map((page: { page_id: string }) => page.page_id)
  }
  assert.deepEqual((await pages('limit=3')).slice(0, 3), made.toReversed())
  assert.deepEqual(await pages(`limit=1&cursor=${made[2]}`), [made[1]])
  assert.deepEqual(await pages('status=unpublished'), [made[0]])
  assert.ok(!(await pages('status=published')).includes(made[0]))
  assert.ok((await pages('collector_code=SOUTH')).includes(made[1]))
  assert.ok(!(await pages('collector_code=SOUTH')).includes(made[2]))
  assertRefused(await group.get(`${PAGES}?cursor=page_unknown`), 'HUE00000', 'cursor')
})

const ids = (body: { data: { id: string }[] }) => body.data.map(order => order.id)

test('the payments of a page are listed newest first, paid and unpaid, below their page and by id among the orders', async () => {
  const { id, url } = await createPage(demo)
  const other = await createPage(demo)
  const [first, second] = [await submit(url), await submit(url, { name: 'Meera Iyer' })]
  const elsewhere = await submit(other.url)
  await pay(demo, first)
  const list = async (query = '') => {
    const answer = await demo.get(`${PAGES}/${id}/payments${query}`)
    assertStatus(answer, 200)
    return answer.body
  }
  assert.deepEqual(ids(await list()), [second, first])
  assert.deepEqual(ids(await list('?status=paid')), [first])
  assert.deepEqual(ids(await list('?status=unpaid')), [second])
  const page = await list('?limit=1')
  assert.deepEqual([ids(page), page.has_more, page.next_cursor], [[second], true, second])
  assert.deepEqual(ids(await list(`?limit=1&cursor=${second}`)), [first])
  assertRefused(await demo.get(`${PAGES}/${id}/payments?cursor=${elsewhere}`), 'HUE00000', 'cursor')
  const one = await demo.get(`${PAGES}/${id}/payments/${first}`)
  assertStatus(one, 200)
  assert.deepEqual([one.body.data.id, one.body.data.status], [first, 'paid'])
  assert.equal((await read(id)).paid_count, 1)
  assertRefused(await demo.get(`${PAGES}/${other.id}/payments/${first}`), 'HUE00001')
  assert.deepEqual((await demo.get(`${PAY}/orders/${first}`)).body.data, one.body.data)
  assertRefused(await demo.delete(`${PAY}/orders/${second}`), 'HUE00002')
  assertRefused(await demo.get(`${PAY}/payment_links/${first}`), 'HUE00001')
  assertRefused(await demo.post(`${PAY}/payment_links/${first}/refunds`), 'HUE00001')
  for (const kind of ['orders', 'payment_links'])
    assert.ok(!ids((await demo.get(`${PAY}/${kind}`)).body).includes(first))
})

test('a form that nobody began to pay is forgotten a month after its time, and no other payment is', async () => {
  const { id, url } = await createPage(demo)
  const [idle, failed, paid] = [await submit(url), await submit(url), await submit(url)]
  await pay(demo, failed, 'failure')
  await pay(demo, paid)
  const listed = async (): Promise<string[]> =>
    (await demo.get(`${PAGES}/${id}/payments`)).body.data.map((order: Json) => order.id)
  const later = async (advance: string): Promise<void> => {
    assertStatus(await demo.post('/api/v1/sandbox/clock', { advance }), 200)
    await purgeUnpaidForms(contract.app.ctx, 100)
  }
  await later('P29D')
  assert.deepEqual(await listed(), [paid, failed, idle])
  await later('P2D')
  assert.deepEqual(await listed(), [paid, failed])
  assertRefused(await demo.get(`${PAGES}/${id}/payments/${idle}`), 'HUE00001')
  assert.equal((await sql('select 1 from page_forms where page_id = $1', [id])).length, 2)
})

test('an unknown page and another institute’s are answered alike', async () => {
  const { id, url } = await createPage(demo)
  const order = await submit(url)
  await pay(demo, order)
  const ways: [string, (page: string, order: string) => string, unknown?][] = [
    ['GET', page => `${PAGES}/${page}`],
    ['PATCH', page => `${PAGES}/${page}`, { title: 'Theirs' }],
    ['GET', page => `${PAGES}/${page}/payments`],
    ['GET', (page, payment) => `${PAGES}/${page}/payments/${payment}`],
    ['GET', (page, payment) => `${PAGES}/${page}/payments/${payment}/refunds`],
    ['POST', (page, payment) => `${PAGES}/${page}/payments/${payment}/refunds`, { amount: 1 }],
    ['GET', (page, payment) => `${PAGES}/${page}/payments/${payment}/receipt`],
  ]
  for (const [method, path, body] of ways) {
    const theirs = await group.send(method, path(id, order), body)
    assertRefused(theirs, 'HUE00001')
    const nobodys = await group.send(method, path('page_unknown', 'order_unknown'), body)
    assert.deepEqual(withoutRequestId(theirs), withoutRequestId(nobodys))
  }
  assert.equal((await read(id)).title, 'Science fair')
})

test('a page is shown only under the address of its own institute', async () => {
  const { url } = await createPage(demo, { slug: 'of-demo' })
  assert.equal((await fetch(url)).status, 200)
  for (const path of ['demo-group/of-demo', 'nobody/of-demo', 'demo-school/of-nobody', 'demo-school/%00']) {
    const answer = await fetch(`${contract.url}/p/${path}`)
    assert.equal(answer.status, 404, path)
    assert.match(await answer.text(), /do not know this link/)
    assert.equal((await post(`${contract.url}/p/${path}`, CONTACT)).status, 404)
  }
  const theirs = await createPage(group, { slug: 'of-demo', collector_code: 'NORTH' })
  assert.match(await (await fetch(theirs.url)).text(), /Demo Group, North/)
})
