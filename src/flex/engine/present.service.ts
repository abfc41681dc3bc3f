import { whenTold } from '../../messages/messages.service.ts'
import { openDebits, sendDebit } from '../../payments/debits/debits.service.ts'
import type { Payment } from '../../payments/payments.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { FlexContext } from '../context.ts'
import { withPlans, type LockedPlans } from '../plans/with-plans.service.ts'
import { noticeIdOf } from '../rules/plan.rules.ts'
import { present } from './debit.ts'
import type { DueInstalment } from './engine.store.ts'
import { readPaidElsewhere } from './paid-elsewhere.service.ts'
import { insertPresentations } from './presentations.store.ts'

const SEND_AT_ONCE = 20

/**
 * Presents what was announced. The intent (order, payment, presentation) is committed first; then the bank is told. If we
 * die in between, the reconciler of payments learns that the bank never heard of it, and the debit begins its way anew.
 */
export async function presentAll(ctx: FlexContext, due: readonly DueInstalment[]): Promise<void> {
  if (due.length === 0) return
  const ready = await openAll(ctx, due)
  for (let start = 0; start < ready.length; start += SEND_AT_ONCE)
    await Promise.all(ready.slice(start, start + SEND_AT_ONCE).map(one => send(ctx, one)))
}

type Ready = { payment: Payment } & Parameters<typeof sendDebit>[2]

/** What cannot be sent now the reconciler finds out about. */
async function send(ctx: FlexContext, { payment, ...details }: Ready): Promise<void> {
  await sendDebit(ctx, payment, details).catch(() => {})
}

/** The students are held: a drop, a fee or a payment is either seen here or comes after the presentation. */
async function openAll(ctx: FlexContext, due: readonly DueInstalment[]): Promise<Ready[]> {
  const open = async (plans: LockedPlans, tx: Transaction): Promise<Ready[]> => {
    const leftAt = await noticesLeftAt(tx, plans, due)
    const paidElsewhere = await readPaidElsewhere(tx, plans)
    const presented = due.flatMap(({ planId, instalmentId }) => {
      const plan = plans.get(planId)
      if (plan === undefined) return []
      const facts = {
        noticeLeftAt: leftAt.get(instalmentId),
        paidElsewhere: paidElsewhere.get(plan.plan.studentId) ?? [],
      }
      return present(plan, instalmentId, facts) ?? []
    })
    const payments = await openDebits(
      tx,
      presented.map(({ debit }) => debit),
    )
    await insertPresentations(
      tx,
      presented.map(({ presentation }) => presentation),
    )
    return presented.flatMap(({ debit, mandateRef }, index) => {
      const payment = payments[index]
      if (payment === undefined) return []
      const { collectorCode, studentName, name, phone, email } = debit.order
      const description = `Fees for ${studentName ?? 'a student'}`
      return [{ payment, mandateRef, collectorCode, payer: { name, phone, email }, description }]
    })
  }
  return withPlans(ctx, due, open, { holdStudents: true })
}

/** Reads `whenTold` by instalment. */
async function noticesLeftAt(
  tx: Transaction,
  plans: LockedPlans,
  due: readonly DueInstalment[],
): Promise<Map<string, Date | null>> {
  const notices = due.flatMap(({ instituteId, planId, instalmentId }) => {
    const instalment = plans.get(planId)?.find(instalmentId)
    return instalment === undefined ? [] : [{ instituteId, instalmentId, once: noticeIdOf(instalment) }]
  })
  const told = await whenTold(tx, notices)
  return new Map(
    notices.flatMap(({ instalmentId, once }) => {
      const leftAt = told.get(once)
      return leftAt === undefined ? [] : [[instalmentId, leftAt]]
    }),
  )
}
