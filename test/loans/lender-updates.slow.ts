import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { LenderAct } from '../../src/sandbox/lender/simulator.rules.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import type { Callback } from '../../src/providers/port.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { CRED, LoanWorld } from './support.ts'

/** What a lender tells comes twice, late, in any order or not at all, and ends the same. */
const world = await LoanWorld.open({ after })
const { bursar, lender } = world
const { id: instituteId } = await getInstitute(bursar.app.ctx, 'demo-school')

async function deliver({ headers, rawBody }: Callback): Promise<number> {
  const answer = await fetch(`${bursar.url}/callbacks/lenders/sandbox`, {
    method: 'POST',
    headers: headers as Record<string, string>,
    body: rawBody.toString('utf8'),
  })
  await answer.text()
  return answer.status
}

/** The lender goes through these steps, and nothing that it posts arrives. */
async function playUnheard(id: string, acts: readonly LenderAct[]): Promise<Callback[]> {
  const loan = await lender.find(instituteId, { applicationId: id })
  assert.ok(loan)
  const callbacks: Callback[] = []
  for (const act of acts) callbacks.push(...(await lender.act(loan, act)))
  return callbacks
}

/** The parent has gone on to the lender. */
async function sent(amount?: number): Promise<{ id: string; studentId: string }> {
  const studentId = await world.student()
  const id = await world.start(studentId, amount)
  const answer = await world.form(id, 'lender', { consent: 'yes' })
  assert.equal(answer.status, 303)
  return { id, studentId }
}

const TAKEN: LenderAct[] = [
  { kind: 'fill' },
  { kind: 'approve' },
  {
    kind: 'sign',
    tranches: [
      { plannedOn: '2026-12-01', amountPaise: paiseOf(40_000_00) },
      { plannedOn: '2027-01-01', amountPaise: paiseOf(20_000_00) },
    ],
  },
  { kind: 'disburse' },
  { kind: 'disburse', amountPaise: paiseOf(5_000_00) },
  { kind: 'emi' },
  { kind: 'disburse' },
  { kind: 'emi' },
]

const STORY = [
  'loan.application_started',
  'loan.application_filled',
  'loan.final_approved',
  'loan.agreement_signed',
  'emi.debited',
  'emi.debited',
  'loan.disbursed',
  'loan.disbursed',
  'loan.disbursed',
]

const ORDERS = {
  'in order': [0, 1, 2, 3, 4, 5, 6, 7],
  backwards: [7, 6, 5, 4, 3, 2, 1, 0],
  'shuffled, twice and with one lost': [3, 3, 0, 6, 1, 1, 5, 0, 6, 7, 3],
  'the last one only': [7],
}

for (const [name, order] of Object.entries(ORDERS)) {
  test(`callbacks ${name} lead to the same events, each once`, async () => {
    const { id, studentId } = await sent()
    const callbacks = await playUnheard(id, TAKEN)
    for (const index of order) {
      const callback = callbacks[index]
      assert.ok(callback)
      assert.equal(await deliver(callback), 200)
    }
    assert.equal((await world.summary(studentId)).outstanding, 0)
    await world.settle()
    const { status, disbursements, emis } = await world.read(id)
    assert.deepEqual([status, disbursements.length, emis.length], ['disbursed', 3, 2])
    assert.deepEqual(await world.told(id), STORY)
  })
}

test('callbacks that come at the same moment are each applied once', async () => {
  const { id } = await sent()
  const callbacks = await playUnheard(id, TAKEN)
  const answers = await Promise.all([...callbacks, ...callbacks].map(deliver))
  assert.deepEqual(new Set(answers), new Set([200]))
  await world.settle()
  assert.equal((await world.read(id)).status, 'disbursed')
  assert.deepEqual((await world.told(id)).toSorted(), STORY.toSorted())
})

test('an end that overtakes the steps before it is told after them', async () => {
  const { id } = await sent()
  const callbacks = await playUnheard(id, [{ kind: 'fill' }, { kind: 'reject' }])
  for (const callback of callbacks.toReversed()) await deliver(callback)
  assert.deepEqual(await world.told(id), [
    'loan.application_started',
    'loan.application_filled',
    'loan.rejected',
  ])
})

test('a callback without the lender’s signature is refused and changes nothing', async () => {
  const { id } = await sent()
  const [callback] = await playUnheard(id, [{ kind: 'fill' }])
  assert.ok(callback)
  const rawBody = Buffer.from(callback.rawBody.toString('utf8').replace('filled', 'expired'))
  assert.equal(await deliver({ ...callback, rawBody }), 400)
  assert.equal(await deliver({ ...callback, headers: {} }), 400)
  assert.equal((await world.read(id)).status, 'started')
  assert.equal(await deliver(callback), 200)
  assert.equal((await world.read(id)).status, 'filled')
})

test('what a lender never tells is asked for', async () => {
  const { id } = await sent(5_000.94)
  await playUnheard(id, TAKEN.slice(0, 2))
  assert.equal((await world.read(id)).status, 'started')
  await world.advance('PT2M')
  assert.equal((await world.read(id)).status, 'final_approved')
  await world.act(id, 'sign')
  assert.equal((await world.read(id)).status, 'final_approved', 'this lender tells nothing')
  const days = async (count: number): Promise<void> => {
    for (let day = 0; day < count; day++) await world.advance('P1D')
  }
  await days(1)
  await world.act(id, 'disburse')
  await days(7)
  await world.act(id, 'emi')
  await days(8)
  const { status, emis, disbursements } = await world.read(id)
  assert.deepEqual([status, emis.length, disbursements[0].is_disbursed], ['disbursed', 1, true])
})

test('an application that nobody goes on with lapses after a month, at the lender too', async () => {
  const [unsent, open] = [await world.start(await world.student()), await sent()]
  const approved = await sent()
  await world.advance('P20D')
  await world.act(approved.id, 'fill', 'approve')
  await world.advance('P11D')
  for (const id of [unsent, open.id]) {
    assert.equal((await world.read(id)).status, 'expired')
    assert.deepEqual(await world.told(id), ['loan.application_started', 'loan.application_expired'])
  }
  assert.equal((await lender.find(instituteId, { applicationId: open.id }))?.state, 'expired')
  assert.equal((await world.read(approved.id)).status, 'final_approved', 'an offer has a month of its own')
  await world.advance('P20D')
  assert.equal((await world.read(approved.id)).status, 'expired')
})

test('canceling one that was signed at this very moment finds the loan taken', async () => {
  const { id } = await sent(5_000.94)
  await playUnheard(id, TAKEN.slice(0, 2))
  await world.act(id, 'sign')
  const answer = await bursar.demo.post(`${CRED}/applications/${id}/cancel`)
  assert.equal(answer.status, 409, answer.text)
  assert.match(answer.body.message, /agreement is signed/)
  assert.equal((await world.read(id)).status, 'agreement_signed')
})

test('of two who start an application for a student at the same moment one does', async () => {
  const studentId = await world.student()
  const path = `${CRED}/students/${studentId}/applications`
  const answers = await Promise.all([1, 2, 3].map(() => bursar.demo.post(path)))
  const refused = answers.filter(({ status }) => status === 409)
  assert.deepEqual([refused.length, answers.some(({ status }) => status === 201)], [2, true])
})
