import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generateSync } from 'otplib'
import { purgeSessions } from '../../../src/console/auth/sessions.service.ts'
import { Authenticator } from '../../harness/authenticator.ts'
import { startBursar } from '../../harness/bursar.ts'
import { API, assertAnswer, createPerson, PASSWORD, Visitor } from '../support.ts'

const SITE = 'http://localhost:8080'
const bursar = await startBursar({ after }, { PUBLIC_URL: SITE, TRUST_PROXY: '127.0.0.1' })
const { url, sql } = { url: bursar.url, sql: bursar.sql.bind(bursar) }
const EMAIL = 'asha@school.example'
const from = (ip: string, agent = 'A browser') => ({ 'x-forwarded-for': ip, 'user-agent': agent })
const enter = (more: object = {}, ip = '203.0.113.7') =>
  new Visitor(url, from(ip)).post(`${API}/session`, { email: EMAIL, password: PASSWORD, ...more })

test('the history shows each sign-in with time, address, browser and way, the refused ones too, and nobody else’s', async () => {
  const visitor = await createPerson(bursar, { email: EMAIL, institute: 'demo-school' })
  const other = await createPerson(bursar, { email: 'other@school.example', institute: 'demo-school' })
  assertAnswer(await enter({ password: 'wrong' }, '198.51.100.9'), '401 AUE00000')
  assertAnswer(await enter(), '200')
  const start = await visitor.post(`${API}/account/totp`, { password: PASSWORD })
  const { secret } = start.body.data
  const code = (steps: number) => generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 })
  const confirmed = await visitor.post(`${API}/account/totp/confirm`, { code: code(-1) })
  assertAnswer(await enter({ code: '000000' }), '401 AUE00000')
  assertAnswer(await enter({ code: code(0) }), '200')
  assertAnswer(await enter({ code: confirmed.body.data.recovery_codes[0] }), '200')
  const key = new Authenticator(SITE)
  const options = await visitor.post(`${API}/account/passkeys/options`, { password: PASSWORD })
  const passkey = key.register(options.body.data.options)
  assertAnswer(await visitor.post(`${API}/account/passkeys`, { name: 'Phone', passkey }), '201')
  const asked = await enter()
  assertAnswer(await enter({ passkey: key.authenticate(asked.body.data.passkey_options) }), '200')
  const alone = new Visitor(url, from('203.0.113.8'))
  const { body: offered } = await alone.post(`${API}/session/passkey/options`)
  const answer = { passkey: key.authenticate(offered.data.options) }
  assertAnswer(await alone.post(`${API}/session/passkey`, answer), '200')
  // What nobody asked for leaves no trace, or anybody could fill the history.
  assertAnswer(await new Visitor(url).post(`${API}/session/passkey`, answer), '401 AUE00000')
  key.counter = 0
  const copied = new Visitor(url)
  const { body: again } = await copied.post(`${API}/session/passkey/options`)
  const copy = { passkey: key.authenticate(again.data.options) }
  assertAnswer(await copied.post(`${API}/session/passkey`, copy), '401 AUE00000')

  const { body } = await visitor.get(`${API}/account/sign-ins`)
  const seen = body.data.map((one: { by?: string; is_refused: boolean }) => one.by ?? one.is_refused)
  assert.deepEqual(seen, [
    true,
    'passkey',
    'password and passkey',
    'password and recovery code',
    'password and app',
    true,
    'password',
    true,
    'one-time link',
  ])
  assert.deepEqual([body.data[1].ip, body.data[1].agent], ['203.0.113.8', 'A browser'])
  assert.equal(body.data[7].ip, '198.51.100.9')
  assert.ok(Math.abs(Date.parse(body.data[0].at) - Date.now()) < 60_000)
  assert.equal((await other.get(`${API}/account/sign-ins`)).body.data.length, 1)
  const rows = await sql<{ text: string }>('select to_jsonb(s)::text as text from console_sign_ins s')
  assert.ok(rows.every(({ text }) => !text.includes(PASSWORD) && !text.includes(secret)))
})

test('a try at an address that nobody has is kept for nobody to see, and leaves after two days, others after ninety', async () => {
  await new Visitor(url).signIn('nobody@school.example', 'x')
  const count = async (where: string) =>
    (await sql<{ n: number }>(`select count(*)::int as n from console_sign_ins where ${where}`))[0]?.n ?? 0
  assert.equal(await count('user_id is null'), 1)
  const all = await count('true')
  await sql(`update console_sign_ins set at = now() - interval '49 hours'`)
  await purgeSessions(bursar.app.ctx, 1_000)
  assert.deepEqual([await count('user_id is null'), await count('true')], [0, all - 1])
  await sql(`update console_sign_ins set at = now() - interval '91 days'`)
  await purgeSessions(bursar.app.ctx, 1_000)
  assert.equal(await count('true'), 0)
})

test('“sign out everywhere” ends every session of the person and no other’s, and no browser is known any more', async () => {
  const email = 'busy@school.example'
  const visitor = await createPerson(bursar, { email, institute: 'demo-school' })
  const colleague = await createPerson(bursar, {
    email: 'colleague@school.example',
    institute: 'demo-school',
  })
  const second = new Visitor(url)
  await second.signIn(email)
  const cookies = [visitor.cookie, second.cookie]
  const ended = await visitor.post(`${API}/account/sessions/end-all`)
  assert.equal(ended.body.data.ended, 2)
  assert.equal(visitor.cookie, null)
  for (const cookie of cookies) {
    const copy = new Visitor(url)
    copy.cookie = cookie
    assertAnswer(await copy.get(`${API}/account`), '401 AUE00000')
  }
  assertAnswer(await colleague.get(`${API}/account`), '200')
  assert.deepEqual(
    await sql('select from console_devices d join console_users u on u.id = d.user_id where u.email = $1', [
      email,
    ]),
    [],
  )
  const [note] = await sql<{ after: object }>(
    `select after from console_audit where what = 'sessions.ended' and actor_name = $1`,
    [email],
  )
  assert.deepEqual(note?.after, { ended: 2, everywhere: true })
})
