import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generateSync } from 'otplib'
import { ask, run } from '../../cli/command-line.ts'
import { startBursar, TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { cloneDatabase } from '../../harness/postgres/databases.ts'
import { API, assertAnswer, PASSWORD, tokenOf, Visitor } from '../support.ts'

const DATABASE_URL = await cloneDatabase({ after })
const env = { DATABASE_URL, MASTER_KEY: TEST_MASTER_KEY }
const bursar = await startBursar({ after }, { DATABASE_URL })

test('an operator is made on the command line, chooses a password by its link, is reset and is shut out', async () => {
  const create = ['users', 'create', 'Asha@School.example', '--name', 'Asha Rao', '--operator']
  const { link } = await ask(env, ...create)
  const visitor = new Visitor(bursar.url)
  const accepted = await visitor.post(`${API}/invitations/accept`, {
    token: tokenOf(link),
    password: PASSWORD,
  })
  assertAnswer(accepted, '200')
  const { body } = await visitor.greet()
  assert.equal(body.data.person.is_operator, true)

  const more = ['users', 'create', 'asha@school.example', '--name', 'Asha Rao']
  const given = await ask(env, ...more, '--institute', 'demo-school', '--role', 'finance')
  assert.equal(given.link, null)
  const listed = await ask(env, 'users', 'list')
  const asha = listed.find((user: { email: string }) => user.email === 'asha@school.example')
  assert.deepEqual(asha.memberships, [{ institute: 'demo-school', role: 'finance' }])
  assert.equal(asha.state, 'active')

  const reset = await ask(env, 'users', 'reset-password', 'asha@school.example')
  assertAnswer(await visitor.get(`${API}/account`), '401 AUE00000')
  assertAnswer(await new Visitor(bursar.url).signIn('asha@school.example'), '401 AUE00000')
  const password = 'sixteen quiet owls'
  assertAnswer(
    await visitor.post(`${API}/invitations/accept`, { token: tokenOf(reset.link), password }),
    '200',
  )
  assertAnswer(await visitor.get(`${API}/account`), '200')

  await ask(env, 'users', 'disable', 'asha@school.example')
  assertAnswer(await visitor.get(`${API}/account`), '401 AUE00000')
  assertAnswer(await new Visitor(bursar.url).signIn('asha@school.example', password), '401 AUE00000')
  await ask(env, 'users', 'disable', 'asha@school.example', '--undo')
  assertAnswer(await new Visitor(bursar.url).signIn('asha@school.example', password), '200')
  const told = await bursar.sql<{ what: string }>(
    `select what from console_audit where actor_kind = 'command_line' order by id`,
  )
  assert.deepEqual(
    told.map(({ what }) => what),
    ['user.created', 'user.created', 'user.password.reset', 'user.disabled', 'user.enabled'],
  )
})

test('the command line requires a second factor of a school or of all, and drops a lost one', async () => {
  const email = 'meera@school.example'
  const { link } = await ask(env, 'users', 'create', email, '--name', 'Meera', '--institute', 'demo-school')
  const visitor = new Visitor(bursar.url)
  const accept = (of: string) =>
    visitor.post(`${API}/invitations/accept`, { token: tokenOf(of), password: PASSWORD })
  assertAnswer(await accept(link), '200')
  await visitor.greet()
  const home = () => visitor.get(`${API}/institutes/demo-school/home`)
  for (const where of [['--institute', 'demo-school'], []]) {
    assert.deepEqual(await ask(env, 'users', 'second-factor', 'required', ...where), {
      institute: where[1] ?? null,
      second_factor: 'required',
    })
    assertAnswer(await home(), '403 AUE00001')
    await ask(env, 'users', 'second-factor', 'optional', ...where)
    assertAnswer(await home(), '200')
  }
  const { secret } = (await visitor.post(`${API}/account/totp`, { password: PASSWORD })).body.data
  const code = generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) - 30 })
  assertAnswer(await visitor.post(`${API}/account/totp/confirm`, { code }), '200')
  const having = async () =>
    (await ask(env, 'users', 'list')).find((user: { email: string }) => user.email === email).second_factor
  assert.equal(await having(), true)
  const reset = await ask(env, 'users', 'reset-password', email, '--drop-second-factor')
  assert.equal(await having(), false)
  assert.deepEqual((await accept(reset.link)).body.data, { state: 'signed_in' })
})

test('what is typed wrongly is said before anything happens', async () => {
  for (const [args, text] of [
    [['create', 'nobody', '--name', 'N', '--operator'], /not an e-mail address/],
    [['create', 'a@b.example', '--name', 'N'], /--operator, --institute/],
    [
      ['create', 'a@b.example', '--name', 'N', '--institute', 'demo-school', '--role', 'king'],
      /Allowed are owner/,
    ],
    [['create', 'a@b.example', '--name', 'N', '--institute', 'no-such'], /was not found/],
    [['disable', 'a@b.example'], /was not found/],
  ] as const) {
    const { code, err } = await run(env, 'users', ...args)
    assert.notEqual(code, 0)
    assert.match(err, text)
  }
})
