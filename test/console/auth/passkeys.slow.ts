import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { purgeSessions } from '../../../src/console/auth/sessions.service.ts'
import { resetPassword } from '../../../src/console/auth/users.service.ts'
import { Authenticator } from '../../harness/authenticator.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Answer } from '../../harness/client.ts'
import { API, assertAnswer, createPerson, PASSWORD, tokenOf, Visitor } from '../support.ts'

/** Passkeys are of the site that PUBLIC_URL names, wherever the server listens. */
const SITE = 'http://localhost:8080'
const bursar = await startBursar({ after }, { PUBLIC_URL: SITE })
const { url } = bursar
let count = 0

async function somebody(): Promise<{ email: string; visitor: Visitor }> {
  const email = `key-${++count}@school.example`
  return { email, visitor: await createPerson(bursar, { email, institute: 'demo-school' }) }
}

async function startOf(visitor: Visitor): Promise<string> {
  const answer = await visitor.post(`${API}/account/passkeys/options`, { password: PASSWORD })
  assertAnswer(answer, '200')
  return answer.body.data.options
}

async function add(visitor: Visitor, key = new Authenticator(SITE), name = 'My phone'): Promise<Answer> {
  return visitor.post(`${API}/account/passkeys`, { name, passkey: key.register(await startOf(visitor)) })
}

async function somebodyWithKey(): Promise<{
  email: string
  visitor: Visitor
  key: Authenticator
  codes: string[]
}> {
  const person = await somebody()
  const key = new Authenticator(SITE)
  const added = await add(person.visitor, key)
  assertAnswer(added, '201')
  return { ...person, key, codes: added.body.data.recovery_codes }
}

const send = (email: string, more: object = {}) =>
  new Visitor(url).post(`${API}/session`, { email, password: PASSWORD, ...more })

async function askedOf(email: string): Promise<string> {
  const asked = await send(email)
  assert.equal(asked.body.data.state, 'code_needed', asked.text)
  return asked.body.data.passkey_options
}

async function signInAlone(answer: (options: string) => string): Promise<Answer> {
  const visitor = new Visitor(url)
  const { body } = await visitor.post(`${API}/session/passkey/options`)
  return visitor.post(`${API}/session/passkey`, { passkey: answer(body.data.options) })
}

test('a passkey is added for the password, and signing in then takes it or a recovery code', async () => {
  const { email, visitor } = await somebody()
  assertAnswer(await visitor.post(`${API}/account/passkeys/options`, {}), '400 HUE00000')
  assertAnswer(await visitor.post(`${API}/account/passkeys/options`, { password: 'wrong' }), '400 HUE00000')
  const key = new Authenticator(SITE)
  const added = await add(visitor, key)
  assertAnswer(added, '201')
  assert.equal(added.body.data.recovery_codes.length, 10)
  const asked = await send(email)
  const { passkey_options: options, ...rest } = asked.body.data
  assert.deepEqual(rest, { state: 'code_needed', only_passkeys: true })
  assert.equal(asked.headers.get('set-cookie'), null)
  assert.equal(JSON.parse(options).rpId, 'localhost')
  assert.equal(JSON.parse(options).userVerification, 'required')
  const entered = await send(email, { passkey: key.authenticate(options) })
  assert.deepEqual(entered.body.data, { state: 'signed_in' })
  const [code] = added.body.data.recovery_codes
  assertAnswer(await send(email, { code }), '200')
  assertAnswer(await send(email, { code }), '401 AUE00000')
  assertAnswer(await send(email, { code: '123456' }), '401 AUE00000')
})

test('a passkey alone signs in, and a disabled person does not', async () => {
  const { email, key } = await somebodyWithKey()
  const entered = await signInAlone(options => key.authenticate(options))
  assertAnswer(entered, '200')
  assert.match(entered.headers.getSetCookie().join('\n'), /bursar_session=/)
  await bursar.sql('update console_users set disabled_at = now() where email = $1', [email])
  assertAnswer(await signInAlone(options => key.authenticate(options)), '401 AUE00000')
})

test('what a passkey signed is good once, for five minutes, for the purpose and the person it was asked for', async () => {
  const { email, key, visitor } = await somebodyWithKey()
  const other = await somebodyWithKey()
  const answer = key.authenticate(await askedOf(email))
  assertAnswer(await send(email, { passkey: answer }), '200')
  assertAnswer(await send(email, { passkey: answer }), '401 AUE00000')
  const late = key.authenticate(await askedOf(email))
  await bursar.sql(`update console_passkey_challenges set created_at = now() - interval '5 minutes 1 second'`)
  assertAnswer(await send(email, { passkey: late }), '401 AUE00000')
  const asked = await askedOf(email)
  assertAnswer(await signInAlone(() => key.authenticate(asked)), '401 AUE00000')
  assertAnswer(await send(email, { passkey: other.key.authenticate(asked) }), '401 AUE00000')
  const theirs = await askedOf(other.email)
  assertAnswer(await send(email, { passkey: key.authenticate(theirs) }), '401 AUE00000')
  const registration = new Authenticator(SITE).register(await startOf(other.visitor))
  assertAnswer(
    await visitor.post(`${API}/account/passkeys`, { name: 'Not mine', passkey: registration }),
    '400 HUE00000',
  )
  await bursar.sql('delete from console_tries')
  const both = key.authenticate(await askedOf(email))
  const answers = await Promise.all([both, both, both].map(passkey => send(email, { passkey })))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  await bursar.sql('delete from console_tries')
})

test('a passkey of another site, without a finger or PIN, with a counter that fell back, or forged opens nothing', async () => {
  const { email, key, visitor } = await somebodyWithKey()
  const refused = async (passkey: string) => {
    assertAnswer(await send(email, { passkey }), '401 AUE00000')
    await bursar.sql('delete from console_tries')
  }
  await refused(key.authenticate(await askedOf(email), { isVerified: false }))
  key.counter = 0
  assertAnswer(await send(email, { passkey: key.authenticate(await askedOf(email)) }), '200')
  key.counter = 0
  await refused(key.authenticate(await askedOf(email)))
  key.counter = 5
  const asked = JSON.parse(await askedOf(email))
  await refused(key.authenticate(JSON.stringify({ ...asked, rpId: 'evil.example' })))
  const answer = JSON.parse(key.authenticate(await askedOf(email)))
  answer.response.signature = Buffer.from('forged').toString('base64url')
  await refused(JSON.stringify(answer))
  for (const rubbish of ['{}', 'null', 'x', '[]', '{"id":"a","response":{}}', '{"id":1,"response":{}}'])
    await refused(rubbish)
  const phished = new Authenticator('https://fees.example.evil')
  assertAnswer(await add(visitor, phished), '400 HUE00000')
  const unverified = new Authenticator(SITE).register(await startOf(visitor), { isVerified: false })
  assertAnswer(
    await visitor.post(`${API}/account/passkeys`, { name: 'No PIN', passkey: unverified }),
    '400 HUE00000',
  )
})

test('guesses at a passkey count like guesses at a code', async () => {
  const { email, key } = await somebodyWithKey()
  const statuses: number[] = []
  for (let no = 0; no < 6; no++)
    statuses.push((await send(email, { passkey: `{"id":"a${no}","response":{}}` })).status)
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  // The passkey alone cannot be guessed, and nobody's guesses hold it up.
  assertAnswer(await signInAlone(options => key.authenticate(options)), '200')
  await bursar.sql('delete from console_tries')
})

test('several are named, renamed and removed, the last one with its recovery codes', async () => {
  const { email, visitor, key } = await somebodyWithKey()
  assertAnswer(await add(visitor, key), '409 HUE00002')
  const second = await add(visitor, new Authenticator(SITE), 'Office laptop')
  assert.deepEqual(second.body.data.recovery_codes, [], 'those of the first still count')
  const { id } = second.body.data
  assertAnswer(await visitor.send('PATCH', `${API}/account/passkeys/${id}`, { name: 'Laptop' }), '200')
  const named = async () =>
    (await visitor.get(`${API}/account`)).body.data.passkeys.map((one: { name: string }) => one.name)
  assert.deepEqual(await named(), ['My phone', 'Laptop'])
  const remove = (passkey: string, who = visitor) =>
    who.post(`${API}/account/passkeys/${passkey}/remove`, { password: PASSWORD })
  assertAnswer(await visitor.post(`${API}/account/passkeys/${id}/remove`, {}), '400 HUE00000')
  const stranger = await somebody()
  assertAnswer(await remove(id, stranger.visitor), '404 HUE00001')
  assertAnswer(
    await stranger.visitor.send('PATCH', `${API}/account/passkeys/${id}`, { name: 'Mine' }),
    '404 HUE00001',
  )
  assertAnswer(await remove(id), '200')
  assert.deepEqual(await named(), ['My phone'])
  const { body } = await visitor.get(`${API}/account`)
  assertAnswer(await remove(body.data.passkeys[0].id), '200')
  assert.deepEqual((await send(email)).body.data, { state: 'signed_in' })
  const after = (await visitor.get(`${API}/account`)).body.data
  assert.deepEqual([after.passkeys, after.recovery_codes_left], [[], 0])
  const rows = await bursar.sql<{ what: string }>(
    `select what from console_audit where what like 'account.passkey.%' and actor_name = $1 order by id`,
    [email],
  )
  assert.deepEqual(
    rows.map(({ what }) => what.split('.')[2]),
    ['added', 'added', 'renamed', 'removed', 'removed'],
  )
})

const accept = (link: string) =>
  new Visitor(url).post(`${API}/invitations/accept`, {
    token: tokenOf(link),
    password: 'eleven quiet bicycles',
  })

test('a passkey lives through a link for a new password, which does not stand for it', async () => {
  const { email, key } = await somebodyWithKey()
  const { link } = await resetPassword(bursar.app.ctx, email, { dropsFactor: false })
  assert.deepEqual((await accept(link)).body.data, { state: 'sign_in' })
  const password = 'eleven quiet bicycles'
  const asked = await send(email, { password })
  const passkey = key.authenticate(asked.body.data.passkey_options)
  assertAnswer(await send(email, { password, passkey }), '200')
  const dropped = await resetPassword(bursar.app.ctx, email, { dropsFactor: true })
  assert.deepEqual((await accept(dropped.link)).body.data, { state: 'signed_in' })
  assertAnswer(await signInAlone(options => key.authenticate(options)), '401 AUE00000')
})

test('challenges leave after five minutes, and neither they nor passkeys stand in the log', async () => {
  await new Visitor(url).post(`${API}/session/passkey/options`)
  await bursar.sql(`update console_passkey_challenges set created_at = now() - interval '6 minutes'`)
  await purgeSessions(bursar.app.ctx, 1_000)
  assert.deepEqual(await bursar.sql('select from console_passkey_challenges'), [])
  assert.doesNotMatch(bursar.logText(), /clientDataJSON|challenge":/)
})

test('under a bare address there are no passkeys, and the account says so', async t => {
  const bare = await startBursar(t)
  const visitor = await createPerson(bare, { email: 'a@school.example', institute: 'demo-school' })
  assert.equal((await visitor.get(`${API}/account`)).body.data.has_passkey_site, false)
  assertAnswer(await visitor.post(`${API}/account/passkeys/options`, { password: PASSWORD }), '400 HUE00000')
})
