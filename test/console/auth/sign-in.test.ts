import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { API, assertAnswer, createPerson, demoVisitor, PASSWORD, Visitor } from '../support.ts'

const bursar = await startBursar({ after })
const { url } = bursar
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
await createPerson(bursar, { email: 'asha@school.example', institute: 'demo-school' })

/** Only the message may not differ between two refusals; ids of requests do. */
function essence(answer: { status: number; text: string }): string {
  return `${answer.status} ${answer.text.replace(/"request_id":"\w+"/, '')}`
}

async function letTimePass(): Promise<void> {
  await sql(
    `update console_tries set blocked_until = now() - interval '1 second' where blocked_until is not null`,
  )
}

test('the right password opens a session that says who is there and where they may go', async () => {
  const visitor = new Visitor(url)
  assertAnswer(await visitor.signIn('Asha@School.example '.trim()), '200')
  const { body } = await visitor.greet()
  assert.equal(body.data.signed_in, true)
  assert.equal(body.data.person.email, 'asha@school.example')
  assert.deepEqual(body.data.institutes, [{ code: 'demo-school', name: 'Demo School', role: 'owner' }])
  assert.match(visitor.cookie ?? '', /^bursar_session=[\w-]{43}$/)
  assertAnswer(await visitor.get(`${API}/institutes/demo-school/home`), '200')
})

test('the cookie is kept from scripts and from other sites, and is not stored as it is', async () => {
  const visitor = new Visitor(url)
  const answer = await visitor.post(`${API}/session`, { email: 'asha@school.example', password: PASSWORD })
  const cookie = answer.headers.get('set-cookie') ?? ''
  assert.match(cookie, /; Path=\/; HttpOnly; SameSite=Lax$/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const secret = /=([^;]+)/.exec(cookie)?.[1] ?? ''
  const rows = await sql<{ row: string }>('select to_jsonb(s)::text as row from console_sessions s')
  assert.ok(rows.length > 0 && rows.every(({ row }) => !row.includes(secret)))
})

test('a wrong password, a person without one and nobody at all are answered alike, after as much work', async () => {
  const refusals: string[] = []
  const works: number[] = []
  for (const email of ['asha@school.example', 'bursar@demo-school.example', 'nobody@school.example']) {
    const began = process.cpuUsage()
    refusals.push(essence(await new Visitor(url).signIn(email, 'not the right one')))
    works.push(process.cpuUsage(began).user)
  }
  assert.equal(new Set(refusals).size, 1, refusals.join('\n'))
  assert.match(refusals[0] ?? '', /^401 .*AUE00000/)
  // A password is looked at in each case; without that an unknown person would be answered in a fraction of the time.
  assert.ok(Math.min(...works) > Math.max(...works) / 5, works.join(', '))
  const challenged = await new Visitor(url).signIn('nobody@school.example', 'x')
  assert.equal(challenged.headers.get('www-authenticate'), null, 'or the browser shows a dialogue of its own')
})

test('after five failures an address has to wait, each time longer, whether or not it is somebody’s', async () => {
  await createPerson(bursar, { email: 'locked@school.example', institute: 'demo-school' })
  for (const email of ['locked@school.example', 'unknown@school.example']) {
    for (let no = 0; no < 5; no++)
      assertAnswer(await new Visitor(url).signIn(email, 'wrong guess'), '401 AUE00000')
    const blocked = await new Visitor(url).signIn(email)
    assertAnswer(blocked, '429 RLE00000')
    const first = Number(blocked.headers.get('retry-after'))
    assert.ok(first > 20 && first <= 30, String(first))
    await letTimePass()
    assertAnswer(await new Visitor(url).signIn(email, 'wrong again'), '401 AUE00000')
    const later = Number((await new Visitor(url).signIn(email)).headers.get('retry-after'))
    assert.ok(later > 50 && later <= 60, String(later))
    await letTimePass()
  }
  assertAnswer(await new Visitor(url).signIn('locked@school.example'), '200')
  assertAnswer(await new Visitor(url).signIn('locked@school.example', 'a new mistake'), '401 AUE00000')
})

test('many guesses at once are not all looked at', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => new Visitor(url).signIn('storm@school.example', 'guess')),
  )
  assert.equal(answers.filter(answer => answer.status === 401).length, 5)
  assert.equal(answers.filter(answer => answer.status === 429).length, 15)
  await letTimePass()
})

test('one network address that tries many people has to wait as well', async () => {
  await sql('delete from console_tries')
  const statuses: number[] = []
  for (let no = 0; no < 31; no++) {
    statuses.push((await new Visitor(url).signIn(`guess-${no}@school.example`, 'x')).status)
  }
  assert.equal(statuses.filter(status => status === 401).length, 30)
  assert.equal(statuses.at(-1), 429)
  assertAnswer(await new Visitor(url).signIn('asha@school.example'), '429 RLE00000')
  await sql('delete from console_tries')
})

/** What anybody on the internet can do to an address. */
async function guessAt(email: string): Promise<void> {
  for (let no = 0; no < 6; no++) await new Visitor(url).signIn(email, `guess ${no}`)
  assertAnswer(await new Visitor(url).signIn(email), '429 RLE00000')
}

test('strangers who guess lock nobody out of a device that has signed in before', async () => {
  const email = 'known@school.example'
  const device = await createPerson(bursar, { email, institute: 'demo-school' })
  await device.send('DELETE', `${API}/session`)
  await guessAt(email)
  assertAnswer(await device.signIn(email), '200')
  await sql(
    `update console_tries set blocked_until = now() + interval '1 hour' where subject like 'network %'`,
  )
  assertAnswer(await device.signIn(email), '200')
  assertAnswer(await new Visitor(url).signIn(email), '429 RLE00000')
  // Who is signed in proves it is them although somebody guesses.
  const renewed = { password: PASSWORD, new_password: 'eleven quiet bicycles' }
  assertAnswer(await device.post(`${API}/account/password`, renewed), '200')
  await sql('delete from console_tries')
})

test('a device is known of the people who signed in with it, and its own guesses count', async () => {
  const [mine, other] = ['mine@school.example', 'other@school.example']
  const device = await createPerson(bursar, { email: mine, institute: 'demo-school' })
  await createPerson(bursar, { email: other, institute: 'demo-school' })
  await guessAt(other)
  assertAnswer(await device.signIn(other), '429 RLE00000')
  await sql('delete from console_tries')
  assertAnswer(await device.signIn(other), '200')
  await guessAt(mine)
  for (const email of [mine, other]) assertAnswer(await device.signIn(email), '200')
  for (let no = 0; no < 5; no++) assertAnswer(await device.signIn(mine, 'wrong'), '401 AUE00000')
  assertAnswer(await device.signIn(mine), '429 RLE00000')
  assertAnswer(await device.signIn(other), '200')
  const planted = new Visitor(url)
  planted.device = `bursar_device=${'a'.repeat(43)}`
  await sql('delete from console_tries')
  await planted.signIn(mine)
  assert.notEqual(planted.device, `bursar_device=${'a'.repeat(43)}`, 'one that we never gave is replaced')
  const rows = await sql<{ row: string }>('select to_jsonb(d)::text as row from console_devices d')
  assert.ok(rows.every(({ row }) => !row.includes(device.device?.split('=')[1] ?? '')))
})

async function mailedCodes(email: string): Promise<string[]> {
  await bursar.demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
  const { body } = await bursar.demo.get(`/api/v1/sandbox/mailbox?to=${email}`)
  return body.data.map((mail: { text: string }) => /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/m.exec(mail.text)?.[0])
}

test('a code by mail ends the wait, once, with the right password and for its own address alone', async () => {
  const email = 'waiting@school.example'
  await createPerson(bursar, { email, institute: 'demo-school' })
  await guessAt(email)
  const ask = (to: string) => new Visitor(url).post(`${API}/session/unlock`, { email: to })
  const [asked, unknown] = [await ask(email), await ask('nobody@school.example')]
  assertAnswer(asked, '200')
  assert.equal(asked.text, unknown.text)
  assertAnswer(await ask(email), '200')
  const codes = await mailedCodes(email)
  assert.equal(codes.length, 1, 'asked again at once, the mail on its way is enough')
  assert.deepEqual(await mailedCodes('nobody@school.example'), [])
  const [code = ''] = codes
  const enter = (changes: object) =>
    new Visitor(url).post(`${API}/session`, { email, password: PASSWORD, mail_code: code, ...changes })
  assertAnswer(await enter({ mail_code: 'aaaa-aaaa-aaaa-aaaa' }), '400 HUE00000')
  assertAnswer(await enter({ email: 'asha@school.example' }), '400 HUE00000')
  assertAnswer(await enter({ password: 'wrong' }), '401 AUE00000')
  assertAnswer(await new Visitor(url).signIn(email), '429 RLE00000')
  assertAnswer(await enter({ mail_code: code.toUpperCase().replaceAll('-', ' ') }), '200')
  assertAnswer(await new Visitor(url).signIn(email), '200')
  assertAnswer(await enter({}), '400 HUE00000')
  assertAnswer(await new Visitor(url).post(`${API}/session/forgot`, { email }), '200')
  await sql('delete from console_tries')
})

test('guesses at a code of the app are limited for the reader of a mailed code too', async () => {
  const email = 'coded@school.example'
  await createPerson(bursar, { email, institute: 'demo-school' })
  await new Visitor(url).post(`${API}/session/unlock`, { email })
  const [code] = await mailedCodes(email)
  const statuses: number[] = []
  for (let no = 0; no < 6; no++) {
    const sent = { email, password: `guess ${no}`, mail_code: code }
    statuses.push((await new Visitor(url).post(`${API}/session`, sent)).status)
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
})

test('signing in makes a new session and ends the one it came with', async () => {
  const visitor = new Visitor(url)
  await visitor.signIn('asha@school.example')
  const planted = visitor.cookie
  await visitor.signIn('asha@school.example')
  assert.notEqual(visitor.cookie, planted)
  const thief = new Visitor(url)
  thief.cookie = planted
  assertAnswer(await thief.get(`${API}/account`), '401 AUE00000')
})

test('a session id that nobody was given opens nothing, before and after a sign-in', async () => {
  const visitor = new Visitor(url)
  visitor.cookie = `bursar_session=${'a'.repeat(43)}`
  await visitor.signIn('asha@school.example')
  assert.notEqual(visitor.cookie, `bursar_session=${'a'.repeat(43)}`)
  const thief = new Visitor(url)
  thief.cookie = `bursar_session=${'a'.repeat(43)}`
  assertAnswer(await thief.get(`${API}/account`), '401 AUE00000')
})

test('a session ends when it was not used for two hours, and when it is a day old', async () => {
  for (const [column, age] of [
    ['last_seen_at', '2 hours'],
    ['created_at', '24 hours'],
  ]) {
    const visitor = await createPerson(bursar, {
      email: `${column}@school.example`,
      institute: 'demo-school',
    })
    const { body } = await visitor.get(`${API}/account/sessions`)
    const { id } = body.data[0]
    await sql(
      `update console_sessions set ${column} = now() - interval '${age}' + interval '1 minute' where id = $1`,
      [id],
    )
    assertAnswer(await visitor.get(`${API}/account`), '200')
    await sql(`update console_sessions set ${column} = now() - interval '${age}' where id = $1`, [id])
    assertAnswer(await visitor.get(`${API}/account`), '401 AUE00000')
  }
})

test('signing out ends the session for every copy of its cookie', async () => {
  const visitor = new Visitor(url)
  await visitor.signIn('asha@school.example')
  const copy = new Visitor(url)
  copy.cookie = visitor.cookie
  assertAnswer(await visitor.send('DELETE', `${API}/session`), '200')
  assert.equal(visitor.cookie, null)
  assertAnswer(await copy.get(`${API}/account`), '401 AUE00000')
})

test('a write needs the token of its session and a page of ours', async () => {
  const visitor = new Visitor(url)
  await visitor.signIn('asha@school.example')
  const other = new Visitor(url)
  await other.signIn('asha@school.example')
  const rename = (headers: Record<string, string>) =>
    visitor.send('PATCH', `${API}/account`, { name: 'Asha R' }, headers)
  assertAnswer(await rename({ 'x-csrf': '' }), '403 AUE00001')
  assertAnswer(await rename({ 'x-csrf': other.csrf ?? '' }), '403 AUE00001')
  assertAnswer(await rename({ origin: 'https://evil.example' }), '403 AUE00001')
  assertAnswer(await rename({ origin: 'null' }), '403 AUE00001')
  assertAnswer(await rename({ origin: url.replace('http:', 'https:') }), '403 AUE00001')
  assertAnswer(await rename({ origin: `${url}.evil.example` }), '403 AUE00001')
  assert.equal((await visitor.get(`${API}/account`)).body.data.name, 'Asha Rao')
  assertAnswer(await rename({}), '200')
  assert.equal((await visitor.get(`${API}/account`)).body.data.name, 'Asha R')
})

test('signing in from a page of somebody else’s is refused', async () => {
  const answer = await new Visitor(url).post(
    `${API}/session`,
    { email: 'asha@school.example', password: PASSWORD },
    { origin: 'https://evil.example' },
  )
  assertAnswer(answer, '403 AUE00001')
  assert.equal(answer.headers.get('set-cookie'), null)
})

test('an API key is no session, and a session is no API key', async () => {
  assertAnswer(await bursar.demo.get(`${API}/account`), '401 AUE00000')
  const visitor = await demoVisitor(url)
  assertAnswer(await visitor.get('/api/v1/integrations/pay/orders'), '401 AUE00000')
})

test('one click signs in a demo person, and nobody else', async () => {
  const visitor = await demoVisitor(url, 'operator@bursar.example')
  const { body } = await visitor.greet()
  assert.equal(body.data.person.is_operator, true)
  assert.deepEqual(
    body.data.institutes.map((one: { code: string; role: string }) => `${one.code} ${one.role}`),
    ['demo-group operator', 'demo-school operator'],
  )
  assertAnswer(
    await new Visitor(url).post(`${API}/session/demo`, { email: 'asha@school.example' }),
    '404 HUE00001',
  )
})

test('every sign-in stands in the log of the installation', async () => {
  const rows = await sql<{ actor_name: string }>(
    `select actor_name from console_audit where institute_id = 0 and what = 'session.started'`,
  )
  assert.ok(rows.some(row => row.actor_name === 'asha@school.example'))
  await assert.rejects(sql(`update console_audit set actor_name = 'x'`), /append-only/)
  await assert.rejects(sql('delete from console_audit'), /append-only/)
})
