import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  startLender,
  signedHeaders,
  type LenderEmulator,
  type Message,
} from '../../emulators/lender/emulator.ts'
import type { Act } from '../../emulators/lender/books.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import {
  addLender,
  checkLender,
  chooseLender,
  pauseLender,
  rotateLender,
} from '../../src/loans/lenders/lenders.service.ts'
import type { Json } from '../harness/client.ts'
import { EVENTS, TERMS, WHOLE } from './protocol-support.ts'
import { CRED, LoanWorld } from './support.ts'

/** The conformance of a lender: whatever is lost, doubled, late, reordered or forged, nothing is doubled and nothing is stuck. */
const world = await LoanWorld.open({ after })
const { bursar } = world
const { ctx } = bursar.app
let emulator: LenderEmulator

before(async () => {
  // The secret comes with the lender, and the lender's address is known before: as it is for an operator.
  emulator = await startLender({
    secret: 'whsec_',
    callbackUrl: () => `${bursar.url}/callbacks/lenders/vidya`,
  })
  const { secret } = await addLender(ctx, {
    ...TERMS,
    code: 'vidya',
    title: 'Vidya Finance',
    apiUrl: emulator.url,
  })
  emulator.secrets[0] = secret ?? ''
  await chooseLender(ctx, await getInstitute(ctx, 'demo-school'), 'vidya')
})
after(() => emulator.close())

const pageOf = (id: string): string => `${bursar.url}/cred/demo-school/${id}`

async function sent(): Promise<string> {
  const id = await world.start(await world.student())
  const answer = await world.form(id, 'lender', { consent: 'yes' })
  assert.equal(answer.headers.get('location'), `${emulator.url}/page`)
  return id
}

/** The lender goes through these steps; its messages are returned and not sent. */
function play(id: string, acts: readonly Act[]): Message[] {
  return acts.map(act => {
    const message = emulator.act(id, act)
    assert.ok(message, `the lender refused ${act.kind}`)
    return message
  })
}

const ORDERS: Record<string, number[]> = {
  'in order': [0, 1, 2, 3, 4, 5, 6],
  backwards: [6, 5, 4, 3, 2, 1, 0],
  'doubled, shuffled and one lost': [3, 3, 0, 6, 1, 1, 5, 0, 6, 3],
  'the last one only': [6],
}

for (const [name, order] of Object.entries(ORDERS)) {
  test(`a loan whose messages come ${name} is disbursed once, tranche by tranche`, async () => {
    const id = await sent()
    const messages = play(id, WHOLE)
    for (const index of order) assert.equal(await emulator.send(messages[index] as Message), 200)
    await world.settle()
    const { status, disbursements, emis } = await world.read(id)
    assert.deepEqual([status, disbursements.length, emis.length], ['disbursed', 3, 1])
    assert.deepEqual(await world.told(id), EVENTS)
    const paid = await bursar.sql('select 1 from cred_pay_outs where application_id = $1', [id])
    assert.equal(paid.length, 3)
  })
}

test('messages that come all at once are each applied once', async () => {
  const id = await sent()
  const messages = play(id, WHOLE)
  const answers = await Promise.all([...messages, ...messages].map(message => emulator.send(message)))
  assert.deepEqual(new Set(answers), new Set([200]))
  await world.settle()
  assert.deepEqual((await world.told(id)).toSorted(), EVENTS.toSorted())
})

test('an application whose answer was lost is sent again and exists once at the lender', async () => {
  const id = await world.start(await world.student())
  emulator.spoil('/applications/submit', 'lose')
  const lost = await world.form(id, 'lender', { consent: 'yes' })
  assert.equal(lost.headers.get('location'), `/cred/demo-school/${id}?problem=away`)
  const ref = emulator.books.loans.get(id)?.ref
  assert.ok(ref)
  assert.equal((await world.form(id, 'lender', {})).headers.get('location'), `${emulator.url}/page`)
  assert.equal(emulator.books.loans.get(id)?.ref, ref)
})

test('an answer that makes no sense, 429 and 500 leave the application as it was', async () => {
  const id = await sent()
  play(id, [{ kind: 'fill' }])
  for (const fault of [
    { status: 429 },
    { status: 500 },
    { status: 200, body: '{"updates": [{"kind": "sold"}]}' },
  ]) {
    emulator.spoil('/applications/status', fault)
    await fetch(`${pageOf(id)}/return`, { redirect: 'manual' })
    assert.equal((await world.read(id)).status, 'started')
  }
  await fetch(`${pageOf(id)}/return`, { redirect: 'manual' })
  assert.equal((await world.read(id)).status, 'filled')
})

test('what the lender never sends is asked for', async () => {
  const id = await sent()
  play(id, WHOLE.slice(0, 2))
  await world.advance('PT2M')
  assert.equal((await world.read(id)).status, 'final_approved')
})

test('an offer is accepted on our page, once, and the lender hears of it though an answer is lost', async () => {
  const id = await sent()
  for (const message of play(id, [{ kind: 'fill' }, { kind: 'approve', amount: 50_000 }]))
    await emulator.send(message)
  const { offer, amount } = await world.read(id)
  assert.deepEqual([offer.yearly_rate_percent, offer.months, offer.fees, amount], [12.5, 12, 590, 50_000])
  const page = await world.page(id)
  assert.match(page, /Accept the offer/)
  assert.match(page, /12\.5 %/)
  assert.match(
    (await world.form(id, 'accept', { offer: offer.id })).headers.get('location') ?? '',
    /problem=consent/,
  )
  const other = await world.form(id, 'accept', { offer: 'OFF-OTHER', consent: 'yes' })
  assert.match(other.headers.get('location') ?? '', /problem=changed/)
  emulator.spoil('/applications/accept', { status: 503 })
  for (let click = 0; click < 2; click++)
    assert.equal((await world.form(id, 'accept', { offer: offer.id, consent: 'yes' })).status, 303)
  await world.advance('PT1M')
  assert.equal(emulator.books.loans.get(id)?.isAccepted, true)
  assert.ok((await world.read(id)).offer_accepted_at)
  const asked = emulator.asked.length
  await world.advance('PT1M')
  assert.ok(
    !emulator.asked.slice(asked).includes('/applications/accept'),
    'confirmed once, it is not sent again',
  )
})

test('a cancelation that crosses an agreement finds the loan taken', async () => {
  const id = await sent()
  play(id, WHOLE.slice(0, 3))
  const answer = await bursar.demo.post(`${CRED}/applications/${id}/cancel`)
  assert.equal(answer.status, 409, answer.text)
  assert.equal((await world.read(id)).status, 'agreement_signed')
})

test('a cancelation whose answer is lost is finished later', async () => {
  const id = await sent()
  emulator.spoil('/applications/end', 'lose')
  assert.equal((await bursar.demo.post(`${CRED}/applications/${id}/cancel`)).status, 503)
  await world.advance('PT5M')
  assert.equal((await world.read(id)).status, 'canceled')
  assert.deepEqual(await world.told(id), ['loan.application_started', 'loan.canceled'])
})

const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000)

test('a message that is forged, too old, altered or of another lender is refused', async () => {
  const id = await sent()
  const [message] = play(id, [{ kind: 'fill' }])
  const body = JSON.stringify(message)
  const secret = emulator.secrets[0] ?? ''
  const deliver = async (code: string, headers: Record<string, string>, text = body): Promise<number> =>
    (await fetch(`${bursar.url}/callbacks/lenders/${code}`, { method: 'POST', headers, body: text })).status
  const foreign = await addLender(ctx, { ...TERMS, code: 'other', title: 'Other', apiUrl: emulator.url })
  assert.equal(await deliver('vidya', {}), 400)
  assert.equal(await deliver('vidya', signedHeaders(foreign.secret ?? '', body)), 400)
  assert.equal(await deliver('vidya', signedHeaders(secret, body, minutesAgo(6))), 400)
  assert.equal(await deliver('vidya', signedHeaders(secret, body, minutesAgo(-6))), 400)
  assert.equal(await deliver('vidya', signedHeaders(secret, body), body.replace('filled', 'expired')), 400)
  assert.equal(
    await deliver('other', signedHeaders(foreign.secret ?? '', body)),
    400,
    'signed, but not its application',
  )
  assert.equal(await deliver('nobody', signedHeaders(secret, body)), 404)
  const incomplete = JSON.stringify({ ...message, update: { kind: 'disbursed', at: new Date() } })
  assert.equal(await deliver('vidya', signedHeaders(secret, incomplete), incomplete), 400)
  assert.equal((await world.read(id)).status, 'started')
  assert.equal(await deliver('vidya', signedHeaders(secret, body, minutesAgo(4))), 200)
  assert.equal((await world.read(id)).status, 'filled')
})

test('a rightly signed report that cannot be true is refused, and a person sees why', async () => {
  const id = await sent()
  const { ref: lender_ref = '' } = emulator.books.loans.get(id) ?? {}
  const report = async (update: Json): Promise<number> =>
    emulator.send({ type: 'application.updated', application_id: id, lender_ref, update })
  const at = new Date().toISOString()
  const problem = async (): Promise<string> =>
    (
      await bursar.sql<{ text: string }>(
        'select lender_problem as text from cred_applications where id = $1',
        [id],
      )
    )[0]?.text ?? ''
  const tranche = { id: 'T1', date: '2026-12-01', amount: 60_000 }
  const paid = { number: 1, tranche_id: 'T1', date: '2026-12-01', amount: 40_000, utr: 'VFINTEST0001' }
  const offer = { id: 'OFF-1', yearly_rate_bp: 1200, months: 12, emi: 5_400 }
  assert.equal(await report({ kind: 'filled', at }), 200)
  assert.equal(await report({ kind: 'approved', at, amount: 600_000 }), 409)
  assert.match(await problem(), /6,00,000.00 were approved/)
  assert.equal(await report({ kind: 'approved', at: '1970-01-01T00:00:00Z', amount: 60_000, offer }), 200)
  assert.equal(await problem(), '')
  assert.ok((await world.read(id)).expires_at > at, 'the offer is not dead as it arrives')
  assert.equal(await report({ kind: 'sanctioned', at, tranches: [tranche] }), 409, 'nobody accepted it')
  await world.form(id, 'accept', { offer: 'OFF-1', consent: 'yes' })
  assert.equal(await report({ kind: 'sanctioned', at, tranches: [{ ...tranche, amount: 90_000 }] }), 409)
  assert.equal(await report({ kind: 'sanctioned', at, tranches: [{ ...tranche, date: '1999-12-01' }] }), 400)
  assert.equal(await report({ kind: 'sanctioned', at, tranches: [tranche] }), 200)
  const disbursed = (change: Json): Promise<number> =>
    report({ kind: 'disbursed', at, disbursement: { ...paid, ...change } })
  assert.equal(await disbursed({ tranche_id: 'NOPE' }), 409)
  assert.equal(await disbursed({ amount: 60_001 }), 409)
  assert.equal(await disbursed({ utr: '  ' }), 400)
  assert.equal(await disbursed({ date: '2036-11-17' }), 400)
  assert.equal(await disbursed({}), 200)
  assert.equal(await disbursed({}), 200, 'the same again')
  assert.equal(await disbursed({ amount: 50_000 }), 409, 'the same number, another amount')
  assert.equal(await disbursed({ number: 2 }), 409, 'the same UTR')
  assert.equal(await disbursed({ number: 2, utr: 'VFINTEST0002' }), 409, 'more than the loan')
  const rows = await bursar.sql('select 1 from cred_pay_outs where application_id = $1', [id])
  assert.equal(rows.length, 1)
})

test('a secret is rotated without a gap, and the old one ends after a week', async () => {
  const [old = ''] = emulator.secrets
  const { secret } = await rotateLender(ctx, 'vidya')
  await assert.rejects(rotateLender(ctx, 'vidya'), /less than a week ago/)
  assert.equal((await checkLender(ctx, 'vidya')).flaw, null, 'the lender still knows the old one only')
  const id = await sent()
  const [filled, approved] = play(id, WHOLE.slice(0, 2)) as [Message, Message]
  assert.equal(await emulator.send(filled), 200)
  emulator.secrets[0] = secret
  assert.equal(await emulator.send(approved), 200)
  await world.advance('P8D')
  emulator.secrets[0] = old
  assert.equal(await emulator.send(approved), 400)
  assert.match((await checkLender(ctx, 'vidya')).flaw ?? '', /does not accept our signature/)
  emulator.secrets[0] = secret
})

test('a paused lender gets no new application, and those it has go on', async () => {
  const id = await sent()
  await pauseLender(ctx, 'vidya', true)
  const refused = await bursar.demo.post(`${CRED}/students/${await world.student()}/applications`)
  assert.equal(refused.status, 409, refused.text)
  for (const message of play(id, WHOLE.slice(0, 2))) assert.equal(await emulator.send(message), 200)
  assert.equal((await world.read(id)).status, 'final_approved')
  await pauseLender(ctx, 'vidya', false)
})

test('an application at a lender that answers no more ends a week after it lapsed; a loan reported then is refused', async () => {
  const studentId = await world.student()
  const id = await world.start(studentId)
  await world.form(id, 'lender', { consent: 'yes' })
  const [secret = ''] = emulator.secrets
  emulator.secrets[0] = 'whsec_AAAA'
  await world.advance('P32D')
  assert.equal((await world.read(id)).status, 'started', 'the lender may still be back')
  await world.advance('P8D')
  assert.equal((await world.read(id)).status, 'expired')
  emulator.secrets[0] = secret
  const messages = play(id, WHOLE.slice(0, 3))
  assert.equal(await emulator.send(messages[2] as Message), 409)
  assert.ok(await world.start(studentId))
})
