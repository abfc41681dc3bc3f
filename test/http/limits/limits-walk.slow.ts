import assert from 'node:assert/strict'
import { after, suite, test, type TestContext } from 'node:test'
import type { FastifyReply } from 'fastify'
import { RateLimiter } from '../../../src/http/limits/rate-limits.ts'
import { createKey } from '../../../src/institutes/keys.service.ts'
import { ATTACK, LIMITS, type LimitName } from '../../../src/platform/rate-limits.rules.ts'
import { API, createPerson, demoVisitor, PASSWORD, Visitor as Colleague } from '../../console/support.ts'
import { startBursar, type TestBursar } from '../../harness/bursar.ts'
import { Client, DEMO } from '../../harness/client.ts'
import { PAY } from '../../harness/samples.ts'
import { Visitor } from '../../harness/visitor.ts'
import { openUnit } from '../../bharat-connect/support.ts'
import { createPage } from '../../payment-pages/support.ts'
import { register, unique } from '../support.ts'

/**
 * Every limit of the table, used up by one stranger: whoever else comes gets in. A limit that is added to the table does not
 * compile here before somebody has said how it is used up and whom it spares.
 */
const bursar = await startBursar({ after }, { TRUST_PROXY: '127.0.0.1' })
const { url, demo } = bursar
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
await sql(`update institutes set has_parent_sign_in = true, has_poster = true where code = 'demo-school'`)

/** What others were answered after the limit was used up. */
type Others = Record<string, number>
type Scenario = (t: TestContext) => Promise<Others>

let networks = 0
const newNetwork = (): string => `198.51.${100 + Math.floor(++networks / 250)}.${networks % 250}`
const from = (ip: string) => ({ 'x-forwarded-for': ip })

/** Sends until it is refused; fails when that does not happen after about as many as the limit says. */
async function untilRefused(most: number, send: () => Promise<{ status: number }>): Promise<void> {
  for (let sent = 0; sent <= most + 2; sent++) if ((await send()).status === 429) return
  assert.fail(`nobody was refused after ${most}`)
}

const SCHOOL = '/school/demo-school'
let phones = 9_100_000_000
const newPhone = (): string => String(phones++)

async function family(): Promise<string> {
  const phone = newPhone()
  const answer = await register(demo, unique('parent'), {
    primary_contact_number: phone,
    primary_contact_email: `p${phone}@example.in`,
  })
  assert.equal(answer.status, 201, answer.text)
  return phone
}

const ask = (contact: string, visitor: Visitor) => visitor.post(SCHOOL, { contact })

async function codeFor(phone: string): Promise<string> {
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
  const { body } = await demo.get(`/api/v1/sandbox/mailbox?to=${encodeURIComponent(`+91${phone}`)}`)
  return /^\d{6,8}$/m.exec(body.data[0]?.text)?.[0] ?? assert.fail('no code was sent')
}

async function signInFamily(phone: string, visitor: Visitor): Promise<number> {
  const asked = await ask(phone, visitor)
  if (asked.status !== 303) return asked.status
  const entered = await visitor.post(`${SCHOOL}/code`, { code: await codeFor(phone) })
  assert.equal(entered.location, '/parents', entered.text)
  return entered.status
}

/** A family whose browser signed in before, from this network, and is signed out. */
async function knownBrowser(ip: string): Promise<{ phone: string; browser: Visitor }> {
  const phone = await family()
  const browser = new Visitor(url, from(ip))
  assert.equal(await signInFamily(phone, browser), 303)
  browser.cookies.delete('parents')
  await sql('delete from parent_sign_ins')
  return { phone, browser }
}

type Child = { number: string; phone: string }

async function childOf(): Promise<Child> {
  const number = unique('ADM')
  const phone = newPhone()
  const answer = await register(demo, unique('parent'), {
    identifier: number,
    primary_contact_number: phone,
    primary_contact_email: `p${phone}@example.in`,
  })
  assert.equal(answer.status, 201, answer.text)
  return { number, phone }
}

const sendFact = (number: string, fact: string, visitor: Visitor) =>
  visitor.post(`${SCHOOL}/pay`, { number, fact })

const nameChild = async ({ number, phone }: Child, header: ReturnType<typeof from>, cookie?: string) => {
  const visitor = new Visitor(url, header)
  if (cookie !== undefined) visitor.cookies.set('poster-known', cookie)
  return (await sendFact(number, phone, visitor)).status
}

const guess = ({ number }: Child, ip: string, cookie?: string) => {
  const visitor = new Visitor(url, from(ip))
  if (cookie !== undefined) visitor.cookies.set('poster-known', cookie)
  return sendFact(number, '01/01/1990', visitor)
}

/** A child that was named before in a browser in this network. */
async function knownChild(ip: string): Promise<{ child: Child; browser: string }> {
  const child = await childOf()
  const visitor = new Visitor(url, from(ip))
  assert.equal((await sendFact(child.number, child.phone, visitor)).status, 303)
  return { child, browser: visitor.cookies.get('poster-known') ?? '' }
}

const PERSON = 'asha@school.example'
const device = await createPerson(bursar, { email: PERSON, institute: 'demo-school' })

const signIn = (ip: string, password = PASSWORD, email = PERSON) =>
  new Colleague(url, from(ip)).signIn(email, password)

/** The person on a device of theirs, which is now in the network of the stranger. */
async function signInOnDevice(ip: string): Promise<number> {
  const moved = new Colleague(url, from(ip))
  moved.device = device.device
  return (await moved.signIn(PERSON)).status
}

async function signInByMailedCode(ip: string): Promise<number> {
  await sql('delete from console_unlock_codes')
  await new Colleague(url, from(newNetwork())).post(`${API}/session/unlock`, { email: PERSON })
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
  const { body } = await demo.get(`/api/v1/sandbox/mailbox?to=${PERSON}`)
  const code = /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/m.exec(body.data[0].text)?.[0]
  const sent = { email: PERSON, password: PASSWORD, mail_code: code }
  return (await new Colleague(url, from(ip)).post(`${API}/session`, sent)).status
}

const askForLink = (of: Colleague) => of.post(`${API}/session/forgot`, { email: PERSON })

const proveWith = (session: Colleague, password: string) =>
  session.post(`${API}/account/totp/remove`, { password })

const startPasskey = (of: Colleague) => of.post(`${API}/session/passkey/options`)

const NO_REPLY = { header: () => NO_REPLY } as unknown as FastifyReply

/** What another session or token is answered. Without the network: a busy machine would answer more slowly than the bucket fills. */
async function outspend({ burst, perMinute }: { burst: number; perMinute: number }): Promise<number> {
  const limiter = new RateLimiter()
  const admit = (keyId: string): number => {
    try {
      limiter.admit({ keyId, burst, ratePerSecond: perMinute / 60 }, NO_REPLY, 0)
      return 200
    } catch {
      return 429
    }
  }
  await untilRefused(burst, async () => ({ status: admit('one') }))
  return admit('other')
}

const SCENARIOS = {
  async anonymous(t) {
    const small: TestBursar = await startBursar(t, {
      TRUST_PROXY: '127.0.0.1',
      PUBLIC_RATE: '1',
      PUBLIC_BURST: '8',
    })
    const colleague = await demoVisitor(small.url)
    const ip = newNetwork()
    const see = (path: string, of: string) => fetch(small.url + path, { headers: from(of) })
    await Promise.all(Array.from({ length: 12 }, () => see('/docs', ip)))
    await untilRefused(8, () => see('/console/api/session', ip))
    return {
      'another network': (await see('/console/api/session', newNetwork())).status,
      'a key in that network': (await new Client(small.url, DEMO).get(`${PAY}/orders`, from(ip))).status,
      'a session in that network': (await colleague.get(`${API}/account`, from(ip))).status,
    }
  },
  async apiKey() {
    const key = await createKey(bursar.app.ctx, 'demo-school', {
      label: 'narrow',
      scopes: ['read'],
      ratePerSecond: 1,
      burst: 2,
    })
    const narrow = new Client(url, { key: key.keyId, secret: key.secret })
    await untilRefused(2, () => narrow.get(`${PAY}/orders`))
    // Wrong secrets count against nobody who has the right one, wherever it comes from.
    const wrong = new Client(url, { key: DEMO.key, secret: 'wrong' })
    await Promise.all(Array.from({ length: 30 }, () => wrong.get(`${PAY}/orders`)))
    return { 'another key of the school': (await demo.get(`${PAY}/orders`)).status }
  },
  async consoleSession() {
    return { 'another session of the person': await outspend(LIMITS.consoleSession.rate) }
  },
  async assistant() {
    return { 'another token of the person': await outspend(LIMITS.assistant.rate) }
  },
  async paymentForms() {
    const { pathname: path } = new URL((await createPage(demo)).url)
    const ip = newNetwork()
    // An empty form is shown again; that it was refused stands in the header alone.
    const send = async (of: string) => {
      const seen = await new Visitor(url, from(of)).post(path, {})
      return { status: seen.headers.has('retry-after') ? 429 : 200 }
    }
    await untilRefused(LIMITS.paymentForms.rate.burst, () => send(ip))
    return { 'another network': (await send(newNetwork())).status }
  },
  async familyNetwork() {
    const ip = newNetwork()
    const { phone, browser } = await knownBrowser(ip)
    const { burst } = LIMITS.familyNetwork.rate
    const asked = Array.from({ length: burst + 5 }, () => ask(newPhone(), new Visitor(url, from(ip))))
    assert.ok((await Promise.all(asked)).some(({ status }) => status === 429))
    return {
      'another network': await signInFamily(await family(), new Visitor(url, from(newNetwork()))),
      'a known browser in that network': await signInFamily(phone, browser),
    }
  },
  async familyContactAtNetwork() {
    const ip = newNetwork()
    const { phone, browser } = await knownBrowser(ip)
    await untilRefused(LIMITS.familyContactAtNetwork.codes.most, () => ask(phone, new Visitor(url, from(ip))))
    return {
      'another network': await signInFamily(phone, new Visitor(url, from(newNetwork()))),
      'a known browser in that network': await signInFamily(phone, browser),
    }
  },
  async familyContact() {
    const { phone, browser } = await knownBrowser(newNetwork())
    const stranger = () => ask(phone, new Visitor(url, from(newNetwork())))
    await untilRefused(LIMITS.familyContact.codes.most, stranger)
    return {
      'another family': await signInFamily(await family(), new Visitor(url, from(newNetwork()))),
      'a known browser': await signInFamily(phone, browser),
      'the family a quarter of an hour later': await later(() =>
        signInFamily(phone, new Visitor(url, from(newNetwork()))),
      ),
    }
  },
  async familyUnderAttack() {
    const ip = newNetwork()
    const { phone, browser } = await knownBrowser(ip)
    await leaveUnused(ATTACK.unusedAnHour)
    await untilRefused(LIMITS.familyUnderAttack.codes.most, () => ask(newPhone(), new Visitor(url, from(ip))))
    return {
      'another network': await signInFamily(await family(), new Visitor(url, from(newNetwork()))),
      'a known browser in that network': await signInFamily(phone, browser),
    }
  },
  async familyBrowser() {
    const { phone, browser } = await knownBrowser(newNetwork())
    await untilRefused(LIMITS.familyBrowser.codes.most, () => ask(phone, browser))
    return { 'another browser': await signInFamily(phone, new Visitor(url, from(newNetwork()))) }
  },
  async familyCode() {
    const phone = await family()
    const guesser = new Visitor(url, from(newNetwork()))
    await ask(phone, guesser)
    const code = await codeFor(phone)
    const wrong = code === '000000' ? '000001' : '000000'
    for (let tries = 0; tries < LIMITS.familyCode.tries; tries++)
      await guesser.post(`${SCHOOL}/code`, { code: wrong })
    assert.equal((await guesser.post(`${SCHOOL}/code`, { code })).status, 400)
    return { 'another browser': await signInFamily(phone, new Visitor(url, from(newNetwork()))) }
  },
  async posterChildAtNetwork() {
    const ip = newNetwork()
    const { child, browser } = await knownChild(ip)
    await untilRefused(LIMITS.posterChildAtNetwork.waits.free, () => guess(child, ip))
    return {
      'another network': await nameChild(child, from(newNetwork())),
      'another child in that network': await nameChild(await childOf(), from(ip)),
      'a known browser in that network': await nameChild(child, from(ip), browser),
    }
  },
  async posterChild() {
    const { child, browser } = await knownChild(newNetwork())
    const { free } = LIMITS.posterChildAtNetwork.waits
    let sent = 0
    await untilRefused(LIMITS.posterChild.waits.free + free, () =>
      guess(child, sent++ % free === 0 ? newNetwork() : lastNetwork()),
    )
    return {
      'another child': await nameChild(await childOf(), from(newNetwork())),
      'a known browser': await nameChild(child, from(newNetwork()), browser),
    }
  },
  async posterNetwork() {
    const ip = newNetwork()
    const { child, browser } = await knownChild(ip)
    await untilRefused(LIMITS.posterNetwork.waits.free, () =>
      guess({ ...child, number: unique('GUESS') }, ip),
    )
    return {
      'another network': await nameChild(child, from(newNetwork())),
      'a known browser in that network': await nameChild(child, from(ip), browser),
    }
  },
  async posterBrowser() {
    const ip = newNetwork()
    const { child, browser } = await knownChild(ip)
    await untilRefused(LIMITS.posterBrowser.waits.free, () => guess(child, ip, browser))
    return { 'another browser': await nameChild(child, from(newNetwork())) }
  },
  async staffAccountAtNetwork() {
    const ip = newNetwork()
    await untilRefused(LIMITS.staffAccountAtNetwork.waits.free, () => signIn(ip, 'guess'))
    return {
      'another network': (await signIn(newNetwork())).status,
      'a known device in that network': await signInOnDevice(ip),
      'the reader of a mailed code in that network': await signInByMailedCode(ip),
    }
  },
  async billIdentifier() {
    const unit = await openUnit(bursar)
    const children = [unique('BC'), unique('BC')]
    for (const identifier of children) {
      const fees = { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1000 }] }
      assert.equal((await register(demo, unique('parent'), { identifier }, fees)).status, 201)
    }
    const [admission_number = '', other = ''] = children
    for (let sent = 0; sent < LIMITS.billIdentifier.waits.free; sent++)
      await unit.fetchBill({ admission_number, date_of_birth: '01-01-2001' })
    const shown = async (identifier: string): Promise<number> =>
      typeof (await unit.fetchBill({ admission_number: identifier, date_of_birth: '20-06-2015' })) ===
      'object'
        ? 200
        : 429
    // Nobody is told that the right answer waits too.
    assert.equal(await shown(admission_number), 429)
    return { 'another admission number': await shown(other) }
  },
  async staffAccount() {
    const { free } = LIMITS.staffAccountAtNetwork.waits
    const ip = newNetwork()
    // One network that goes on and on is held up itself and adds nothing to what all together did.
    for (let sent = 0; sent < LIMITS.staffAccount.waits.free; sent++) {
      await signIn(ip, 'guess')
      await sql(`update console_tries set blocked_until = null where subject like '% ' || $1`, [ip])
    }
    const afterOne = (await signIn(newNetwork())).status
    let sent = 0
    await untilRefused(LIMITS.staffAccount.waits.free + free, () =>
      signIn(sent++ % free === 0 ? newNetwork() : lastNetwork(), 'guess'),
    )
    return {
      'another network after one that goes on': afterOne,
      'a known device': await signInOnDevice(newNetwork()),
      'the reader of a mailed code': await signInByMailedCode(newNetwork()),
    }
  },
  async staffNetwork() {
    const ip = newNetwork()
    await untilRefused(LIMITS.staffNetwork.waits.free, () =>
      signIn(ip, 'guess', `${unique('guess')}@school.example`),
    )
    return {
      'another network': (await signIn(newNetwork())).status,
      'a known device in that network': await signInOnDevice(ip),
      'the reader of a mailed code in that network': await signInByMailedCode(ip),
    }
  },
  async staffKnown() {
    const visitor = new Colleague(url, from(newNetwork()))
    visitor.device = device.device
    await untilRefused(LIMITS.staffKnown.waits.free, () => visitor.signIn(PERSON, 'wrong'))
    const [one, other] = [new Colleague(url), new Colleague(url)]
    for (const session of [one, other]) assert.equal((await session.signIn(PERSON)).status, 200)
    await untilRefused(LIMITS.staffKnown.waits.free, () => proveWith(one, 'wrong'))
    return {
      'a device that nobody knows': (await signIn(newNetwork())).status,
      'another session of the person': (await proveWith(other, PASSWORD)).status,
    }
  },
  async staffMail() {
    const ip = newNetwork()
    await untilRefused(LIMITS.staffMail.waits.free, () => askForLink(new Colleague(url, from(ip))))
    const known = new Colleague(url, from(ip))
    known.device = device.device
    return {
      'another network': (await askForLink(new Colleague(url, from(newNetwork())))).status,
      'a known device in that network': (await askForLink(known)).status,
    }
  },
  async staffPasskeys() {
    const ip = newNetwork()
    await untilRefused(LIMITS.staffPasskeys.rate.burst, () => startPasskey(new Colleague(url, from(ip))))
    const known = new Colleague(url, from(ip))
    known.device = device.device
    return {
      'another network': (await startPasskey(new Colleague(url, from(newNetwork())))).status,
      'a known device in that network': (await startPasskey(known)).status,
    }
  },
} satisfies Record<LimitName, Scenario>

const lastNetwork = (): string => `198.51.${100 + Math.floor(networks / 250)}.${networks % 250}`

/** Real time passes for codes alone. */
async function later(act: () => Promise<number>): Promise<number> {
  await sql(`update parent_sign_ins set created_at = created_at - interval '15 minutes'`)
  return act()
}

/** Codes that strangers from everywhere asked for. */
const leaveUnused = (codes: number) =>
  sql(
    `insert into parent_sign_ins
       (institute_id, id, browser_hash, code_hash, contact_hash, network_hash, registration_ids)
     select i.id, 'code_' || n, '', '', decode(md5(n::text), 'hex'), decode(md5('n' || n), 'hex'), '{}'
     from institutes i, generate_series(1, $1) n where i.code = 'demo-school'`,
    [codes],
  )

suite('whoever uses a limit up closes nobody else’s way in', () => {
  for (const [name, run] of Object.entries<Scenario>(SCENARIOS))
    test(name, async t => {
      await sql('delete from parent_sign_ins')
      await sql('delete from console_tries')
      await sql('delete from child_tries')
      for (const [who, status] of Object.entries(await run(t)))
        assert.ok([200, 303].includes(status), `${who} was answered ${status}`)
    })
})

test('330 invented numbers from nine networks close no school: a family signs in at once, with a longer code', async () => {
  await sql('delete from parent_sign_ins')
  const strangers = Array.from({ length: 9 }, newNetwork)
  const asked = Array.from({ length: 330 }, (_, no) =>
    ask(newPhone(), new Visitor(url, from(strangers[no % strangers.length] ?? ''))),
  )
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  assert.ok(statuses.filter(status => status === 303).length >= ATTACK.unusedAnHour)
  const phone = await family()
  const browser = new Visitor(url, from(newNetwork()))
  assert.equal((await ask(phone, browser)).status, 303)
  const code = await codeFor(phone)
  assert.equal(code.length, 8)
  assert.equal((await browser.post(`${SCHOOL}/code`, { code })).location, '/parents')
})

test('a known browser is known of its own school and contact alone, and its cookie says nothing of either to a reader', async () => {
  const ip = newNetwork()
  const { phone, browser } = await knownBrowser(ip)
  const cookie = browser.cookies.get('parents-known') ?? ''
  assert.match(cookie, /^demo-school\.\w+\.[\w-]{43}\.[\w-]{43}$/)
  assert.ok(!cookie.includes(phone))
  const other = await family()
  for (const contact of [phone, other]) await untilRefused(3, () => ask(contact, new Visitor(url, from(ip))))
  assert.equal((await ask(other, browser)).status, 429, 'of another contact')
  const forged = new Visitor(url, from(ip))
  const [school, day, secret, signature = ''] = cookie.split('.')
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  for (const value of [
    [school, day, secret, flipped].join('.'),
    ['demo-group', day, secret, signature].join('.'),
    [school, 'zzzz', secret, signature].join('.'),
    'rubbish~~',
  ]) {
    forged.cookies.set('parents-known', value)
    assert.equal((await ask(phone, forged)).status, 429, value)
  }
  assert.equal((await ask(phone, browser)).status, 303)
})

test('a stranger who asks for a new password ends no link that is on its way, and the first one used ends the others', async () => {
  const email = 'late@school.example'
  await createPerson(bursar, { email, institute: 'demo-school' })
  const links = async () => {
    await demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
    const { body } = await demo.get(`/api/v1/sandbox/mailbox?to=${email}`)
    return body.data.flatMap((one: { text: string }) => /join\/([\w-]+)/.exec(one.text)?.[1] ?? [])
  }
  const forgot = () => new Colleague(url, from(newNetwork())).post(`${API}/session/forgot`, { email })
  const look = async (token: string) =>
    (await new Colleague(url).post(`${API}/invitations/look`, { token })).status
  await forgot()
  const [mine] = await links()
  await sql(`update console_invitations set created_at = created_at - interval '11 minutes'`)
  await forgot()
  const theirs = (await links()).find((one: string) => one !== mine)
  assert.deepEqual([await look(mine), await look(theirs)], [200, 200])
  const accepted = await new Colleague(url).post(`${API}/invitations/accept`, {
    token: mine,
    password: 'eleven quiet bicycles',
  })
  assert.equal(accepted.status, 200, accepted.text)
  assert.deepEqual([await look(mine), await look(theirs)], [404, 404])
})
