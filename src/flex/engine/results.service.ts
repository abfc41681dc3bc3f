import { paymentBlock } from '../../payments/payment-events.ts'
import type { PaymentBlock } from '../../events/blocks.ts'
import type {
  FailedPayment,
  PaidOrder,
  PaymentHandler,
  ReversedOrder,
} from '../../payments/payment-handler.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { formatRupees } from '../../platform/money.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'
import { Desk } from '../plans/plan-changes.ts'
import { flexEvent, instalmentBlock } from '../plans/plan-events.ts'
import type { Context } from '../../platform/context.ts'
import { lockPlans, readFiles } from '../plans/plans.store.ts'
import { tellFamily } from '../notices/family.texts.ts'
import { afterReturn, type AfterReturn } from '../rules/after-return.rules.ts'
import type { Instalment, LoadedPlan } from '../rules/plan.rules.ts'
import { endPresentations, findByOrders, type PresentationState } from './presentations.store.ts'
import { closeIfDone, refit } from '../plans/rebalance.ts'
import { endMandate } from '../mandates/end-mandate.ts'
import { meaningOf, NEVER_SENT } from '../rules/returns.rules.ts'
import { sumLines } from '../rules/schedule.rules.ts'
import { debitContextOf, type DebitRules } from '../rules/debit.rules.ts'
import { readDebitRules } from '../settings/debit-rules.service.ts'

type DebitRulesContext = Pick<Context, 'db' | 'clock'>

/** What the bank's word about a presentation means for its instalment, in the transaction that wrote it down. */
export function instalmentPaymentHandler(flex: DebitRulesContext): PaymentHandler {
  return {
    captured: (tx, paid, at) =>
      withOrders(flex, tx, [paid.payment], at, (desk, scene) => debit(desk, scene, paid)),
    settled: (tx, paid, at) =>
      withOrders(
        flex,
        tx,
        paid.map(({ payment }) => payment),
        at,
        (desk, scene) => settle(desk, scene, paid),
      ),
    failed: (tx, failed, at) =>
      withOrders(flex, tx, [failed.payment], at, (desk, scene) => bounce(desk, scene, failed)),
    reversed: (tx, reversed, at) =>
      withOrders(flex, tx, [reversed.payment], at, (desk, scene) => reverse(desk, scene, reversed)),
  }
}

type Scene = {
  file: LoadedPlan
  student: StudentContext
  instalment: Instalment
  orderId: string
  /** The one it was presented under; by now the plan may have another. */
  mandateId: string | null
  debitRules: DebitRules
}
type Ending = { state: PresentationState; returnCode: string | null }

/** Lays the plans behind these payments on the desk, under their locks. */
async function withOrders(
  flex: DebitRulesContext,
  tx: Transaction,
  payments: readonly { instituteId: number; orderId: string }[],
  at: Date,
  act: (desk: Desk, scene: Scene) => Ending | null,
): Promise<void> {
  const [first] = payments
  if (first === undefined) return
  const { instituteId } = first
  const found = await findByOrders(
    tx,
    instituteId,
    payments.map(({ orderId }) => orderId),
  )
  await lockPlans(tx, found)
  const files = await readFiles(tx, found)
  const keys = [...files.values()].map(({ plan }) => ({ instituteId, studentId: plan.studentId }))
  const students = await readStudentContexts(tx, keys)
  const debitRules = await readDebitRules(flex, tx)
  const desk = new Desk(at)
  const endings: (Ending & { instituteId: number; orderId: string; at: Date })[] = []
  for (const { planId, instalmentId, orderId, mandateId } of found) {
    const file = files.get(planId)
    const student = students.get(file?.plan.studentId ?? '')
    const instalment = file?.instalments.find(({ id }) => id === instalmentId)
    if (file === undefined || student === undefined || instalment === undefined) continue
    const ending = act(desk, { file, student, instalment, orderId, mandateId, debitRules })
    if (ending !== null) endings.push({ ...ending, instituteId, orderId, at })
  }
  if (endings.length > 0) await endPresentations(tx, endings)
  await desk.write(tx)
}

function debit(desk: Desk, scene: Scene, paid: PaidOrder): Ending | null {
  const { file, student, instalment, orderId } = scene
  const { amountPaise } = paid.payment
  if (instalment.orderId !== orderId || instalment.state !== 'presented')
    return debitedLate(desk, scene, paid)
  const debited = desk.move(file, instalment, 'debited', `the bank paid ${formatRupees(amountPaise)}`)
  tellMoney(desk, { ...scene, instalment: debited }, paid, 'debited')
  desk.send(tellFamily('debited', file, { student, at: desk.now, amountPaise }))
  closeIfDone(desk, file, student)
  return { state: 'debited', returnCode: null }
}

/** The bank paid a presentation that it had returned. The money counts for the student, so what is still to come is less. */
function debitedLate(desk: Desk, scene: Scene, paid: PaidOrder): null {
  const { file, student, instalment } = scene
  desk.note(file, instalment, 'paid late', 'the bank paid a presentation after it had returned it')
  tellMoney(desk, scene, paid, 'debited')
  refit(desk, file, student)
  return null
}

function settle(desk: Desk, scene: Scene, paid: readonly PaidOrder[]): null {
  const { file, instalment, orderId } = scene
  const one = paid.find(({ order }) => order.id === orderId)
  if (one === undefined) return null
  // What was paid late reached the institute too, though the instalment went on without it.
  const isItsOwn = instalment.state === 'debited' && instalment.orderId === orderId
  const shown = isItsOwn
    ? desk.move(file, instalment, 'settled', 'the money reached the institute')
    : instalment
  tellMoney(desk, { ...scene, instalment: shown }, one, 'settled')
  return null
}

/** Money that left the payer, or reached the institute, is always told of: whoever keeps books must not miss any. */
function tellMoney(
  desk: Desk,
  { file, student, instalment }: Pick<Scene, 'file' | 'student' | 'instalment'>,
  paid: PaidOrder,
  happened: 'debited' | 'settled',
): void {
  const facts = { student, at: desk.now, payment: paymentOf(paid, instalment) }
  desk.tell(
    instalment.isDownpayment
      ? flexEvent(`flex.downpayment.${happened}`, file, facts)
      : flexEvent(`flex.instalment.${happened}`, file, {
          ...facts,
          instalment: instalmentBlock(instalment),
        }),
  )
}

/** By the reference that the ERP gave the instalment. */
function paymentOf({ payment, order }: PaidOrder, { referenceId }: Instalment): PaymentBlock {
  return { ...paymentBlock(payment, order, 'flex'), reference_id: referenceId ?? undefined }
}

function bounce(desk: Desk, scene: Scene, { code, message }: FailedPayment): Ending | null {
  const { file, instalment, orderId, debitRules } = scene
  if (instalment.orderId !== orderId || instalment.state !== 'presented' || file.mandate === null) return null
  const rail = debitRules.rules.rails[file.mandate.rail]
  const next = afterReturn(debitContextOf(file, instalment, debitRules), rail, code)
  if (next.kind === 'wait') {
    desk.note(file, instalment, 'waiting', `${code}: ${message}`)
    return null
  }
  const bounced = desk.move(file, instalment, 'bounced', `${code}: ${next.meaning.message}`, {
    returnCode: code,
    nextStepAt: null,
  })
  if (code !== NEVER_SENT || next.kind === 'stop')
    tellBounce(desk, { ...scene, instalment: bounced }, { code, next })
  goOn(desk, { ...scene, instalment: bounced }, { code, next })
  return { state: 'bounced', returnCode: code }
}

function nextDay(next: AfterReturn): string | undefined {
  if (next.kind === 'schedule') return next.presentOn
  return next.kind === 'retry' ? dayOf(next.at) : undefined
}

function tellBounce(
  desk: Desk,
  { file, student, instalment }: Scene,
  { code, next }: { code: string; next: AfterReturn },
): void {
  const { category, message } = next.meaning
  desk.tell(
    flexEvent('flex.instalment.bounced', file, {
      student,
      at: desk.now,
      instalment: instalmentBlock(instalment),
      reason: { code, category, message },
      next_presentation_on: nextDay(next),
    }),
  )
  desk.tellBounce(file, instalment, {
    kind: 'bounced',
    amountPaise: sumLines(instalment.lines),
    reason: message,
  })
}

function goOn(desk: Desk, scene: Scene, { code, next }: { code: string; next: AfterReturn }): void {
  const { file, instalment } = scene
  switch (next.kind) {
    case 'schedule': {
      const uncounted = next.counts
        ? {}
        : {
            attempt: instalment.attempt - 1,
            bankReturns: instalment.bankReturns + 1,
            firstBankReturnAt: instalment.firstBankReturnAt ?? desk.now,
          }
      const change = {
        presentOn: next.presentOn,
        notifiedAt: null,
        fetchTries: 0,
        nextStepAt: desk.now,
        ...uncounted,
      }
      desk.move(file, instalment, 'scheduled', `to be presented again on ${next.presentOn}`, change)
      return
    }
    case 'retry': {
      const scheduled = desk.move(file, instalment, 'scheduled', 'to be presented again within its notice')
      desk.move(file, scheduled, 'confirmed', `in the window of ${next.at.toISOString()}`, {
        nextStepAt: next.at,
      })
      return
    }
    case 'stop':
    case 'wait':
      return
    case 'mandate_ended':
      if (file.mandate?.id === scene.mandateId) endMandate(desk, scene, code)
      return
    default:
      assertNever(next)
  }
}

function reverse(desk: Desk, scene: Scene, { code, message, payment }: ReversedOrder): Ending | null {
  const { file, student, instalment, orderId } = scene
  const isStanding = instalment.state === 'debited' || instalment.state === 'settled'
  if (instalment.orderId !== orderId || !isStanding) return null
  const meaning = meaningOf(code)
  const reversed = desk.move(file, instalment, 'reversed', `${code}: ${message}; a person decides`, {
    returnCode: code,
  })
  desk.tell(
    flexEvent('flex.instalment.bounced', file, {
      student,
      at: desk.now,
      instalment: instalmentBlock(reversed),
      reason: { code, category: meaning.category, message: meaning.message },
    }),
  )
  const { amountPaise } = payment
  desk.tellBounce(file, reversed, { kind: 'reversed', amountPaise, reason: meaning.message })
  return { state: 'reversed', returnCode: code }
}

/** A down payment is paid at the checkout, before the mandate is given. */
export function downpaymentPaymentHandler(flex: DebitRulesContext): PaymentHandler {
  return {
    captured: (tx, paid, at) =>
      withOrders(flex, tx, [paid.payment], at, (desk, scene) => {
        const { file, instalment } = scene
        const why = `${formatRupees(paid.payment.amountPaise)} paid at set-up`
        // A plan that was cancelled while the payment was pending stays so; the money came all the same.
        const shown =
          instalment.state === 'scheduled' ? desk.move(file, instalment, 'debited', why) : instalment
        tellMoney(desk, { ...scene, instalment: shown }, paid, 'debited')
        return null
      }),
    settled: (tx, paid, at) =>
      withOrders(
        flex,
        tx,
        paid.map(({ payment }) => payment),
        at,
        (desk, scene) => settle(desk, scene, paid),
      ),
    // The page says so, and the parent tries again.
    failed: async () => {},
    reversed: async () => {},
  }
}
