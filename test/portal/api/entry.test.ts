import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purgeEntries } from '../../../src/portal/entry/entry.service.ts'
import { startBursar } from '../../harness/bursar.ts'
import { Visitor } from '../../harness/visitor.ts'
import { contract, entrance, parentOf, tokenOf, tokenPath } from '../entry-support.ts'
import { assertRefused, assertStatus, clientWith, register } from '../../http/support.ts'

const { demo, group, url, sql } = contract

test('GET and POST answer with a token for 15 minutes, each time another, which is kept only as a hash', async () => {
  const { user } = await parentOf()
  const first = await demo.get(tokenPath(user))
  const second = await demo.post(tokenPath(user))
  assert.deepEqual([first.status, second.status], [200, 201])
  const tokens = [first, second].map(({ body }) => body.data.access_token)
  assert.notEqual(tokens[0], tokens[1])
  const left = Date.parse(first.body.data.expires_at) - Date.now()
  assert.ok(left > 14 * 60_000 && left <= 15 * 60_000 + 1_000, `${left} ms`)
  const kept = await sql<{ row: string }>('select to_jsonb(t)::text as row from access_tokens t')
  for (const { row } of kept)
    for (const token of tokens) assert.ok(!row.includes(String(token).split('.')[1] ?? token))
})

test('a repeat under the same Idempotency-Key gets the same token, which is stored sealed', async () => {
  const { user } = await parentOf()
  const key = { 'idempotency-key': `token-of-${user}` }
  const first = await demo.post(tokenPath(user), undefined, key)
  const again = await demo.post(tokenPath(user), undefined, key)
  assert.deepEqual([again.status, again.text], [201, first.text])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const token: string = first.body.data.access_token
  const stored = await sql<{ row: string }>('select to_jsonb(t)::text as row from idempotency_keys t')
  assert.ok(stored.length > 0)
  for (const { row } of stored) assert.ok(!row.includes(token.split('.')[1] ?? token))
  assert.equal((await new Visitor(url).get(entrance(token))).status, 303)
  const unknown = { 'idempotency-key': 'token-of-nobody' }
  for (let time = 0; time < 2; time++)
    assertRefused(await demo.post(tokenPath('nobody'), undefined, unknown), 'HUE00001')
})

test('the token of an unknown user is 404, and a key that may only read gets none', async () => {
  assertRefused(await demo.get(tokenPath('nobody')), 'HUE00001')
  assertRefused(await demo.post(tokenPath('nobody')), 'HUE00001')
  const { user } = await parentOf()
  assertRefused(await group.get(tokenPath(user)), 'HUE00001')
  const reader = await clientWith(contract, { scopes: ['read'] })
  assertRefused(await reader.get(tokenPath(user)), 'AUE00001')
})

test('a token opens one session with a cookie that scripts and other sites do not get, and nothing stays in the address', async () => {
  const { user, studentId } = await parentOf({ fullname: 'Kabir Rao' })
  const visitor = new Visitor(url)
  const entered = await visitor.get(entrance(await tokenOf(user), { service_student_id: studentId }))
  assert.equal(entered.status, 303)
  assert.equal(entered.location, `/parents/students/${studentId}`)
  const [cookie = ''] = entered.headers.getSetCookie()
  assert.match(cookie, /^parents=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/)
  assert.equal(entered.headers.get('cache-control'), 'no-store')
  assert.equal(entered.headers.get('referrer-policy'), 'no-referrer')
  const page = await visitor.open(entered.location)
  assert.equal(page.status, 200)
  assert.match(page.text, /Kabir Rao/)
  const kept = await sql<{ row: string }>('select to_jsonb(t)::text as row from parent_sessions t')
  for (const { row } of kept)
    assert.ok(!row.includes(visitor.cookies.get('parents')?.split('.')[1] ?? 'none'))
})

test('under https the cookie is the host’s own and goes over https only', async t => {
  const behind = await startBursar(t, { PUBLIC_URL: 'https://pay.example.in' })
  const registered = await register(behind.demo, 'parent-https')
  assertStatus(registered, 201)
  const { body } = await behind.demo.post(tokenPath('parent-https'))
  const entered = await new Visitor(behind.url).get(entrance(body.data.access_token))
  const [cookie = ''] = entered.headers.getSetCookie()
  assert.match(cookie, /^__Host-parents=[^;]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/)
})

test('a replayed or leaked link opens nothing, in any browser', async () => {
  const { user } = await parentOf()
  const link = entrance(await tokenOf(user))
  const owner = new Visitor(url)
  assert.equal((await owner.get(link)).status, 303)
  const thief = new Visitor(url)
  const refused = await thief.get(link)
  assert.equal(refused.status, 403)
  assert.match(refused.text, /has been used or is too old/)
  assert.equal(thief.cookies.size, 0)
  assert.equal((await thief.get('/parents')).status, 403)
  // A parent who used it and reloads the link stays signed in.
  assert.equal((await owner.get(link)).location, '/parents')
})

test('of many who use a link at the same moment one gets in', async () => {
  const { user } = await parentOf()
  const link = entrance(await tokenOf(user))
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async () => (await new Visitor(url).get(link)).status),
  )
  assert.equal(statuses.filter(status => status === 303).length, 1)
  assert.equal(statuses.filter(status => status === 403).length, 7)
})

test('a link is too old after 15 minutes of real time, whatever the sandbox clock says', async () => {
  const { user } = await parentOf()
  const token = await tokenOf(user)
  assertStatus(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' }), 200)
  assert.equal((await new Visitor(url).get(entrance(token))).status, 303)
  const late = await tokenOf(user)
  await sql(`update access_tokens set expires_at = now() where spent_at is null and registration_id = $1`, [
    user,
  ])
  assert.equal((await new Visitor(url).get(entrance(late))).status, 403)
})

for (const [what, token] of [
  ['no token', undefined],
  ['an empty one', ''],
  ['a made-up one', `demo-school.${'x'.repeat(43)}`],
  ['one of an institute that is not there', `nowhere.${'x'.repeat(43)}`],
  ['a text that is none', "'; drop table users; --"],
  ['an endless one', 'x'.repeat(8000)],
] as const) {
  test(`${what} opens nothing and says what to do`, async () => {
    const path = token === undefined ? '/login-redirect' : entrance(token)
    const seen = await new Visitor(url).get(path)
    assert.equal(seen.status, 403)
    assert.match(seen.text, /open the fees there again/)
  })
}

test('a look ahead does not spend the link', async () => {
  const { user } = await parentOf()
  const link = entrance(await tokenOf(user))
  const visitor = new Visitor(url)
  assert.equal((await visitor.get(link, {}, 'HEAD')).status, 405)
  assert.equal((await visitor.get(link, { 'sec-purpose': 'prefetch;prerender' })).status, 503)
  assert.equal(visitor.cookies.size, 0)
  assert.equal((await visitor.get(link)).status, 303)
})

test('a session is always a new one: what a browser brings along is neither taken nor kept', async () => {
  const { user } = await parentOf()
  const visitor = new Visitor(url)
  const planted = `demo-school.${'p'.repeat(43)}`
  visitor.cookies.set('parents', planted)
  await visitor.open(entrance(await tokenOf(user)))
  assert.notEqual(visitor.cookies.get('parents'), planted)
  const attacker = new Visitor(url)
  attacker.cookies.set('parents', planted)
  assert.equal((await attacker.get('/parents')).status, 403)
  // Entering anew ends the session before.
  const old = new Visitor(url)
  old.cookies.set('parents', visitor.cookies.get('parents') ?? '')
  await visitor.open(entrance(await tokenOf(user)))
  assert.equal((await old.get('/parents')).status, 403)
  assert.equal((await visitor.get('/parents')).status, 200)
})

test('a link that opens nothing leaves an existing session as it is', async () => {
  const [one, other] = [await parentOf(), await parentOf()]
  const spent = entrance(await tokenOf(other.user))
  await new Visitor(url).get(spent)
  const visitor = new Visitor(url)
  await visitor.open(entrance(await tokenOf(one.user)))
  const seen = await visitor.get(spent)
  assert.equal(seen.status, 403)
  assert.match(seen.text, /You are signed in as Asha Rao/)
  assert.match((await visitor.get('/parents')).text, new RegExp(one.studentId))
})

test('a session ends after two idle hours, after twelve in all, and by signing out', async () => {
  const { user } = await parentOf()
  for (const column of ['seen_at', 'created_at']) {
    const visitor = new Visitor(url)
    await visitor.open(entrance(await tokenOf(user)))
    const hours = column === 'seen_at' ? 2 : 12
    const shift = `update parent_sessions set ${column} = now() - $2::interval where registration_id = $1`
    await sql(shift, [user, `${hours * 60 - 1} minutes`])
    assert.equal((await visitor.get('/parents')).status, 200)
    await sql(shift, [user, `${hours} hours`])
    assert.equal((await visitor.get('/parents')).status, 403)
    await sql('delete from parent_sessions where registration_id = $1', [user])
  }
  const visitor = new Visitor(url)
  await visitor.open(entrance(await tokenOf(user)))
  const cookie = visitor.cookies.get('parents') ?? ''
  assert.equal((await visitor.post('/parents/sign-out', {})).status, 403, 'a foreign form signs nobody out')
  const csrf = await visitor.csrf('/parents')
  assert.match((await visitor.post('/parents/sign-out', { csrf })).text, /You are signed out/)
  assert.equal(visitor.cookies.has('parents'), false)
  visitor.cookies.set('parents', cookie)
  assert.equal((await visitor.get('/parents')).status, 403)
})

test('what opens nothing any more is forgotten', async () => {
  const { user } = await parentOf()
  await new Visitor(url).open(entrance(await tokenOf(user)))
  await sql(`update access_tokens set expires_at = now() - interval '2 days' where registration_id = $1`, [
    user,
  ])
  await sql(
    `update parent_sessions set created_at = now() - interval '13 hours' where registration_id = $1`,
    [user],
  )
  assert.ok((await purgeEntries(contract.app.ctx, 100)) >= 2)
  const left = await sql(
    `select 1 from access_tokens where registration_id = $1 union all select 1 from parent_sessions where registration_id = $1`,
    [user],
  )
  assert.equal(left.length, 0)
})

for (const [product, suffix] of [
  ['pay', ''],
  ['flex', '/plan'],
  ['cred', '/cred'],
] as const) {
  test(`product_type=${product} leads to its page`, async () => {
    const { user, studentId } = await parentOf()
    const named = await new Visitor(url).get(
      entrance(await tokenOf(user), { service_student_id: studentId, product_type: product }),
    )
    assert.equal(named.location, `/parents/students/${studentId}${suffix}`)
    const only = await new Visitor(url).get(entrance(await tokenOf(user), { product_type: product }))
    assert.equal(only.location, `/parents/students/${studentId}${suffix}`)
  })
}

test('create_application=true leads to the page of loans; a foreign student or product leads to the list', async () => {
  const [mine, other] = [await parentOf(), await parentOf()]
  const applying = { service_student_id: mine.studentId, create_application: 'true' }
  const to = async (rest: Record<string, string>): Promise<string | null> =>
    (await new Visitor(url).get(entrance(await tokenOf(mine.user), rest))).location
  assert.equal(await to(applying), `/parents/students/${mine.studentId}/cred`)
  assert.equal(await to({ service_student_id: other.studentId }), '/parents')
  assert.equal(await to({ service_student_id: '../../etc', product_type: 'gold' }), '/parents')
})

test('the way back is a link with its host in sight, and only to where a browser may be sent', async () => {
  const { user } = await parentOf()
  const home = async (callback_url: string): Promise<string> => {
    const visitor = new Visitor(url)
    return (await visitor.open(entrance(await tokenOf(user), { callback_url }))).text
  }
  assert.match(
    await home('https://erp.example.in/home?x=1'),
    /href="https:\/\/erp\.example\.in\/home\?x=1"[^>]*>Back to erp\.example\.in</,
  )
  for (const bad of [
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    'https://erp.example.in@evil.example/',
    'https://erp.example.in/\u0000',
    'https://erp.example.in/\u202e',
    'x',
  ])
    assert.doesNotMatch(await home(bad), /Back to/)
})
