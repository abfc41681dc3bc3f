import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generateSync } from 'otplib'
import { startBursar } from '../../harness/bursar.ts'
import { API, assertAnswer, createPerson, PASSWORD, Visitor } from '../support.ts'

const bursar = await startBursar({ after })
const { url } = bursar
let count = 0

async function somebody(): Promise<{ email: string; visitor: Visitor }> {
  const email = `person-${++count}@school.example`
  return { email, visitor: await createPerson(bursar, { email, institute: 'demo-school' }) }
}

/** The app's code of the step after the last one that was taken, as waiting half a minute would give. */
function codeOf(secret: string, stepsAhead = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + stepsAhead * 30 })
}

async function enrol(visitor: Visitor): Promise<{ secret: string; codes: string[] }> {
  const start = await visitor.post(`${API}/account/totp`, { password: PASSWORD })
  assertAnswer(start, '200')
  const { secret, uri, qr_svg: svg } = start.body.data
  assert.match(uri, /^otpauth:\/\/totp\/Bursar/)
  assert.match(svg, /^<svg/)
  const confirmed = await visitor.post(`${API}/account/totp/confirm`, { code: codeOf(secret, -1) })
  assertAnswer(confirmed, '200')
  return { secret, codes: confirmed.body.data.recovery_codes }
}

test('an app counts once a code has confirmed it; from then on signing in takes a code', async () => {
  const { email, visitor } = await somebody()
  const start = await visitor.post(`${API}/account/totp`, { password: PASSWORD })
  assertAnswer(await new Visitor(url).signIn(email), '200')
  assertAnswer(await visitor.post(`${API}/account/totp/confirm`, { code: '000000' }), '400 HUE00000')
  const confirmed = await visitor.post(`${API}/account/totp/confirm`, {
    code: codeOf(start.body.data.secret, -1),
  })
  assert.equal(confirmed.body.data.recovery_codes.length, 10)
  const asked = await new Visitor(url).signIn(email)
  assert.deepEqual(asked.body.data, { state: 'code_needed' })
  assert.equal(asked.headers.get('set-cookie'), null)
  const secret = start.body.data.secret
  assertAnswer(await new Visitor(url).signIn(email, PASSWORD, '123456'), '401 AUE00000')
  const entered = await new Visitor(url).signIn(email, PASSWORD, codeOf(secret))
  assert.deepEqual(entered.body.data, { state: 'signed_in' })
})

test('a code is good once', async () => {
  const { email, visitor } = await somebody()
  const { secret } = await enrol(visitor)
  const code = codeOf(secret)
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => new Visitor(url).signIn(email, PASSWORD, code)),
  )
  assert.equal(answers.filter(answer => answer.status === 200).length, 1)
  assertAnswer(await new Visitor(url).signIn(email, PASSWORD, code), '401 AUE00000')
})

test('a recovery code signs in once, however it is typed, and is kept as a digest only', async () => {
  const { email, visitor } = await somebody()
  const { codes } = await enrol(visitor)
  const [first = ''] = codes
  const typed = first.toUpperCase().replaceAll('-', ' ')
  assertAnswer(await new Visitor(url).signIn(email, PASSWORD, typed), '200')
  assertAnswer(await new Visitor(url).signIn(email, PASSWORD, first), '401 AUE00000')
  assert.equal((await visitor.get(`${API}/account`)).body.data.recovery_codes_left, 9)
  const renewed = await visitor.post(`${API}/account/recovery-codes`, { password: PASSWORD })
  assert.equal(renewed.body.data.recovery_codes.length, 10)
  assertAnswer(await new Visitor(url).signIn(email, PASSWORD, codes[1]), '401 AUE00000')
  const [row] = await bursar.sql<{ text: string }>(
    `select string_agg(to_jsonb(r)::text, ' ') as text from console_recovery_codes r`,
  )
  assert.ok(!row?.text.includes(renewed.body.data.recovery_codes[0]))
})

test('asking without a code in between gives a guesser of codes no more tries', async () => {
  const { email, visitor } = await somebody()
  await enrol(visitor)
  const statuses: number[] = []
  for (let no = 0; no < 6; no++) {
    await new Visitor(url).signIn(email)
    statuses.push((await new Visitor(url).signIn(email, PASSWORD, `00000${no}`)).status)
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  await bursar.sql('delete from console_tries')
})

test('the secret of an app is sealed in the database', async () => {
  const { visitor } = await somebody()
  const { secret } = await enrol(visitor)
  const rows = await bursar.sql<{ text: string }>('select to_jsonb(u)::text as text from console_users u')
  assert.ok(rows.every(({ text }) => !text.includes(secret)))
})

test('a screen left open does not let others change how its owner signs in', async () => {
  const { visitor } = await somebody()
  for (const path of ['/account/totp', '/account/totp/remove', '/account/recovery-codes']) {
    assertAnswer(await visitor.post(API + path, {}), '400 HUE00000')
    assertAnswer(await visitor.post(API + path, { password: 'not the right one' }), '400 HUE00000')
  }
  const change = { new_password: 'eleven tin drums' }
  assertAnswer(await visitor.post(`${API}/account/password`, change), '400 HUE00000')
  await bursar.sql('delete from console_tries')
})

test('a new password ends all other sessions and the old password', async () => {
  const { email, visitor } = await somebody()
  const other = new Visitor(url)
  await other.signIn(email)
  for (const [bad, text] of [
    ['short', 'at least 12'],
    ['aaaaaaaaaaaaaaaa', 'different characters'],
    ['abcdabcdabcdabcd', 'different characters|repeats'],
    [email, 'close to your e-mail'],
  ]) {
    const answer = await visitor.post(`${API}/account/password`, { password: PASSWORD, new_password: bad })
    assertAnswer(answer, '400 HUE00000')
    assert.match(answer.text, new RegExp(text ?? ''))
  }
  const change = { password: PASSWORD, new_password: 'eleven tin drums' }
  assertAnswer(await visitor.post(`${API}/account/password`, change), '200')
  assertAnswer(await other.get(`${API}/account`), '401 AUE00000')
  assertAnswer(await visitor.get(`${API}/account`), '200')
  assertAnswer(await new Visitor(url).signIn(email), '401 AUE00000')
  assertAnswer(await new Visitor(url).signIn(email, 'eleven tin drums'), '200')
})

test('sessions are listed and ended, one’s own only', async () => {
  const { email, visitor } = await somebody()
  const other = new Visitor(url)
  await other.signIn(email)
  const stranger = (await somebody()).visitor
  const { body } = await visitor.get(`${API}/account/sessions`)
  assert.deepEqual(body.data.map((one: { is_this: boolean }) => one.is_this).toSorted(), [false, true])
  const target = body.data.find((one: { is_this: boolean }) => !one.is_this)
  const path = `${API}/account/sessions/${target.id}`
  assertAnswer(await stranger.send('DELETE', path, {}), '404 HUE00001')
  assertAnswer(await visitor.send('DELETE', path, {}), '200')
  assertAnswer(await other.get(`${API}/account`), '401 AUE00000')
  await other.signIn(email)
  const ended = await visitor.post(`${API}/account/sessions/end-others`)
  assert.deepEqual(ended.body.data, { ended: 1 })
  assertAnswer(await other.get(`${API}/account`), '401 AUE00000')
})

test('a change of one’s own name with the same Idempotency-Key is done once, and a colleague’s same key is another', async () => {
  const key = { 'idempotency-key': 'press-1' }
  const [{ visitor }, { visitor: colleague }] = [await somebody(), await somebody()]
  const first = await visitor.send('PATCH', `${API}/account`, { name: 'Asha Nair' }, key)
  await visitor.send('PATCH', `${API}/account`, { name: 'Asha Rao' })
  const again = await visitor.send('PATCH', `${API}/account`, { name: 'Asha Nair' }, key)
  assert.deepEqual([first.status, again.text], [200, first.text])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal((await visitor.get(`${API}/account`)).body.data.name, 'Asha Rao')
  const theirs = await colleague.send('PATCH', `${API}/account`, { name: 'Meera Iyer' }, key)
  assert.deepEqual([theirs.status, theirs.headers.get('idempotent-replayed')], [200, null])
})

test('what is sent or answered with a secret refuses an Idempotency-Key, so that nothing of it is kept', async () => {
  const { email, visitor } = await somebody()
  const key = { 'idempotency-key': 'press-1' }
  const refused = [
    await visitor.post(`${API}/account/totp`, { password: PASSWORD }, key),
    await visitor.post(`${API}/account/password`, { password: PASSWORD, new_password: 'nine dry maps' }, key),
    await new Visitor(url).post(`${API}/session`, { email, password: PASSWORD }, key),
  ]
  for (const answer of refused) {
    assertAnswer(answer, '400 HUE00000')
    assert.match(answer.text, /takes no Idempotency-Key/)
  }
  assertAnswer(await new Visitor(url).signIn(email), '200')
})
