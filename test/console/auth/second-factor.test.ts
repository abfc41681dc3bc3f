import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generateSync } from 'otplib'
import { resetPassword } from '../../../src/console/auth/users.service.ts'
import { requireByCommand } from '../../../src/console/auth/second-factor/second-factor.service.ts'
import { addLender } from '../../../src/loans/lenders/lenders.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import { Authenticator } from '../../harness/authenticator.ts'
import { startBursar } from '../../harness/bursar.ts'
import { operationsOf } from '../../harness/openapi/operations.ts'
import { API, assertAnswer, createPerson, demoVisitor, PASSWORD, tokenOf, Visitor } from '../support.ts'

const SITE = 'http://localhost:8080'
const bursar = await startBursar({ after }, { PUBLIC_URL: SITE })
const { url } = bursar
const { ctx } = bursar.app
const SCHOOL = `${API}/institutes/demo-school`

const owner = await createPerson(bursar, { email: 'owner@school.example', institute: 'demo-school' })
const limits = { leastPaise: paiseOf(1_000_00), mostPaise: paiseOf(100_000_00) }
const terms = { yearlyRateBp: 1200, months: 12, apiUrl: null }
await addLender(ctx, { code: 'sahakari', title: 'Sahakari', kind: 'desk', ...limits, ...terms })
const people = {
  owner,
  viewer: await createPerson(bursar, {
    email: 'viewer@school.example',
    institute: 'demo-school',
    role: 'viewer',
  }),
  elsewhere: await createPerson(bursar, { email: 'elsewhere@school.example', institute: 'demo-group' }),
  operator: await createPerson(bursar, { email: 'operator@school.example', operator: true }),
  lender: await createPerson(bursar, { email: 'lender@bank.example', lender: 'sahakari' }),
}

const require = (required: boolean, who = owner) =>
  who.send('PUT', `${SCHOOL}/team/second-factor`, { required, reason: 'The auditor asks for it' })

async function addApp(visitor: Visitor): Promise<{ secret: string; codes: string[] }> {
  const start = await visitor.post(`${API}/account/totp`, { password: PASSWORD })
  assertAnswer(start, '200')
  const { secret } = start.body.data
  const code = generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) - 30 })
  const confirmed = await visitor.post(`${API}/account/totp/confirm`, { code })
  assertAnswer(confirmed, '200')
  return { secret, codes: confirmed.body.data.recovery_codes }
}

async function addPasskey(visitor: Visitor, key = new Authenticator(SITE)): Promise<string[]> {
  const start = await visitor.post(`${API}/account/passkeys/options`, { password: PASSWORD })
  assertAnswer(start, '200')
  const passkey = key.register(start.body.data.options)
  const added = await visitor.post(`${API}/account/passkeys`, { name: 'Phone', passkey })
  assertAnswer(added, '201')
  return added.body.data.recovery_codes
}

/** All that somebody may do who has to set up a second factor; what anybody may do without signing in stays open to them. */
const SETUP = new Set([
  'GET /console/api/account',
  'GET /console/api/account/sign-ins',
  'POST /console/api/account/password',
  'POST /console/api/account/sessions/end-all',
  'DELETE /console/api/session',
  'POST /console/api/account/totp',
  'POST /console/api/account/totp/confirm',
  'POST /console/api/account/passkeys/options',
  'POST /console/api/account/passkeys',
])

const routes = operationsOf(bursar, API).filter(route => route['reach'] !== 'anyone')

test('a school’s requirement shuts every route of the console but the set-up, for everybody without a second factor', async () => {
  assertAnswer(await require(true), '200')
  const operator = await createPerson(bursar, {
    email: 'both@school.example',
    operator: true,
    institute: 'demo-school',
  })
  assert.ok(routes.length > 150, String(routes.length))
  let requests = 0
  for (const route of routes) {
    const named: Record<string, string> = { institute_code: 'demo-school', lender_code: 'sahakari' }
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? 'nothing_0')
    const isSetup = SETUP.has(`${route.method} ${route.path}`)
    if (isSetup) continue
    if (++requests % 100 === 0) await operator.signIn('both@school.example')
    const answer = await operator.send(
      route.method,
      path,
      route.method === 'GET' ? undefined : (route.body ?? {}),
    )
    assertAnswer(answer, '403 AUE00001')
    assert.match(answer.text, /second factor is required/, `${route.method} ${route.path}`)
  }
  const { body } = await operator.greet()
  assert.equal(body.data.person.is_missing_factor, true)
  assert.equal(body.data.institutes, undefined, 'nor what there is to see')
  for (const key of SETUP)
    assert.ok(
      routes.some(route => `${route.method} ${route.path}` === key),
      key,
    )
})

test('before the set-up a person sees who else signed in as them, chooses another password and signs out everywhere', async () => {
  const email = 'known@school.example'
  const visitor = await createPerson(bursar, { email, institute: 'demo-school' })
  const stranger = new Visitor(url)
  await stranger.signIn(email)
  const { body } = await visitor.get(`${API}/account/sign-ins`)
  assert.deepEqual(
    body.data.map(({ by }: { by: string }) => by),
    ['password', 'one-time link'],
  )
  const changed = { password: PASSWORD, new_password: 'quite another long sentence' }
  assertAnswer(
    await visitor.post(`${API}/account/password`, { ...changed, password: 'wrong' }),
    '400 HUE00000',
  )
  assertAnswer(await visitor.post(`${API}/account/password`, changed), '200')
  assertAnswer(await stranger.get(`${API}/account`), '401 AUE00000')
  assertAnswer(await visitor.post(`${API}/account/sessions/end-all`), '200')
  assertAnswer(await visitor.get(`${API}/account`), '401 AUE00000')
  assertAnswer(await new Visitor(url).signIn(email), '401 AUE00000')
})

test('who sets one up goes on in the same session, with an app or a passkey, and gets recovery codes', async () => {
  assertAnswer(await owner.get(`${SCHOOL}/home`), '403 AUE00001')
  const codes = await addPasskey(owner)
  assert.equal(codes.length, 10)
  assertAnswer(await owner.get(`${SCHOOL}/home`), '200')
  const { viewer } = people
  assertAnswer(await viewer.get(`${SCHOOL}/home`), '403 AUE00001')
  assert.equal((await addApp(viewer)).codes.length, 10)
  assertAnswer(await viewer.get(`${SCHOOL}/home`), '200')
  const { body } = await owner.get(`${SCHOOL}/team`)
  assert.deepEqual(body.data.second_factor, { by_institute: true, by_operator: false })
  const having = body.data.members.filter((one: { has_factor: boolean }) => one.has_factor)
  assert.deepEqual(having.map((one: { email: string }) => one.email).toSorted(), [
    'owner@school.example',
    'viewer@school.example',
  ])
})

test('it is asked of people of that school alone, and of nobody’s demo person', async () => {
  assertAnswer(await people.elsewhere.get(`${API}/institutes/demo-group/home`), '200')
  assertAnswer(await people.lender.get(`${API}/lenders/sahakari/applications`), '200')
  const demo = await demoVisitor(url)
  assertAnswer(await demo.get(`${SCHOOL}/home`), '200')
})

test('while it is required nobody removes the last second factor; another may take its place', async () => {
  const remove = () => people.viewer.post(`${API}/account/totp/remove`, { password: PASSWORD })
  assertAnswer(await remove(), '409 HUE00002')
  assert.deepEqual(await addPasskey(people.viewer), [])
  assertAnswer(await remove(), '200')
  const { passkeys } = (await people.viewer.get(`${API}/account`)).body.data
  const last = `${API}/account/passkeys/${passkeys[0].id}/remove`
  assertAnswer(await people.viewer.post(last, { password: PASSWORD }), '409 HUE00002')
  assert.equal((await people.viewer.get(`${API}/account`)).body.data.recovery_codes_left, 10)
})

test('the operator requires one of everybody, operators and lenders too, and says so in the log', async () => {
  const { operator } = people
  const set = (required: boolean) =>
    operator.send('PUT', `${API}/operator/sign-in`, { required, reason: 'Policy' })
  assertAnswer(
    await people.elsewhere.send('PUT', `${API}/operator/sign-in`, { required: true, reason: 'x' }),
    '403 AUE00001',
  )
  assertAnswer(await set(true), '200')
  for (const path of [`${API}/operator/institutes`, `${API}/operator/sign-in`])
    assertAnswer(await operator.get(path), '403 AUE00001')
  assertAnswer(await people.elsewhere.get(`${API}/institutes/demo-group/home`), '403 AUE00001')
  assertAnswer(await people.lender.get(`${API}/lenders/sahakari/applications`), '403 AUE00001')
  await addPasskey(operator)
  assert.equal((await operator.get(`${API}/operator/sign-in`)).body.data.second_factor_required, true)
  assertAnswer(await set(false), '200')
  assertAnswer(await people.lender.get(`${API}/lenders/sahakari/applications`), '200')
  const rows = await bursar.sql<{ institute_id: number; about: string; before: object; after: object }>(
    `select institute_id, about, before, after from console_audit
     where what = 'second_factor.requirement.changed' order by id`,
  )
  assert.deepEqual(
    rows.map(({ about, before, after: now }) => [about, before, now]),
    [
      ['demo-school', { required: false }, { required: true }],
      ['installation', { required: false }, { required: true }],
      ['installation', { required: true }, { required: false }],
    ],
  )
})

test('a viewer cannot change the rule, an owner can take it back', async () => {
  assertAnswer(await require(false, people.viewer), '403 AUE00001')
  assertAnswer(await require(false), '200')
  const fresh = await createPerson(bursar, { email: 'fresh@school.example', institute: 'demo-school' })
  assertAnswer(await fresh.get(`${SCHOOL}/home`), '200')
})

test('the last owner who lost phone and codes gets in by the operator’s command, and sets up a new one first', async () => {
  assertAnswer(await require(true), '200')
  await requireByCommand(ctx, await getInstitute(ctx, 'demo-school'), true)
  const { link } = await resetPassword(ctx, 'owner@school.example', { dropsFactor: true })
  assertAnswer(await owner.get(`${API}/account`), '401 AUE00000')
  const again = new Visitor(url)
  const accepted = await again.post(`${API}/invitations/accept`, { token: tokenOf(link), password: PASSWORD })
  assert.deepEqual(accepted.body.data, { state: 'signed_in' })
  await again.greet()
  assertAnswer(await again.get(`${SCHOOL}/home`), '403 AUE00001')
  await addPasskey(again)
  assertAnswer(await again.get(`${SCHOOL}/home`), '200')
})
