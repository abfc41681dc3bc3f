import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ROLES, type ConsoleRole } from '../../../src/console/console.rules.ts'
import { openSession } from '../../../src/console/auth/sessions.service.ts'
import { createUser, seedDemoUser } from '../../../src/console/auth/users.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { addLender } from '../../../src/loans/lenders/lenders.service.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { startBursar } from '../../harness/bursar.ts'
import { Client, type Answer, type Json } from '../../harness/client.ts'
import { operationsOf, type Operation } from '../../harness/openapi/operations.ts'
import { ERP, PAY, sampleOrder } from '../../harness/samples.ts'
import { API, assertAnswer, Visitor } from '../support.ts'

/**
 * Every route of the console with every role, as its route says who may: an allowed role is never refused for its
 * role, any other always is, before anything of the request is read.
 */
const bursar = await startBursar({ after })
const { url } = bursar
const { ctx } = bursar.app

type Walker = ConsoleRole | 'nobody' | 'stranger' | 'lender' | 'other lender'
type Reach = readonly string[] | 'signed in' | 'anyone'

const WALKERS: readonly Walker[] = ['nobody', 'stranger', ...ROLES, 'operator', 'lender', 'other lender']
const emailOf = (walker: Walker): string => `${walker.replace(' ', '-')}@walk.example`

await ctx.db.transaction(async tx => {
  const school = await getInstitute(ctx, 'demo-school')
  const group = await getInstitute(ctx, 'demo-group')
  for (const role of ROLES) {
    const member = { institute: school, role }
    await seedDemoUser(tx, { email: emailOf(role), name: role, isOperator: false, member })
  }
  const member = { institute: group, role: 'owner' } as const
  await seedDemoUser(tx, { email: emailOf('stranger'), name: 'stranger', isOperator: false, member })
  await seedDemoUser(tx, { email: emailOf('operator'), name: 'operator', isOperator: true, member: null })
})

for (const [walker, code] of [
  ['lender', 'sahakari'],
  ['other lender', 'gramin'],
] as const) {
  const limits = { leastPaise: paiseOf(1_000_00), mostPaise: paiseOf(100_000_00) }
  const terms = { yearlyRateBp: 1200, months: 12, apiUrl: null }
  await addLender(ctx, { code, title: code, kind: 'desk', ...limits, ...terms })
  await createUser(ctx, {
    email: emailOf(walker),
    name: walker,
    isOperator: false,
    member: null,
    lender: code,
  })
}

const userIds = new Map(
  (await bursar.sql<{ id: string; email: string }>('select id, email from console_users')).map(
    ({ id, email }) => [email, id],
  ),
)

/** With a new session: some requests end the one they come with. */
async function visitorFor(walker: Walker): Promise<Visitor> {
  const visitor = new Visitor(url)
  if (walker === 'nobody') return visitor
  const userId = userIds.get(emailOf(walker)) ?? ''
  const origin = { ip: '127.0.0.1', agent: 'walk', requestId: 'req_walk' }
  const { secret } = await ctx.db.transaction(tx =>
    openSession(tx, userId, { origin, device: null, replaced: null }, 'demo button'),
  )
  visitor.cookie = `bursar_session=${secret}`
  const [session] = await bursar.sql<{ csrf: string }>(
    'select csrf from console_sessions where user_id = $1 order by created_at desc, id desc limit 1',
    [userId],
  )
  visitor.csrf = session?.csrf ?? null
  return visitor
}

const readers = new Map<Walker, { visitor: Visitor; requests: number }>()
const READS_PER_SESSION = 100

/** Reading ends no session; a session has a rate of its own. */
async function readerFor(walker: Walker): Promise<Visitor> {
  const last = readers.get(walker)
  const reader =
    last === undefined || last.requests === READS_PER_SESSION
      ? { visitor: await visitorFor(walker), requests: 0 }
      : last
  reader.requests++
  readers.set(walker, reader)
  return reader.visitor
}

type Route = Operation & { reach: Reach }

/** Those that read first: what writes may end sessions. */
const routes: Route[] = operationsOf(bursar, API).toSorted(
  (left, right) => Number(right.method === 'GET') - Number(left.method === 'GET'),
)

function ask(visitor: Visitor, route: Route, headers: Record<string, string> = {}): Promise<Answer> {
  const named: Record<string, string> = { institute_code: 'demo-school', lender_code: 'sahakari' }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? 'nothing_0')
  return visitor.send(route.method, path, route.method === 'GET' ? undefined : (route.body ?? {}), headers)
}

function expected({ reach, path }: Route, walker: Walker): 'in' | '401' | '403' | '404' {
  if (reach === 'anyone') return 'in'
  if (walker === 'nobody') return '401'
  if (reach === 'signed in') return 'in'
  const isStranger = walker === 'stranger' || walker === 'lender' || walker === 'other lender'
  if (isStranger && path.includes('{institute_code}')) return '404'
  // A desk is nobody's but its own people's: the operator and every other lender find nothing there.
  if (path.includes('{lender_code}')) return walker === 'lender' ? 'in' : '404'
  return reach.includes(walker) ? 'in' : '403'
}

test('every route says who may use it, and these alone are open to anyone', () => {
  assert.ok(routes.length > 15, `${routes.length} routes`)
  for (const { reach, method, path } of routes) assert.ok(reach, `${method} ${path} has no x-roles`)
  const open = routes.filter(({ reach }) => reach === 'anyone').map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(open.toSorted(), [
    'GET /console/api/session',
    'POST /console/api/invitations/accept',
    'POST /console/api/invitations/look',
    'POST /console/api/session',
    'POST /console/api/session/demo',
    'POST /console/api/session/forgot',
    'POST /console/api/session/passkey',
    'POST /console/api/session/passkey/options',
    'POST /console/api/session/unlock',
  ])
})

for (const route of routes.filter(({ reach }) => reach !== 'anyone')) {
  test(`${route.method} ${route.path} lets in whom it names and nobody else`, async () => {
    for (const walker of WALKERS) {
      const visitor = await (route.method === 'GET' ? readerFor : visitorFor)(walker)
      const answer = await ask(visitor, route)
      const wanted = expected(route, walker)
      const what = `${walker}: ${answer.status} ${answer.text.slice(0, 300)}`
      if (wanted === 'in') assert.ok(![401, 403, 500].includes(answer.status), what)
      else assert.equal(String(answer.status), wanted, what)
      if (wanted === '404') assert.match(answer.text, /This (institute|lender) was not found/)
    }
  })

  if (route.method === 'GET') continue
  test(`${route.method} ${route.path} does nothing without the token of the session`, async () => {
    const walker = route.reach === 'signed in' ? 'owner' : ((route.reach[0] ?? 'owner') as Walker)
    const answer = await ask(await visitorFor(walker), route, { 'x-csrf': 'guessed' })
    assert.equal(answer.status, 403)
    assert.match(answer.text, /x-csrf/)
  })
}

function plain({ status, text }: Answer): string {
  return `${status} ${text.replace(/"request_id":"\w+"/, '')}`
}

test('an institute of somebody else’s is one that does not exist', async () => {
  const stranger = await visitorFor('stranger')
  const foreign = await stranger.get(`${API}/institutes/demo-school/home`)
  const nobodys = await stranger.get(`${API}/institutes/demo-schoox/home`)
  assert.equal(plain(foreign), plain(nobodys))
})

const SCHOOL = `${API}/institutes/demo-school`

test('nobody makes or rotates a key that may do more than they may themselves', async () => {
  const [owner, developer] = [await visitorFor('owner'), await visitorFor('developer')]
  const refunds = { label: 'Refunds', scopes: ['read', 'refunds'] }
  for (const scopes of [['refunds'], ['read', 'refunds'], ['write'], ['orders'], ['students']])
    assertAnswer(await developer.post(`${SCHOOL}/keys`, { ...refunds, scopes }), '403 AUE00001')
  const refused = await developer.post(`${SCHOOL}/keys`, refunds)
  assert.match(refused.body.message, /the scope "refunds"\. Ask an owner/)
  const made = await owner.post(`${SCHOOL}/keys`, refunds)
  assert.deepEqual(made.body.data.scopes, ['read', 'refunds'])
  // The successor's secret would be as good as the key's own.
  assertAnswer(await developer.post(`${SCHOOL}/keys/${made.body.data.key_id}/rotate`), '403 AUE00001')
  assertAnswer(await owner.post(`${SCHOOL}/keys/${made.body.data.key_id}/rotate`), '201')
  const offered = async (person: Visitor): Promise<string[]> =>
    (await person.get(`${SCHOOL}/keys/scopes`)).body.data.map((one: Json) => one.scope)
  assert.deepEqual(await offered(developer), ['read', 'settings'])
  assert.deepEqual(await offered(owner), ['read', 'orders', 'students', 'refunds', 'settings'])
})

test('what a role may not do in the console it cannot do with a key of its own either', async () => {
  const developer = await visitorFor('developer')
  const wanted = { label: 'All I may', scopes: ['read', 'settings'] }
  const { key_id: key, secret } = (await developer.post(`${SCHOOL}/keys`, wanted)).body.data
  const own = new Client(url, { key, secret })
  assertAnswer(await developer.send('PUT', `${SCHOOL}/payment-rules`, {}), '403 AUE00001')
  for (const answer of [
    await own.post(`${ERP}/students/student_x/payments`, {}),
    await own.patch(`${ERP}/students/student_x/fee`, {}),
    await own.get(`${ERP}/users/parent/access_token`),
    await own.send('PUT', `${ERP}/payment-rules`, {}),
    await own.post(`${PAY}/orders`, sampleOrder()),
    await own.post(`${PAY}/orders/order_x/refunds`, {}),
  ])
    assertAnswer(answer, '403 AUE00001')
})
