import { openDebits, sendDebit, type Debit } from '../../payments/debits/debits.service.ts'
import type { Payment } from '../../payments/payments.rules.ts'
import type { ProviderName } from '../../providers/port.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { formatRupees } from '../../platform/money.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'
import { readDebitRules } from '../settings/debit-rules.service.ts'
import { takeQuietStep } from './steps.ts'
import { Desk } from '../plans/plan-changes.ts'
import type { DueInstalment } from './engine.store.ts'
import type { FlexContext } from '../context.ts'
import { lockPlans, readFiles } from '../plans/plans.store.ts'
import { orderFor } from '../../orders/student-order.ts'
import { nextStep } from '../rules/debit.rules.ts'
import type { Instalment, LoadedPlan } from '../rules/plan.rules.ts'
import { insertPresentations, type Presentation } from './presentations.store.ts'
import { refit } from '../plans/rebalance.ts'
import { sumLines } from '../rules/schedule.rules.ts'
import { debitContextOf, type DebitRules } from '../rules/debit.rules.ts'

const SEND_AT_ONCE = 20

/**
 * Presents what was announced. The intent (order, payment, presentation) is committed first; then the bank is told. If we
 * die in between, the janitor of payments learns that the bank never heard of it, and the debit begins its way anew.
 */
export async function presentAll(flex: FlexContext, due: readonly DueInstalment[]): Promise<void> {
  if (due.length === 0) return
  const ready = await flex.db.transaction(tx => openAll(flex, tx, due))
  for (let start = 0; start < ready.length; start += SEND_AT_ONCE)
    await Promise.all(ready.slice(start, start + SEND_AT_ONCE).map(one => send(flex, one)))
}

type Ready = { payment: Payment; mandateRef: string; collectorCode: string; description: string }

/** What cannot be sent now the janitor finds out about. */
async function send(flex: FlexContext, { payment, ...details }: Ready): Promise<void> {
  await sendDebit(flex, payment, details).catch(() => {})
}

async function openAll(flex: FlexContext, tx: Transaction, due: readonly DueInstalment[]): Promise<Ready[]> {
  await lockPlans(tx, due)
  const files = await readFiles(tx, due)
  const keys = [...files.values()].map(({ plan }) => ({
    instituteId: plan.instituteId,
    studentId: plan.studentId,
  }))
  const students = await readStudentContexts(tx, keys)
  const debitRules = await readDebitRules(flex, tx)
  const desk = new Desk(debitRules.now)
  const plans: { debit: Debit; presentation: Presentation; mandateRef: string }[] = []
  for (const { planId, instalmentId } of due) {
    const file = files.get(planId)
    const student = students.get(file?.plan.studentId ?? '')
    if (file === undefined || student === undefined) continue
    const planned = plan(desk, { file, student, instalmentId, debitRules })
    if (planned !== null) plans.push(planned)
  }
  const payments = await openDebits(
    tx,
    plans.map(({ debit }) => debit),
  )
  await desk.write(tx)
  if (plans.length > 0)
    await insertPresentations(
      tx,
      plans.map(({ presentation }) => presentation),
    )
  return plans.flatMap(({ debit, mandateRef }, index) => {
    const payment = payments[index]
    if (payment === undefined) return []
    const { collectorCode, studentName } = debit.order
    return [{ payment, mandateRef, collectorCode, description: `Fees for ${studentName ?? 'a student'}` }]
  })
}

type Scene = { file: LoadedPlan; student: StudentContext; instalmentId: string; debitRules: DebitRules }

/** Null when it is not to be presented after all: money came since the notice, or a person acted. */
function plan(desk: Desk, { file, student, instalmentId, debitRules }: Scene) {
  refit(desk, file, student)
  const instalment = file.instalments.find(({ id }) => id === instalmentId)
  const { mandate } = file
  const mandateRef = mandate?.providerRef ?? null
  if (instalment === undefined || mandate === null) return null
  const step = nextStep(debitContextOf(file, instalment, debitRules))
  if (step.kind !== 'present' || mandateRef === null) {
    takeQuietStep(
      desk,
      file,
      instalment,
      step.kind === 'present' ? { kind: 'rest', why: 'no mandate' } : step,
    )
    return null
  }
  const order = orderFor(student.student, { kind: 'instalment', lines: instalment.lines, at: desk.now })
  const { instituteId } = file.plan
  const presented = markPresented(desk, file, instalment, order.id)
  const presentation: Presentation = {
    instituteId,
    instalmentId,
    presentation: presented.attempt + presented.bankReturns,
    orderId: order.id,
    mandateId: mandate.id,
    amountPaise: sumLines(instalment.lines),
    presentedAt: desk.now,
  }
  const debit: Debit = {
    instituteId,
    order,
    studentId: student.student.id,
    provider: mandate.provider as ProviderName,
    mode: mandate.rail,
    at: desk.now,
  }
  return { debit, presentation, mandateRef }
}

function markPresented(desk: Desk, file: LoadedPlan, instalment: Instalment, orderId: string): Instalment {
  const why = `${formatRupees(sumLines(instalment.lines))} handed to the bank, presentation ${instalment.attempt + 1}`
  return desk.move(file, instalment, 'presented', why, {
    attempt: instalment.attempt + 1,
    presentedOn: dayOf(desk.now),
    returnCode: null,
    orderId,
    nextStepAt: null,
  })
}
