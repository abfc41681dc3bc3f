import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ACTS } from '../../src/assistant/acts.ts'
import { API, createPerson, type Visitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import { DEMO, type Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { fillDemoGroup, fillDemoSchool } from '../http/fixtures/tenants.ts'
import { answered, basic, call, connect } from './support.ts'

const bursar = await startBursar({ after })
const { url } = bursar
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
const theirs = await fillDemoSchool(bursar)
const group = await fillDemoGroup(bursar)
const TOKENS = `${API}/institutes/demo-school/tokens`
const owner = await createPerson(bursar, { email: 'owner@demo-school.example', institute: 'demo-school' })
const SCOPES = ['personal', 'links', 'reminders', 'payments', 'webhooks']

async function tokenOf(person: Visitor, scopes: string[] = SCOPES, name = 'my assistant'): Promise<Json> {
  const { status, text, body } = await person.post(TOKENS, {
    name,
    scopes,
    days: 30,
    password: 'seven green kites',
  })
  assert.equal(status, 201, text)
  return body.data
}
const bearer = (token: string) => connect({ after }, url, `Bearer ${token}`)
const mine = await tokenOf(owner)
const assistant = await bearer(mine.token)

const registered = await bursar.demo.post(`${ERP}/users/parent-9/students`, {
  student: sampleStudent({ identifier: 'ADM-9', fullname: 'Meera Nair' }),
  fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 9000 }],
})
const child: string = registered.body.data.service_student_id

/** What each act is told; a new act is told here, or these tests fail. */
const SENT: Record<string, Json> = {
  send_payment_links: { student_ids: [child], scope: 'year', channels: ['email'] },
  remind_families: { student_ids: [child], scope: 'all', channels: ['email'] },
  record_payment: {
    service_student_id: child,
    amount: 1000,
    paid_at: '2026-06-02',
    mode: 'cash',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 1000 }],
  },
  redeliver: { delivery_id: theirs.path['delivery_id'] },
}
const FOREIGN: Record<string, Json> = {
  ...SENT,
  send_payment_links: { ...SENT['send_payment_links'], student_ids: group.students },
  remind_families: { ...SENT['remind_families'], student_ids: group.students },
  record_payment: { ...SENT['record_payment'], service_student_id: group.students[0] },
  redeliver: { delivery_id: 'dlv_01k9zq4m0ve8sbn6yt2hw3c5da' },
}
/** What anybody could see of an act: rows that stand for it. */
const COUNTS: Record<string, string> = {
  send_payment_links: `select id from orders where student_id = '${child}'`,
  remind_families: 'select id from reminder_runs',
  record_payment: `select id from direct_payments where student_id = '${child}'`,
  redeliver: "select about from console_audit where what = 'delivery.sent_again'",
}
const count = async (name: string): Promise<number> => (await sql(COUNTS[name] ?? '')).length

for (const { name, scope } of ACTS) {
  test(`${name} is shown first and then done once, in the name of the token`, async () => {
    const sent = SENT[name]
    const before = await count(name)
    const preview = await answered(assistant, name, sent)
    assert.match(preview.message, /^Nothing was done/)
    assert.equal(await count(name), before)
    const confirmed = { ...sent, confirmation: preview.confirmation }
    const [first, again] = [
      await answered(assistant, name, confirmed),
      await answered(assistant, name, confirmed),
    ]
    assert.deepEqual(again, first)
    assert.equal(await count(name), before + 1)
    const [entry] = await sql<{ actor_name: string }>(
      'select actor_name from console_audit order by id desc limit 1',
    )
    assert.equal(entry?.actor_name, 'owner@demo-school.example (token my assistant)')
  })

  test(`${name} is not done with the confirmation of something else, of somebody else, or an old one`, async t => {
    const { confirmation } = await answered(assistant, name, SENT[name])
    const before = await count(name)
    const other = await bearer((await tokenOf(owner, SCOPES, `other ${name}`)).token)
    const others = await call(other, name, { ...SENT[name], confirmation })
    assert.match(others.text, /confirmation is of another call/)
    const changed = await call(assistant, name, { ...FOREIGN[name], confirmation })
    assert.match(changed.text, /confirmation is of another call/)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 601_000 })
    const late = await call(assistant, name, { ...SENT[name], confirmation })
    assert.match(late.text, /older than ten minutes/)
    t.mock.timers.reset()
    assert.equal(await count(name), before)
  })

  test(`${name} finds nothing of another institute`, async () => {
    const said = await call(assistant, name, FOREIGN[name])
    const found = said.isError ? said.text : JSON.stringify(said.body.data)
    assert.match(found, /was not found|were not found|"families":0/, found)
  })

  test(`${name} takes the scope ${scope}, and a role that may do it at this moment`, async () => {
    const narrow = await bearer(
      (
        await tokenOf(
          owner,
          SCOPES.filter(one => one !== scope),
          `no ${scope}`,
        )
      ).token,
    )
    const key = await connect({ after }, url, basic(DEMO))
    for (const lacking of [narrow, key]) {
      assert.match((await call(lacking, name, SENT[name])).text, new RegExp(`scope "${scope}"`))
      assert.equal(
        (await lacking.listTools()).tools.some(tool => tool.name === name),
        false,
      )
    }
    const email = `${scope}@demo-school.example`
    const lowered = await createPerson(bursar, { email, institute: 'demo-school' })
    const client = await bearer((await tokenOf(lowered)).token)
    const { confirmation } = await answered(client, name, SENT[name])
    await sql(
      `update console_memberships m set role = 'viewer' from console_users u where u.id = m.user_id and u.email = $1`,
      [email],
    )
    const refused = await call(client, name, { ...SENT[name], confirmation })
    assert.match(refused.text, /Your role here is viewer/)
  })
}

test('a token with the scope personal sees people, one without does not', async () => {
  const plain = await bearer((await tokenOf(owner, [], 'plain')).token)
  const sent = { service_student_id: child }
  assert.equal((await answered(assistant, 'get_student', sent)).data.fullname, 'Meera Nair')
  const hidden = await answered(plain, 'get_student', sent)
  assert.equal(hidden.data.fullname, '(hidden)')
  assert.match(hidden.note, /scope "personal"/)
})

test('the token is shown once, kept as a hash, listed to its person alone and ended by them', async () => {
  const made = await tokenOf(owner, ['links'], 'short-lived')
  assert.match(made.token, /^demo-school\.[\w-]{43}$/)
  const rows = await sql<{ row: string }>('select to_jsonb(t)::text as row from personal_tokens t')
  assert.ok(rows.every(({ row }) => !row.includes(made.token.split('.')[1])))
  const colleague = await createPerson(bursar, {
    email: 'viewer@demo-school.example',
    institute: 'demo-school',
    role: 'viewer',
  })
  assert.deepEqual((await colleague.get(TOKENS)).body.data, [])
  assert.equal((await colleague.send('DELETE', `${TOKENS}/${made.id}`)).status, 404)
  assert.ok(
    (await owner.get(TOKENS)).body.data.some((one: Json) => one.name === 'short-lived' && !('token' in one)),
  )
  const client = await bearer(made.token)
  await answered(client, 'get_overview')
  assert.equal((await owner.send('DELETE', `${TOKENS}/${made.id}`)).status, 200)
  await assert.rejects(client.listTools(), /401|ended/)
})

test('a person can give a token no more than their role has, and needs their password', async () => {
  const cashier = await createPerson(bursar, {
    email: 'cash@demo-school.example',
    institute: 'demo-school',
    role: 'cashier',
  })
  const { body } = await cashier.get(`${TOKENS}/scopes`)
  assert.deepEqual(
    body.data.map((one: Json) => one.scope),
    ['personal', 'payments'],
  )
  const wanted = { name: 'x', days: 1, scopes: ['reminders'], password: 'seven green kites' }
  const refused = await cashier.post(TOKENS, wanted)
  assert.match(`${refused.status} ${refused.body.message}`, /^400 scopes may not have reminders/)
  assert.equal((await cashier.post(TOKENS, { ...wanted, scopes: [], password: 'wrong' })).status, 400)
})

test('tokens that expired, and of people who were disabled or have left, open nothing', async () => {
  const email = 'leaver@demo-school.example'
  const person = await createPerson(bursar, { email, institute: 'demo-school' })
  for (const act of [
    `update personal_tokens set expires_at = now() where user_id = $1`,
    `update console_users set disabled_at = now() where id = $1`,
    `delete from console_memberships where user_id = $1`,
  ]) {
    const { token } = await tokenOf(person)
    const client = await bearer(token)
    const [user] = await sql<{ id: string }>('select id from console_users where email = $1', [email])
    await sql(act, [user?.id])
    await assert.rejects(client.listTools(), act)
    await sql('update console_users set disabled_at = null where id = $1', [user?.id])
  }
})

test('signing out everywhere ends the tokens of the person, and of nobody else', async () => {
  const person = await createPerson(bursar, { email: 'out@demo-school.example', institute: 'demo-school' })
  const client = await bearer((await tokenOf(person)).token)
  assert.equal((await person.post(`${API}/account/sessions/end-all`)).status, 200)
  await assert.rejects(client.listTools(), /401|ended/)
  await answered(assistant, 'get_overview')
})

test('a token of one school is unknown with the code of another', async () => {
  const [, secret = ''] = mine.token.split('.')
  await assert.rejects(bearer(`demo-group.${secret}`), /401|unknown/)
})
