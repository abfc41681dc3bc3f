import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { purgeSecrets, sendMessages } from '../../../src/messages/messages.service.ts'
import { runUntilDone, Slots } from '../../../src/platform/jobs/job.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { advance } from '../../messages/support.ts'
import { API, assertAnswer, createPerson, demoVisitor, PASSWORD, tokenOf, Visitor } from '../support.ts'

const bursar = await startBursar({ after })
const { url } = bursar
const SCHOOL = `${API}/institutes/demo-school`
const owner = await demoVisitor(url)

/** The link in the newest mail to an address. */
async function mailedToken(to: string): Promise<string> {
  await advance(bursar)
  const { body } = await bursar.demo.get(`/api/v1/sandbox/mailbox?to=${to}`)
  return tokenOf(body.data[0]?.text ?? '')
}

function look(token: string): Promise<Answer> {
  return new Visitor(url).post(`${API}/invitations/look`, { token })
}

async function idOf(visitor: Visitor): Promise<string> {
  return (await visitor.greet()).body.data.person.id
}

async function auditOf(what: string): Promise<Json[]> {
  return (await owner.get(`${SCHOOL}/audit?what=${what}`)).body.data
}

test('an invitation goes by mail, is good once, and makes its reader a member', async () => {
  const sent = await owner.post(`${SCHOOL}/team/invitations`, {
    email: 'Meera@School.example',
    role: 'finance',
  })
  assertAnswer(sent, '201')
  assert.doesNotMatch(sent.text, /console\/join/, 'the inviter does not see the link')
  const token = await mailedToken('meera@school.example')
  const visitor = new Visitor(url)
  const look = await visitor.post(`${API}/invitations/look`, { token })
  assert.deepEqual(
    [look.body.data.email, look.body.data.institute, look.body.data.role, look.body.data.chooses_password],
    ['meera@school.example', 'Demo School', 'finance', true],
  )
  const accept = { token, name: 'Meera Iyer', password: PASSWORD }
  assertAnswer(await visitor.post(`${API}/invitations/accept`, accept), '200')
  const { body } = await visitor.greet()
  assert.deepEqual(body.data.institutes, [{ code: 'demo-school', name: 'Demo School', role: 'finance' }])
  assertAnswer(await new Visitor(url).post(`${API}/invitations/accept`, accept), '404 HUE00001')
  assertAnswer(await new Visitor(url).signIn('meera@school.example'), '200')
  const [entry] = await auditOf('team.invited')
  assert.equal(entry.actor.name, 'bursar@demo-school.example')
  assert.deepEqual(entry.after, { email: 'meera@school.example', role: 'finance' })
})

test('many at once accept an invitation once', async () => {
  await owner.post(`${SCHOOL}/team/invitations`, { email: 'race@school.example', role: 'viewer' })
  const token = await mailedToken('race@school.example')
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, no) =>
      new Visitor(url).post(`${API}/invitations/accept`, { token, name: `Race ${no}`, password: PASSWORD }),
    ),
  )
  assert.equal(answers.filter(answer => answer.status === 200).length, 1)
  const users = await bursar.sql(`select from console_users where email = 'race@school.example'`)
  assert.equal(users.length, 1)
})

test('a link that ran out, was withdrawn or was followed by another opens nothing', async () => {
  const invite = async (email: string): Promise<string> => {
    const { body } = await owner.post(`${SCHOOL}/team/invitations`, { email, role: 'viewer' })
    return body.data.id
  }
  const late = await invite('late@school.example')
  const lateToken = await mailedToken('late@school.example')
  assertAnswer(await look(lateToken), '200')
  await bursar.sql('update console_invitations set expires_at = now() where id = $1', [late])
  assertAnswer(await look(lateToken), '404 HUE00001')

  const withdrawn = await invite('withdrawn@school.example')
  const withdrawnToken = await mailedToken('withdrawn@school.example')
  assertAnswer(await owner.send('DELETE', `${SCHOOL}/team/invitations/${withdrawn}`, {}), '200')
  assertAnswer(await look(withdrawnToken), '404 HUE00001')

  await invite('twice@school.example')
  const first = await mailedToken('twice@school.example')
  await invite('twice@school.example')
  assertAnswer(await look(first), '404 HUE00001')
  assertAnswer(await look(await mailedToken('twice@school.example')), '200')
  assertAnswer(await look('x'.repeat(43)), '404 HUE00001')
})

test('somebody who has a password joins with the link and signs in with the password', async () => {
  await createPerson(bursar, { email: 'busy@school.example', institute: 'demo-group' })
  await owner.post(`${SCHOOL}/team/invitations`, { email: 'busy@school.example', role: 'developer' })
  const token = await mailedToken('busy@school.example')
  const visitor = new Visitor(url)
  const taken = await visitor.post(`${API}/invitations/accept`, { token, password: 'another long password' })
  assert.deepEqual(taken.body.data, { state: 'sign_in' })
  assert.equal(visitor.cookie, null)
  assertAnswer(await new Visitor(url).signIn('busy@school.example', 'another long password'), '401 AUE00000')
  await visitor.signIn('busy@school.example')
  const { body } = await visitor.greet()
  assert.equal(body.data.institutes.length, 2)
})

test('a role changes from the next request on, and the log says from what to what and why', async () => {
  const viewer = await createPerson(bursar, {
    email: 'changes@school.example',
    institute: 'demo-school',
    role: 'viewer',
  })
  const { body } = await viewer.greet()
  assertAnswer(await viewer.get(`${SCHOOL}/audit`), '403 AUE00001')
  const path = `${SCHOOL}/team/members/${body.data.person.id}`
  assertAnswer(await owner.send('PATCH', path, { role: 'owner' }), '400 HUE00000')
  assertAnswer(await owner.send('PATCH', path, { role: 'owner', reason: 'Runs the office now' }), '200')
  assertAnswer(await viewer.get(`${SCHOOL}/audit`), '200')
  const [entry] = await auditOf('team.role.changed')
  assert.equal(entry.why, 'Runs the office now')
  assert.equal(entry.before.role, 'viewer')
  assert.equal(entry.after.role, 'owner')
  assertAnswer(await owner.send('DELETE', path, { reason: 'Left' }), '200')
  assertAnswer(await viewer.get(`${SCHOOL}/home`), '404 HUE00001')
})

test('the last owner stays, also when two owners remove each other at once', async () => {
  const group = `${API}/institutes/demo-group`
  const one = await demoVisitor(url, 'bursar@demo-group.example')
  const other = await createPerson(bursar, { email: 'second@group.example', institute: 'demo-group' })
  await bursar.sql(
    `delete from console_memberships m using institutes i where i.id = m.institute_id and i.code = 'demo-group'
     and m.user_id not in (select id from console_users where email in ('bursar@demo-group.example', 'second@group.example'))`,
  )
  const [first, second] = [await idOf(one), await idOf(other)]
  const answers = await Promise.all([
    one.send('DELETE', `${group}/team/members/${second}`, { reason: 'x' }),
    other.send('DELETE', `${group}/team/members/${first}`, { reason: 'x' }),
  ])
  assert.equal(answers.filter(answer => answer.status === 200).length, 1)
  const operator = await demoVisitor(url, 'operator@bursar.example')
  const { body } = await operator.get(`${group}/team`)
  const [left] = body.data.members
  assertAnswer(
    await operator.send('PATCH', `${group}/team/members/${left.user_id}`, { role: 'viewer', reason: 'x' }),
    '409 HUE00002',
  )
})

test('an act and its entry in the log are there together or not at all', async () => {
  await bursar.sql(`create function break_audit() returns trigger language plpgsql as
    $$ begin raise exception 'the log is full'; end $$`)
  await bursar.sql(
    'create trigger break_audit before insert on console_audit for each row execute function break_audit()',
  )
  const answer = await owner.post(`${SCHOOL}/team/invitations`, {
    email: 'never@school.example',
    role: 'viewer',
  })
  assert.equal(answer.status, 500)
  await bursar.sql('drop trigger break_audit on console_audit')
  const rows = await bursar.sql(`select from console_invitations where email = 'never@school.example'`)
  assert.equal(rows.length, 0)
})

test('the same write with the same Idempotency-Key is done once and stands in the log once', async () => {
  const key = { 'idempotency-key': 'press-1' }
  const body = { email: 'once@school.example', role: 'viewer' }
  const first = await owner.post(`${SCHOOL}/team/invitations`, body, key)
  const again = await owner.post(`${SCHOOL}/team/invitations`, body, key)
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const entries = (await auditOf('team.invited')).filter((one: Json) => one.after.email === body.email)
  assert.equal(entries.length, 1)
})

test('the log is read by pages and by filters, newest first', async () => {
  const all: Json[] = []
  let cursor = ''
  do {
    const { body } = await owner.get(`${SCHOOL}/audit?limit=3${cursor}`)
    assert.ok(body.data.length <= 3)
    all.push(...body.data)
    cursor = body.has_more ? `&cursor=${body.next_cursor}` : ''
  } while (cursor !== '')
  assert.ok(all.length > 6)
  const ids: string[] = all.map(entry => entry.id)
  assert.deepEqual(ids, ids.toSorted().toReversed())
  const { about } = all[0]
  const found = (await owner.get(`${SCHOOL}/audit?about=${about}`)).body.data
  assert.ok(found.length >= 1 && found.every((entry: Json) => entry.about === about))
  const future = (await owner.get(`${SCHOOL}/audit?from=2040-01-01`)).body.data
  assert.deepEqual(future, [])
})

test('a forgotten password is renewed by mail, and the answer does not say whether there is such a person', async () => {
  await createPerson(bursar, { email: 'forgot@school.example', institute: 'demo-school' })
  const known = await new Visitor(url).post(`${API}/session/forgot`, { email: 'forgot@school.example' })
  const unknown = await new Visitor(url).post(`${API}/session/forgot`, { email: 'no-one@school.example' })
  assert.equal(known.text, unknown.text)
  const token = await mailedToken('forgot@school.example')
  const visitor = new Visitor(url)
  assertAnswer(
    await visitor.post(`${API}/invitations/accept`, { token, password: 'fourteen wet umbrellas' }),
    '200',
  )
  assertAnswer(await new Visitor(url).signIn('forgot@school.example'), '401 AUE00000')
  assertAnswer(await new Visitor(url).signIn('forgot@school.example', 'fourteen wet umbrellas'), '200')
})

test('a link by mail is not stored as text, and not at all once it is used, replaced or has run out', async () => {
  const stored = async (to: string): Promise<{ text: string; isErased: boolean }[]> =>
    bursar.sql(
      `select to_jsonb(m)::text as text, secret_sealed is null as "isErased" from messages m
       where recipient = $1 order by id`,
      [to],
    )
  const inviteAs = (email: string) =>
    owner.post(`${SCHOOL}/team/invitations`, { email, role: 'viewer' }, { 'idempotency-key': email })
  const [used, replaced, expired] = [
    'link-used@school.example',
    'link-replaced@school.example',
    'link-late@school.example',
  ]
  for (const email of [used, replaced, expired]) {
    assertAnswer(await inviteAs(email), '201')
    const token = await mailedToken(email)
    assert.match(token, /^[\w-]{43}$/)
    const [row] = await stored(email)
    assert.ok(row !== undefined && !row.isErased && !row.text.includes(token))
    const kept = await bursar.sql('select from idempotency_keys where strpos(body, $1) > 0', [token])
    assert.deepEqual(kept, [])
  }
  const accept = { token: await mailedToken(used), name: 'Used', password: PASSWORD }
  assertAnswer(await new Visitor(url).post(`${API}/invitations/accept`, accept), '200')
  assertAnswer(await owner.post(`${SCHOOL}/team/invitations`, { email: replaced, role: 'finance' }), '201')
  await bursar.sql(`update messages set secret_until = now() where recipient = $1`, [expired])
  assert.equal(await purgeSecrets(bursar.app.ctx, 10), 1)
  const erased = async (to: string) => (await stored(to)).map(({ isErased }) => isErased)
  assert.deepEqual(await Promise.all([used, replaced, expired].map(erased)), [[true], [true, false], [true]])
  const { body } = await bursar.demo.get(`/api/v1/sandbox/mailbox?to=${used}`)
  assert.match(body.data[0].text, /Open this link to join:\n\(erased\)\n/)
})

test('live mode does not keep a link that it has sent', async () => {
  const email = 'live@school.example'
  assertAnswer(await owner.post(`${SCHOOL}/team/invitations`, { email, role: 'viewer' }), '201')
  const ctx = { ...bursar.app.ctx, mode: 'live' } as const
  await runUntilDone(sendMessages(ctx), new Slots({ size: 5, timeLimitMs: 60_000 }))
  const rows = await bursar.sql('select state, secret_sealed from messages where recipient = $1', [email])
  assert.deepEqual(rows, [{ state: 'sent', secret_sealed: null }])
})
