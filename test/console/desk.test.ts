import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { addLender, chooseLender } from '../../src/loans/lenders/lenders.service.ts'
import { dayOf } from '../../src/platform/calendar.ts'
import { paiseOf } from '../../src/platform/money.ts'
import type { TransferPort } from '../../src/providers/transfer-port.ts'
import type { Answer, Json } from '../harness/client.ts'
import { LoanWorld } from '../loans/support.ts'
import { API, assertAnswer, createPerson, type Visitor } from './support.ts'

/** The desk of a lender without an API. */
const world = await LoanWorld.open({ after })
const { bursar } = world
const { ctx } = bursar.app
const DESK = `${API}/lenders/sahakari`
const TERMS = {
  kind: 'desk',
  apiUrl: null,
  leastPaise: paiseOf(1_000_00),
  mostPaise: paiseOf(500_000_00),
  yearlyRateBp: 1200,
  months: 12,
} as const
let ravi: Visitor
let other: Visitor

before(async () => {
  await addLender(ctx, { ...TERMS, code: 'sahakari', title: 'Sahakari Bank' })
  await addLender(ctx, { ...TERMS, code: 'gramin', title: 'Gramin Bank' })
  await chooseLender(ctx, await getInstitute(ctx, 'demo-school'), 'sahakari')
  ravi = await createPerson(bursar, { email: 'loans@sahakari.example.in', lender: 'sahakari' })
  other = await createPerson(bursar, { email: 'loans@gramin.example.in', lender: 'gramin' })
})

/** The family has consented, so the lender may see it. */
async function sent(studentId?: string): Promise<string> {
  const id = await world.start(studentId ?? (await world.student()))
  const answer = await world.form(id, 'lender', { consent: 'yes' })
  assert.equal(answer.status, 303)
  return id
}

const at = (id: string, act = ''): string => `${DESK}/applications/${id}${act}`
const today = (): string => dayOf(ctx.clock.now())
const OFFER = { amount: 60_000, yearly_rate_bp: 1250, months: 12, emi: 5_345.2, fees: 590 }

async function read(id: string): Promise<Json> {
  const answer = await ravi.get(at(id))
  assertAnswer(answer, '200')
  return answer.body.data
}

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
  assertAnswer(await ravi.post(at(id, '/sanction'), { tranches: half }), '200')
  const [first, second] = (await read(id)).disbursements
  const pay = (tranche: Json, amount: number, utr: string): Promise<Answer> =>
    ravi.post(at(id, '/disburse'), { disbursement_id: tranche.id, amount, date: today(), utr })
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
  const steps = ['approve', 'sanction', 'disburse', 'disburse', 'disburse']
  assert.deepEqual(
    audit,
    steps.map(step => ({ what: `loan.${step}`, actor_name: 'loans@sahakari.example.in' })),
  )
})

async function approveAndSign(id: string): Promise<void> {
  assertAnswer(await ravi.post(at(id, '/approve'), OFFER), '200')
  const { offer } = await world.read(id)
  await world.form(id, 'accept', { offer: offer.id, consent: 'yes' })
  assertAnswer(
    await ravi.post(at(id, '/sanction'), { tranches: [{ date: '2026-12-01', amount: 60_000 }] }),
    '200',
  )
}

test('two clicks on a disbursement pay once', async () => {
  const id = await sent()
  await approveAndSign(id)
  const [tranche] = (await read(id)).disbursements
  const body = { disbursement_id: tranche.id, amount: 60_000, date: today(), utr: 'HDFCR0009' }
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

test('a sanction letter is a PDF of at most 2 MiB, and is served as a download', async () => {
  const id = await sent()
  const upload = (visitor: Visitor, content: Buffer, type = 'application/pdf'): Promise<Response> =>
    fetch(`${bursar.url}${at(id, '/letter')}`, {
      method: 'POST',
      headers: { cookie: visitor.cookie ?? '', 'x-csrf': visitor.csrf ?? '', 'content-type': type },
      body: new Uint8Array(content),
    })
  const pdf = Buffer.from('%PDF-1.7\n1 0 obj\nendobj\ntrailer\n%%EOF\n')
  assert.equal((await upload(ravi, Buffer.from('<html><script>alert(1)</script>'))).status, 400)
  assert.equal((await upload(ravi, pdf, 'text/html')).status, 400)
  assert.equal((await upload(ravi, Buffer.concat([pdf, Buffer.alloc(2 * 1024 * 1024)]))).status, 413)
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
  assert.ok((await read(id)).letter_at)
})

test('the family may withdraw until the agreement, and the desk finds it over', async () => {
  const id = await sent()
  assertAnswer(await bursar.demo.post(`/api/v1/integrations/cred/applications/${id}/cancel`), '200')
  const answer = await ravi.post(at(id, '/approve'), OFFER)
  assertAnswer(answer, '409 HUE00002')
  assert.match(answer.body.message, /canceled/)
})

test('a transfer to the institute’s own bank account counts once a person has found it there', async t => {
  // No provider takes it in, as in live mode.
  const bank = ctx.accounts.installation.get('sandbox') as { transfers?: TransferPort | undefined }
  t.after(world.disturb(bank, 'transfers', () => undefined))
  const studentId = await world.student()
  const id = await sent(studentId)
  await approveAndSign(id)
  const [tranche] = (await read(id)).disbursements
  const pay = (utr: string): Promise<Answer> =>
    ravi.post(at(id, '/disburse'), { disbursement_id: tranche.id, amount: 60_000, date: today(), utr })
  const finance = await createPerson(bursar, {
    email: 'meera@school.example.in',
    institute: 'demo-school',
    role: 'finance',
  })
  const LOAN = `${API}/institutes/demo-school/loans/${id}`
  const confirm = (received: boolean, number = 1): Promise<Answer> =>
    finance.post(`${LOAN}/confirm`, { number, received })
  assertAnswer(await confirm(true), '404 HUE00001')
  assertAnswer(await pay('NEFT00001'), '200')
  await world.advance('P3D')
  const { disbursements: tranches, transfers, waits_for: next } = (await finance.get(LOAN)).body.data
  assert.deepEqual([tranches[0].status, transfers[0].is_unconfirmed, next], ['paid_out', true, 'institute'])
  assert.equal((await world.summary(studentId)).outstanding, 60_000)
  assertAnswer(await confirm(false), '200')
  assert.equal((await read(id)).disbursements[0].status, 'failed')
  assertAnswer(await pay('NEFT00002'), '200')
  assertAnswer(await confirm(true, 2), '200')
  assertAnswer(await confirm(true, 2), '409 HUE00002')
  const { loan, disbursements } = (await finance.get(LOAN)).body.data
  assert.deepEqual([loan.status, disbursements[0].settlement_utr], ['disbursed', 'NEFT00002'])
  assert.equal((await world.summary(studentId)).outstanding, 0)
  assert.deepEqual((await world.told(id)).filter(code => code === 'loan.disbursed').length, 1)
  // The first one arrives after all: it is the lender's money and counts as an advance.
  assertAnswer(await confirm(true, 1), '200')
  const { paid } = await world.summary(studentId)
  assert.equal(paid, 120_000)
  const utrs = (await finance.get(LOAN)).body.data.transfers.map((one: Json) => one.utr)
  assert.deepEqual(utrs, ['NEFT00001', 'NEFT00002'])
  await world.advance('P1D')
  assert.equal((await world.summary(studentId)).outstanding, 0)
})

test('one transfer that pays for two children is one settlement, and both loans are disbursed', async t => {
  const bank = ctx.accounts.installation.get('sandbox') as { transfers?: TransferPort | undefined }
  t.after(world.disturb(bank, 'transfers', () => undefined))
  const finance = await createPerson(bursar, {
    email: 'batch@school.example.in',
    institute: 'demo-school',
    role: 'finance',
  })
  for (const studentId of [await world.student(), await world.student()]) {
    const id = await sent(studentId)
    await approveAndSign(id)
    const [tranche] = (await read(id)).disbursements
    const body = { disbursement_id: tranche.id, amount: 60_000, date: today(), utr: 'HDFCBATCH11582' }
    assertAnswer(await ravi.post(at(id, '/disburse'), body), '200')
    const LOAN = `${API}/institutes/demo-school/loans/${id}`
    assertAnswer(await finance.post(`${LOAN}/confirm`, { number: 1, received: true }), '200')
    assert.equal((await read(id)).loan.status, 'disbursed')
  }
  const settled = await bursar.sql('select gross_paise from settlements where utr = $1', ['HDFCBATCH11582'])
  assert.deepEqual(settled, [{ gross_paise: 12_000_000 }])
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
