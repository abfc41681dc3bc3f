import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purgeSignIns } from '../../../src/portal/sign-in/sign-in.service.ts'
import { Visitor } from '../../harness/visitor.ts'
import { contract, parentOf } from '../entry-support.ts'

const { demo, url, sql, app } = contract
const SCHOOL = '/school/demo-school'

await sql(`update institutes set has_parent_sign_in = true where code = 'demo-school'`)

let number = 9_000_000_000
const newPhone = (): string => String(number++)

/** A family of its own number and address. */
async function family(
  contact: { phone?: string; email?: string } = {},
): Promise<{ studentId: string; phone: string; email: string }> {
  const phone = contact.phone ?? newPhone()
  const email = contact.email ?? `parent-${phone}@example.in`
  const { studentId } = await parentOf({ primary_contact_number: phone, primary_contact_email: email })
  return { studentId, phone, email }
}

async function ask(contact: string, visitor = new Visitor(url)) {
  const seen = await visitor.post(SCHOOL, { contact })
  return { visitor, seen }
}

async function codesFor(recipient: string): Promise<string[]> {
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT0S' })
  const { body } = await demo.get(`/api/v1/sandbox/mailbox?to=${encodeURIComponent(recipient)}`)
  return body.data.flatMap((one: { text: string }) => /^\d{6,8}$/m.exec(one.text)?.[0] ?? [])
}

const enter = (visitor: Visitor, code: string) => visitor.post(`${SCHOOL}/code`, { code })
const other = (code: string): string => (code === '000000' ? '000001' : '000000')

const time = async (contact: string): Promise<number> => {
  const begun = performance.now()
  await ask(contact)
  return performance.now() - begun
}

/** Each test has the limits of the institute for itself. */
const forget = () => sql('delete from parent_sign_ins')

test('a code sent to the phone opens the pages of the family, once and in the browser that asked alone', async () => {
  const { studentId, phone } = await family()
  const { visitor, seen } = await ask(`+91 ${phone.slice(0, 5)} ${phone.slice(5)}`)
  assert.equal(seen.location, `${SCHOOL}/code`, seen.text)
  const [code = ''] = await codesFor(`+91${phone}`)
  assert.equal((await enter(new Visitor(url), code)).status, 400)
  const entered = await enter(visitor, code)
  assert.equal(entered.location, '/parents', entered.text)
  assert.match(
    entered.headers.getSetCookie().join('\n'),
    /^parents=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/m,
  )
  assert.match((await visitor.get('/parents')).text, new RegExp(studentId))
  assert.equal((await visitor.get(SCHOOL)).location, '/parents')
  visitor.cookies.delete('parents')
  assert.equal((await enter(visitor, code)).status, 400)
  const rows = await sql<{ row: string }>(
    'select to_jsonb(p)::text || to_jsonb(m)::text as row from parent_sign_ins p, messages m',
  )
  assert.ok(
    rows.every(({ row }) => !row.includes(code)),
    'the code is stored nowhere as text',
  )
})

test('an e-mail address opens them too, and all children of one contact are on one page', async () => {
  await forget()
  const first = await family()
  const second = await family({ phone: newPhone(), email: first.email })
  const { visitor } = await ask(first.email.toUpperCase())
  const [code = ''] = await codesFor(first.email)
  assert.equal((await enter(visitor, `${code.slice(0, 3)} ${code.slice(3)}`)).location, '/parents')
  const { text } = await visitor.get('/parents')
  for (const { studentId } of [first, second]) {
    assert.match(text, new RegExp(studentId))
    assert.equal((await visitor.get(`/parents/students/${studentId}`)).status, 200)
  }
  const stranger = await family()
  assert.equal((await visitor.get(`/parents/students/${stranger.studentId}`)).status, 404)
})

test('an unknown number gets the same answers as a known one, and no message', async () => {
  await forget()
  const { phone } = await family()
  const unknown = newPhone()
  const [one, two] = [await ask(phone), await ask(unknown)]
  assert.deepEqual(
    [one.seen.status, one.seen.location, one.seen.text],
    [two.seen.status, two.seen.location, two.seen.text],
  )
  const [pageOne, pageTwo] = [
    await one.visitor.get(`${SCHOOL}/code`),
    await two.visitor.get(`${SCHOOL}/code`),
  ]
  assert.equal(pageOne.text, pageTwo.text)
  const [code = ''] = await codesFor(`+91${phone}`)
  assert.deepEqual(await codesFor(`+91${unknown}`), [])
  for (let tries = 0; tries < 6; tries++) {
    const [known, not] = [await enter(one.visitor, other(code)), await enter(two.visitor, other(code))]
    assert.equal(known.text, not.text)
    assert.equal(known.status, 400)
  }
})

test('the time of the answer does not tell a known number from an unknown one', async () => {
  await forget()
  const { phone } = await family()
  // Both wait for the same moment, which is later than the work takes.
  for (const contact of [phone, newPhone()]) assert.ok((await time(contact)) >= 245)
})

test('a code dies after five wrong tries and after ten minutes', async () => {
  await forget()
  const { phone } = await family()
  const { visitor } = await ask(phone)
  const [code = ''] = await codesFor(`+91${phone}`)
  for (let left = 4; left > 0; left--)
    assert.match(
      (await enter(visitor, other(code))).text,
      left === 1 ? /once more/ : new RegExp(`${left} more times`),
    )
  assert.match((await enter(visitor, other(code))).text, /no longer works/)
  assert.match((await enter(visitor, code)).text, /no longer works/)

  await ask(phone, visitor)
  const second = (await codesFor(`+91${phone}`))[0] ?? ''
  await sql(`update parent_sign_ins set created_at = now() - interval '10 minutes 1 second'`)
  assert.match((await enter(visitor, second)).text, /no longer works/)
})

test('wrong tries that come at once are counted one by one', async () => {
  await forget()
  const { phone } = await family()
  const { visitor } = await ask(phone)
  const [code = ''] = await codesFor(`+91${phone}`)
  await Promise.all(Array.from({ length: 10 }, () => enter(visitor, other(code))))
  assert.equal((await enter(visitor, code)).status, 400)
})

test('a number gets three codes in a quarter of an hour from one network, known or not, also when asked for at once', async () => {
  await forget()
  for (const phone of [(await family()).phone, newPhone()]) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(phone)))
    assert.equal(answers.filter(({ seen }) => seen.status === 303).length, 3)
    await sql(`update parent_sign_ins set created_at = now() - interval '16 minutes'`)
    assert.equal((await ask(phone)).seen.status, 303)
    await forget()
  }
})

test('however many codes of a day were not used, a number waits no longer than a quarter of an hour, and its codes get longer', async () => {
  await forget()
  const { phone } = await family()
  const { visitor, seen } = await ask(phone)
  assert.equal(seen.status, 303)
  await sql(
    `insert into parent_sign_ins
       (institute_id, id, browser_hash, code_hash, contact_hash, network_hash, registration_ids, created_at)
     select institute_id, 'code_' || n, browser_hash, code_hash, contact_hash, network_hash, '{}', now() - interval '2 hours'
     from parent_sign_ins, generate_series(1, 50) n`,
  )
  assert.equal((await ask(phone, visitor)).seen.status, 429, 'one in a quarter of an hour, after so many')
  await sql(`update parent_sign_ins set created_at = created_at - interval '15 minutes'`)
  assert.equal((await ask(phone, visitor)).seen.status, 303)
  const [code = ''] = await codesFor(`+91${phone}`)
  assert.match(code, /^\d{8}$/)
  assert.equal((await enter(visitor, code)).location, '/parents')
})

test('a number that more than five users have opens nothing: it is no family’s own', async () => {
  await forget()
  const phone = newPhone()
  for (let user = 0; user < 6; user++) await family({ phone, email: `shared-${user}@example.in` })
  const { seen } = await ask(phone)
  assert.equal(seen.status, 303)
  assert.deepEqual(await codesFor(`+91${phone}`), [])
})

test('a school that does not offer it is answered like one that there is not', async () => {
  const at = (path: string) => new Visitor(url).get(path, { accept: 'text/html' })
  const [off, none] = [await at('/school/demo-group'), await at('/school/no-such-school')]
  assert.deepEqual([off.status, off.text], [404, none.text])
  assert.equal((await new Visitor(url).post('/school/demo-group', { contact: newPhone() })).status, 404)
})

test('what is no number and no address, and what is no code, is said at the field', async () => {
  for (const contact of ['', '12345', 'asha@', 'x'.repeat(300)])
    assert.match((await ask(contact)).seen.text, /needs 10 digits/)
  assert.match((await enter(new Visitor(url), '12345')).text, /has 6 or 8 digits/)
})

test('requests are purged after a day, and no sooner', async () => {
  await forget()
  await ask(newPhone())
  assert.equal(await purgeSignIns(app.ctx, 100), 0)
  await sql(`update parent_sign_ins set created_at = now() - interval '25 hours'`)
  assert.equal(await purgeSignIns(app.ctx, 100), 1)
})

test('one address asks for 40 codes in a row and then has to wait', async () => {
  await forget()
  let status = 303
  for (let times = 0; times < 40 && status !== 429; times++) status = (await ask(newPhone())).seen.status
  assert.equal(status, 429)
})
