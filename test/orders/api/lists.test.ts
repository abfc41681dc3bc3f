import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client, Json } from '../../harness/client.ts'
import { ERP, PAY } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  createLink,
  createOrder,
  openContract,
  register,
  unique,
} from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql } = contract
const LATER = '2099-01-01T00:00:00Z'

const KINDS = {
  orders: { path: `${PAY}/orders`, create: createOrder },
  payment_links: { path: `${PAY}/payment_links`, create: createLink },
}

async function page(path: string, query: Record<string, string> = {}, client: Client = demo): Promise<Json> {
  const answer = await client.get(`${path}?${new URLSearchParams(query)}`)
  assertStatus(answer, 200)
  return answer.body
}

async function ids(
  path: string,
  query: Record<string, string> = {},
  client: Client = demo,
): Promise<string[]> {
  return (await page(path, query, client)).data.map((order: Json) => order.id)
}

async function several(
  create: typeof createOrder,
  count: number,
  changes: Record<string, unknown>,
): Promise<string[]> {
  const made: string[] = []
  for (let no = 0; no < count; no++) made.push(await create(demo, changes))
  return made
}

async function createdAt(id: string, moment: string): Promise<void> {
  await sql('update orders set created_at = $2 where id = $1', [id, moment])
}

/** In one order, for comparing what has none. */
function sorted(texts: readonly (string | undefined)[]): string[] {
  return texts.map(text => text ?? 'missing').toSorted()
}

for (const [kind, { path, create }] of Object.entries(KINDS)) {
  test(`${kind}: the list has data and has_more, and next_cursor only when more follows`, async () => {
    const identifier = unique('SHAPE')
    await several(create, 2, { identifier })
    const whole = await page(path, { identifier })
    assert.deepEqual(Object.keys(whole).sort(), ['data', 'has_more', 'status'])
    assert.equal(whole.has_more, false)
    const first = await page(path, { identifier, limit: '1' })
    assert.deepEqual(Object.keys(first).sort(), ['data', 'has_more', 'next_cursor', 'status'])
    assert.equal(first.has_more, true)
  })

  test(`${kind}: an empty list is an empty array without more`, async () => {
    assert.deepEqual(await page(path, { identifier: unique('NONE') }), {
      status: 'success',
      data: [],
      has_more: false,
    })
  })

  test(`${kind}: an item is shown as its read view shows it`, async () => {
    const identifier = unique('VIEW')
    const id = await create(demo, { identifier, notes: [{ key: 'a', value: 'b' }], expires_at: LATER })
    const list = await page(path, { identifier })
    assert.deepEqual(list.data, [(await demo.get(`${path}/${id}`)).body.data])
  })

  test(`${kind}: pages together hold every item exactly once, also while new ones are made`, async () => {
    const identifier = unique('PAGES')
    const made = await several(create, 5, { identifier })
    const seen: string[] = []
    const query: Record<string, string> = { identifier, limit: '2' }
    for (const more of [true, true, false]) {
      const { data, has_more: hasMore, next_cursor: cursor } = await page(path, query)
      seen.push(...data.map((order: Json) => order.id))
      assert.equal(hasMore, more)
      query['cursor'] = cursor
      await create(demo, { identifier })
    }
    assert.deepEqual(seen.toSorted(), made.toSorted())
  })

  test(`${kind}: a full last page says that nothing follows`, async () => {
    const identifier = unique('FULL')
    await several(create, 2, { identifier })
    assert.equal((await page(path, { identifier, limit: '2' })).has_more, false)
  })

  test(`${kind}: limit is 50 by default and at most 200`, async () => {
    const identifier = unique('LIMIT')
    await several(create, 51, { identifier })
    const standard = await page(path, { identifier })
    assert.deepEqual([standard.data.length, standard.has_more], [50, true])
    assert.equal((await page(path, { identifier, limit: '200' })).data.length, 51)
    for (const limit of ['0', '201', '-1', '1.5', 'many', '1e2'])
      assertRefused(await demo.get(`${path}?limit=${limit}`), 'HUE00000', 'limit')
  })

  test(`${kind}: a cursor that cannot be one is 400`, async () => {
    assertRefused(await demo.get(`${path}?cursor=${encodeURIComponent("' or 1=1")}`), 'HUE00000', 'cursor')
  })

  test(`${kind}: a parameter given twice is 400, not a failure`, async () => {
    assertRefused(await demo.get(`${path}?identifier=a&identifier=b`), 'HUE00000', 'identifier')
  })

  test(`${kind}: filter identifier finds the exact identifier only`, async () => {
    const identifier = unique('EXACT')
    const id = await create(demo, { identifier })
    await create(demo, { identifier: `${identifier}x` })
    assert.deepEqual(await ids(path, { identifier }), [id])
  })

  test(`${kind}: filter collector_code`, async () => {
    const identifier = unique('BRANCH')
    const north = await create(group, { identifier, collector_code: 'NORTH' })
    const south = await create(group, { identifier, collector_code: 'SOUTH' })
    assert.deepEqual(await ids(path, { identifier, collector_code: 'SOUTH' }, group), [south])
    assert.deepEqual((await ids(path, { identifier }, group)).toSorted(), [north, south].toSorted())
  })

  test(`${kind}: filter note=key:value matches one whole note`, async () => {
    const notes = [
      { key: 'book', value: 'B-17: "red", 5% \\ ₹' },
      { key: 'other', value: 'x' },
    ]
    const identifier = unique('NOTE')
    const id = await create(demo, { identifier, notes })
    await create(demo, { identifier, notes: [{ key: 'book', value: 'x' }] })
    assert.deepEqual(await ids(path, { identifier, note: 'book:B-17: "red", 5% \\ ₹' }), [id])
    assert.deepEqual(await ids(path, { identifier, note: 'other:x' }), [id])
    assert.deepEqual(await ids(path, { identifier, note: 'other:B-17' }), [])
    assert.deepEqual(await ids(path, { identifier, note: 'book:B-17' }), [])
  })

  test(`${kind}: a note filter that is not key:value is 400`, async () => {
    assertRefused(await demo.get(`${path}?note=book`), 'HUE00000', 'note')
  })

  test(`${kind}: filters created_from and created_to bound the creation, in India without an offset`, async () => {
    const identifier = unique('WHEN')
    const [early, late] = await several(create, 2, { identifier })
    assert.ok(early && late)
    await createdAt(early, '2026-06-04T18:29:59Z')
    await createdAt(late, '2026-06-04T18:30:00Z')
    const found = (query: Record<string, string>) => ids(path, { identifier, ...query })
    assert.deepEqual(await found({ created_from: '2026-06-05' }), [late])
    assert.deepEqual(await found({ created_from: '2026-06-05T00:00:00' }), [late])
    assert.deepEqual(await found({ created_from: '2026-06-04T18:29:59Z' }), [late, early])
    assert.deepEqual(await found({ created_to: '2026-06-04' }), [early])
    assert.deepEqual(await found({ created_to: '2026-06-05' }), [late, early])
    assert.deepEqual(await found({ created_to: '2026-06-04T18:29:59.500Z' }), [early])
    assert.deepEqual(await found({ created_from: '2026-06-05', created_to: '2026-06-04' }), [])
    for (const key of ['created_from', 'created_to'])
      assertRefused(await demo.get(`${path}?${key}=yesterday`), 'HUE00000', key)
  })

  test(`${kind}: an empty filter counts as not sent`, async () => {
    const identifier = unique('EMPTY')
    const id = await create(demo, { identifier })
    const empty = { status: '', collector_code: '', created_from: '', created_to: '', note: '', cursor: '' }
    assert.deepEqual(await ids(path, { identifier, ...empty, limit: '' }), [id])
  })

  test(`${kind}: an unknown status is 400 and an unknown parameter is ignored`, async () => {
    assertRefused(await demo.get(`${path}?status=lost`), 'HUE00000', 'status')
    assertStatus(await demo.get(`${path}?colour=red`), 200)
  })

  test(`${kind}: another institute's are not in the list, and its ids open no page`, async () => {
    const identifier = unique('TENANT')
    const theirs = await create(group, { identifier, collector_code: 'NORTH' })
    assert.deepEqual(await ids(path, { identifier }), [])
    const mine = await demo.get(`${path}?cursor=${theirs}`)
    const unknown = await demo.get(`${path}?cursor=order_unknown`)
    assert.deepEqual(
      [mine.status, mine.body.code, mine.body.errors],
      [unknown.status, unknown.body.code, unknown.body.errors],
    )
  })

  test(`${kind}: the list holds no items of the other kind`, async () => {
    const identifier = unique('KIND')
    await (kind === 'orders' ? createLink : createOrder)(demo, { identifier })
    assert.deepEqual(await ids(path, { identifier }), [])
  })
}

test('orders: filter status tells paid from unpaid, closed and expired ones being unpaid', async () => {
  const identifier = unique('OSTATE')
  const { path } = KINDS.orders
  const [open, closed, paid, expired] = await several(createOrder, 4, { identifier, expires_at: LATER })
  assertStatus(await demo.delete(`${path}/${closed}`), 200)
  assertStatus(await demo.post(`/api/v1/sandbox/pay/orders/${paid}/pay`, { outcome: 'success' }), 200)
  await sql(`update orders set expires_at = '2026-01-01' where id = $1`, [expired])
  assert.deepEqual(await ids(path, { identifier, status: 'paid' }), [paid])
  assert.deepEqual(sorted(await ids(path, { identifier, status: 'unpaid' })), sorted([open, closed, expired]))
})

test('payment links: filter status tells paid, unpaid, expired and cancelled apart', async () => {
  const identifier = unique('LSTATE')
  const { path } = KINDS.payment_links
  const [unpaid, cancelled, paid, expired] = await several(createLink, 4, { identifier, expires_at: LATER })
  assertStatus(await demo.delete(`${path}/${cancelled}`), 200)
  assertStatus(await demo.post(`/api/v1/sandbox/pay/orders/${paid}/pay`, { outcome: 'success' }), 200)
  await sql(`update orders set expires_at = '2026-01-01' where id = $1`, [expired])
  for (const [status, id] of Object.entries({ unpaid, cancelled, paid, expired }))
    assert.deepEqual(await ids(path, { identifier, status }), [id])
})

test('payment links: one whose time the sandbox clock passes moves from unpaid to expired in the list', async () => {
  const identifier = unique('CLOCK')
  const { path } = KINDS.payment_links
  const { now } = (await demo.get('/api/v1/sandbox/clock')).body.data
  const id = await createLink(demo, {
    identifier,
    expires_at: new Date(Date.parse(now) + 60_000).toISOString(),
  })
  assert.deepEqual(await ids(path, { identifier, status: 'unpaid' }), [id])
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'PT2M' }), 200)
  assert.deepEqual(await ids(path, { identifier, status: 'unpaid' }), [])
  assert.deepEqual(await ids(path, { identifier, status: 'expired' }), [id])
})

test('filters add up', async () => {
  const identifier = unique('AND')
  const { path } = KINDS.orders
  const id = await createOrder(demo, { identifier, notes: [{ key: 'a', value: 'b' }] })
  await createOrder(demo, { identifier })
  const query = { identifier, status: 'unpaid', note: 'a:b', created_from: '2026-01-01' }
  assert.deepEqual(await ids(path, query), [id])
  assert.deepEqual(await ids(path, { ...query, status: 'paid' }), [])
})

for (const path of [`${PAY}/orders/`, `${PAY}/payment_links/`, `${ERP}/students/`, `${ERP}/webhooks/`]) {
  test(`${path}, with a trailing slash, is not a list but an empty id`, async () => {
    assertRefused(await demo.get(path), 'HUE00000')
  })
}

test('students: limit is 50 by default and 1 to 200', async () => {
  const grade = unique('crowd')
  for (let no = 0; no < 51; no++) assertStatus(await register(demo, 'p', { grade }), 201)
  const path = `${ERP}/students`
  const standard = await page(path, { grade })
  assert.deepEqual([standard.data.length, standard.has_more], [50, true])
  assert.equal((await page(path, { grade, cursor: standard.next_cursor })).data.length, 1)
  for (const limit of ['0', '201', 'x'])
    assertRefused(await demo.get(`${path}?limit=${limit}`), 'HUE00000', 'limit')
})
