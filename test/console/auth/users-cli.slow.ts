import assert from 'node:assert/strict'
import { after, test } from 'node:test'
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
