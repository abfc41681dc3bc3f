import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { DESK, Desk, OFFER, RAVI, SCHOOL } from './support.ts'
import { API, assertAnswer, createPerson, PASSWORD, tokenOf, Visitor } from '../support.ts'

/** The desk of a lender without an API. */
const desk = await Desk.open({ after })
const { world, ravi, other } = desk
const { bursar } = world
const at = (id: string, act = ''): string => desk.at(id, act)
const sent = (studentId?: string): Promise<string> => desk.sent(studentId)
const read = (id: string): Promise<Json> => desk.read(id)

test('an application goes from consent to the last tranche at the desk, and every step is audited', async () => {
  const id = await sent()
  const fresh = await read(id)
  assert.deepEqual(
    [fresh.loan.status, fresh.waits_for, fresh.acts],
    ['filled', 'lender', ['approve', 'reject']],
  )
  assert.deepEqual([fresh.loan.borrower, fresh.loan.institute].map(Boolean), [true, true])
  for (const change of [{ emi: 99_999_999 }, { emi: 100 }, { fees: 60_000 }, { amount: 60_001 }])
    assert.notEqual((await ravi.post(at(id, '/approve'), { ...OFFER, ...change })).status, 200)
  assertAnswer(await ravi.post(at(id, '/approve'), OFFER), '200')
  const early = await ravi.post(at(id, '/sanction'), { tranches: [{ date: '2026-12-01', amount: 60_000 }] })
  assertAnswer(early, '409 HUE00002')
  assert.match(early.body.message, /not accepted the offer/)
  const { offer } = await world.read(id)
  const accepted = await world.form(id, 'accept', { offer: offer.id, consent: 'yes' })
  assert.equal(accepted.headers.get('location'), `/cred/demo-school/${id}`)
  assert.match(await world.page(id), /You accepted the offer/)
  const half = [
    { date: '2026-12-01', amount: 40_000 },
    { date: '2027-01-01', amount: 20_000 },
  ]
  assertAnswer(await ravi.post(at(id, '/sanction'), { tranches: half.slice(1) }), '409 HUE00002')
  const bare = await ravi.post(at(id, '/sanction'), { tranches: half })
  assertAnswer(bare, '400 HUE00000')
  assert.match(bare.body.errors[0].message, /attach the sanction letter first, or say why there is none/)
  const without_letter = 'It goes to the family by post.'
  assertAnswer(await ravi.post(at(id, '/sanction'), { tranches: half, without_letter }), '200')
  const [first, second] = (await read(id)).disbursements
  const pay = (tranche: Json, amount: number, utr: string): Promise<Answer> =>
    ravi.post(at(id, '/disburse'), { disbursement_id: tranche.id, amount, date: desk.today, utr })
  assertAnswer(await pay(first, 40_001, 'HDFCR0001'), '409 HUE00002')
  assertAnswer(await pay(first, 40_000, '  '), '400 HUE00000')
  const late = { disbursement_id: first.id, amount: 40_000, date: '2036-11-17', utr: 'HDFCR0001' }
  assertAnswer(await ravi.post(at(id, '/disburse'), late), '400 HUE00000')
  assertAnswer(await pay(first, 40_000, 'HDFCR0001'), '200')
  assertAnswer(await pay(first, 40_000, 'HDFCR0002'), '409 HUE00002')
  assertAnswer(await pay(second, 20_000, 'HDFCR0001'), '409 HUE00002')
  assertAnswer(await pay(second, 5_000, 'HDFCR0002'), '200')
  const rest = (await read(id)).disbursements.find((one: Json) => one.status === 'planned')
  assert.equal(rest.amount, 15_000)
  assertAnswer(await pay(rest, 15_000, 'HDFCR0003'), '200')
  await world.settle()
  const { loan, disbursements, acts } = await read(id)
  assert.deepEqual([loan.status, disbursements.length, acts], ['disbursed', 3, []])
  assert.deepEqual(disbursements.map((one: Json) => one.utr).toSorted(), [
    'HDFCR0001',
    'HDFCR0002',
    'HDFCR0003',
  ])
  const audit = await bursar.sql<{ what: string; actor_name: string }>(
    'select what, actor_name from console_audit where about = $1 order by id',
    [id],
  )
  const mails = await bursar.sql<{ subject: string }>('select subject from messages where about = $1', [id])
  assert.match(mails.map(one => one.subject).join(), /offers you a loan.*You accepted.*is agreed/)
  const transfer = 'transfer_recorded'
  const steps = ['offer_made', 'sanctioned', transfer, transfer, transfer]
  assert.deepEqual(
    audit,
    steps.map(step => ({ what: `loan.${step}`, actor_name: 'loans@sahakari.example.in' })),
  )
})

test('two clicks on a disbursement pay once', async () => {
  const id = await sent()
  await desk.approveAndSign(id)
  const foreign = await world.post(id, 'disburse')
  assertAnswer(foreign, '409 HUE00002')
  assert.match(foreign.body.message, /is with Sahakari Bank/)
  const [tranche] = (await read(id)).disbursements
  const body = { disbursement_id: tranche.id, amount: 60_000, date: desk.today, utr: 'HDFCR0009' }
  const answers = await Promise.all([1, 2, 3].map(() => ravi.post(at(id, '/disburse'), body)))
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '409', '409'])
  assert.equal((await bursar.sql('select 1 from cred_pay_outs where application_id = $1', [id])).length, 1)
})

const listed = async (visitor: Visitor, code: string): Promise<string[]> =>
  (await visitor.get(`${API}/lenders/${code}/applications`)).body.data.map((one: Json) => one.application_id)

test('a lender sees nothing before the family’s consent, and nothing of another lender', async () => {
  const unsent = await world.start(await world.student())
  const id = await sent()
  assert.ok((await listed(ravi, 'sahakari')).includes(id))
  assert.ok(!(await listed(ravi, 'sahakari')).includes(unsent))
  assert.deepEqual(await listed(other, 'gramin'), [])
  assertAnswer(await ravi.get(at(unsent)), '404 HUE00001')
  for (const path of [
    at(id),
    `${API}/lenders/gramin/applications/${id}`,
    `${API}/institutes/demo-school/loans`,
  ])
    assertAnswer(await other.get(path), '404 HUE00001')
  assertAnswer(await other.post(`${API}/lenders/gramin/applications/${id}/approve`, OFFER), '404 HUE00001')
  assert.equal((await read(id)).loan.status, 'filled')
  const { institutes, lenders } = (await ravi.greet()).body.data
  assert.deepEqual([institutes, lenders], [[], [{ code: 'sahakari', title: 'Sahakari Bank' }]])
})

const pdf = Buffer.from('%PDF-1.7\n1 0 obj\nendobj\ntrailer\n%%EOF\n')

function uploadTo(
  id: string,
  visitor: Visitor,
  content: Buffer,
  type = 'application/pdf',
): Promise<Response> {
  return fetch(`${bursar.url}${at(id, '/letter')}`, {
    method: 'POST',
    headers: { cookie: visitor.cookie ?? '', 'x-csrf': visitor.csrf ?? '', 'content-type': type },
    body: new Uint8Array(content),
  })
}

test('a sanction letter is a PDF of at most 5 MiB, and is served as a download', async () => {
  const id = await sent()
  const upload = (visitor: Visitor, content: Buffer, type?: string): Promise<Response> =>
    uploadTo(id, visitor, content, type)
  assert.equal((await upload(ravi, Buffer.from('<html><script>alert(1)</script>'))).status, 400)
  assert.equal((await upload(ravi, pdf, 'text/html')).status, 400)
  assert.equal((await upload(ravi, Buffer.concat([pdf, Buffer.alloc(5 * 1024 * 1024)]))).status, 413)
  assert.equal((await upload(other, pdf)).status, 404)
  assertAnswer(await ravi.get(at(id, '/letter')), '404 HUE00001')
  assert.equal((await upload(ravi, pdf)).status, 200)
  const letter = await fetch(`${bursar.url}${at(id, '/letter')}`, { headers: { cookie: ravi.cookie ?? '' } })
  assert.equal(letter.headers.get('content-type'), 'application/pdf')
  assert.match(
    letter.headers.get('content-disposition') ?? '',
    /^attachment; filename="loan_\w+-sanction-letter.pdf"$/,
  )
  assert.match(letter.headers.get('content-security-policy') ?? '', /sandbox/)
  assert.deepEqual(Buffer.from(await letter.arrayBuffer()), pdf)
  assert.equal((await read(id)).letters.length, 1)
})

test('every version of a letter is kept, and there is no new one once money was transferred under it', async () => {
  const id = await sent()
  const second = Buffer.concat([pdf, Buffer.from('% second\n%%EOF\n')])
  for (const content of [pdf, second]) assert.equal((await uploadTo(id, ravi, content)).status, 200)
  const letter = async (query = ''): Promise<Buffer> => {
    const url = `${bursar.url}${at(id, '/letter')}${query}`
    return Buffer.from(await (await fetch(url, { headers: { cookie: ravi.cookie ?? '' } })).arrayBuffer())
  }
  assert.deepEqual([await letter(), await letter('?version=1')], [second, pdf])
  const versions = async (): Promise<number[]> => (await read(id)).letters.map((one: Json) => one.version)
  assert.deepEqual([await versions(), (await read(id)).takes_letter], [[2, 1], true])
  await desk.approveAndSign(id)
  assertAnswer(await desk.pay(id, 'HDFCR0010'), '200')
  assert.equal((await uploadTo(id, ravi, pdf)).status, 409)
  assert.deepEqual([await versions(), (await read(id)).takes_letter], [[2, 1], false])
})

test('an offer that nobody accepted can be replaced, and only the last one can be accepted', async () => {
  const id = await sent()
  assertAnswer(await ravi.post(at(id, '/approve'), OFFER), '200')
  const first = (await world.read(id)).offer.id
  const better = { ...OFFER, amount: 50_000, emi: 4_454.33 }
  assertAnswer(await ravi.post(at(id, '/approve'), better), '200')
  const { amount, offer } = await world.read(id)
  assert.equal(amount, 50_000)
  assert.notEqual(offer.id, first)
  await world.form(id, 'accept', { offer: first, consent: 'yes' })
  assert.equal((await world.read(id)).offer_accepted_at, undefined)
  assert.equal((await desk.accept(id)).status, 303)
  assertAnswer(await ravi.post(at(id, '/approve'), OFFER), '409 HUE00002')
  assert.equal((await world.read(id)).offer.id, offer.id)
})

test('family and lender are told what happened and who acts next, and a lapse too', async () => {
  const id = await sent()
  const { email } = await read(id)
  await desk.approveAndSign(id)
  assertAnswer(await desk.pay(id, 'HDFCR0011'), '200')
  await world.settle()
  const lapsed = await sent()
  const withdrawn = await sent()
  assertAnswer(await bursar.demo.post(`/api/v1/integrations/cred/applications/${withdrawn}/cancel`), '200')
  // A family is written to in the language of its school.
  await bursar.sql(`update institutes set family_language = 'ta' where code = 'demo-school'`)
  await world.advance('P31D')
  await bursar.sql('update institutes set family_language = null')
  const mails = async (to: string, about: string): Promise<string> =>
    (await desk.mailsTo(to, about)).join('; ')
  assert.match(
    await mails(email, id),
    /offers you a loan; You accepted.*; Your loan.*is agreed; Sahakari Bank has paid the school/,
  )
  assert.match(await mails(RAVI, id), /A loan application of ₹60,000.00; An offer of.*accepted/)
  assert.match(await mails(email, lapsed), /உங்கள் கடன் விண்ணப்பம் காலாவதியானது/)
  assert.match(await mails(RAVI, lapsed), /application.*; .*lapsed/)
  assert.match(await mails(email, withdrawn), /There is no loan/)
  assert.match(await mails(RAVI, withdrawn), /application.*; .*withdrawn/)
})

test('an owner chooses the lender of the institute, nobody else does, and it is audited', async () => {
  const path = `${SCHOOL}/lender`
  const owner = await createPerson(bursar, {
    email: 'owner@school.example.in',
    institute: 'demo-school',
    role: 'owner',
  })
  const choice = (await desk.finance.get(path)).body.data
  assert.equal(choice.lender, 'sahakari')
  assert.deepEqual(
    choice.lenders.map((one: Json) => one.code),
    ['gramin', 'sahakari'],
  )
  const reason = 'A better rate'
  assertAnswer(await desk.finance.send('PUT', path, { lender: 'gramin', reason }), '403 AUE00001')
  assertAnswer(await owner.send('PUT', path, { lender: 'nobody', reason }), '404 HUE00001')
  assertAnswer(await owner.send('PUT', path, { lender: 'gramin', reason }), '200')
  const id = await world.start(await world.student())
  assert.equal((await world.read(id)).lender, 'Gramin Bank')
  assertAnswer(await owner.send('PUT', path, { lender: 'sahakari', reason }), '200')
  const audit = await bursar.sql(
    "select before, after, why from console_audit where what = 'lender.chosen' order by id",
  )
  assert.deepEqual(audit[0], { before: { lender: 'sahakari' }, after: { lender: 'gramin' }, why: reason })
})

test('somebody of a lender cannot join an institute by an invitation', async () => {
  const owner = await createPerson(bursar, {
    email: 'inviting@school.example.in',
    institute: 'demo-school',
    role: 'owner',
  })
  assertAnswer(await owner.post(`${SCHOOL}/team/invitations`, { email: RAVI, role: 'finance' }), '201')
  await world.advance('PT1M')
  const { body } = await bursar.demo.get(`/api/v1/sandbox/mailbox?to=${RAVI}`)
  const token = tokenOf(body.data[0].text)
  const answer = await new Visitor(bursar.url).post(`${API}/invitations/accept`, {
    token,
    password: PASSWORD,
  })
  assertAnswer(answer, '409 HUE00002')
  assert.deepEqual((await ravi.greet()).body.data.institutes, [])
})

test('the family may withdraw until the agreement, and the desk finds it over', async () => {
  const id = await sent()
  assertAnswer(await bursar.demo.post(`/api/v1/integrations/cred/applications/${id}/cancel`), '200')
  const answer = await ravi.post(at(id, '/approve'), OFFER)
  assertAnswer(answer, '409 HUE00002')
  assert.match(answer.body.message, /canceled/)
})

test('who has only the id of an application can neither consent nor accept for the family', async () => {
  const id = await world.start(await world.student())
  const url = `${bursar.url}/cred/demo-school/${id}`
  const post = (act: string, fields: Record<string, string>, key = ''): Promise<Response> =>
    fetch(`${url}/${act}${key}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  assert.equal((await post('lender', { consent: 'yes' })).status, 404)
  assert.equal((await post('lender', { consent: 'yes' }, '?key=guessed')).status, 404)
  assert.equal((await world.form(id, 'lender', { consent: 'yes' })).status, 303)
  assertAnswer(await ravi.post(at(id, '/approve'), OFFER), '200')
  const { offer, redirect_url: link } = await world.read(id)
  assert.equal((await post('accept', { offer: offer.id, consent: 'yes' })).status, 404)
  assert.match(await (await fetch(url)).text(), /open the link that you got from the school/)
  // The family's browser keeps the key, as the lender sends it back without one.
  const cookie = (await fetch(link)).headers.getSetCookie()[0]?.split(';')[0] ?? ''
  assert.match(await (await fetch(url, { headers: { cookie } })).text(), /Accept the offer/)
  const answers = JSON.stringify([await read(id), (await ravi.get(`${DESK}/applications`)).body])
  assert.ok(!answers.includes(new URL(link).searchParams.get('key') ?? '?'), 'the lender is not shown it')
  const body = new URLSearchParams({ offer: offer.id, consent: 'yes' })
  const accepted = await fetch(`${url}/accept`, {
    method: 'POST',
    headers: { cookie },
    body,
    redirect: 'manual',
  })
  assert.equal(accepted.status, 303)
  assert.deepEqual([(await read(id)).accepted_from], ['127.0.0.1'])
})

test('the borrower is who consented, whatever the student’s contact is later', async () => {
  const studentId = await world.student()
  const id = await sent(studentId)
  const { loan, phone } = await read(id)
  const path = `/api/v1/integrations/erp/students/${studentId}`
  const changed = { primary_contact_name: 'Somebody Else', primary_contact_number: '9000000002' }
  assertAnswer(await bursar.demo.send('PATCH', path, changed), '200')
  const after = await read(id)
  assert.deepEqual([after.loan.borrower, after.phone], [loan.borrower, phone])
  assertAnswer(await ravi.post(at(id, '/reject'), { reason: 'No.' }), '200')
  assert.equal((await read(id)).phone, undefined, 'nobody has to be called any more')
})
