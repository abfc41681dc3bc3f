import type { Institute } from '../../institutes/institutes.rules.ts'
import { toRupees } from '../../platform/money.ts'
import { instalmentBlock, mandateBlock, scheduleRowBlock, sumsOf } from './plan-events.ts'
import type { PlanHistory } from './plan-history.service.ts'
import type { Instalment, LoadedPlan } from '../rules/plan.rules.ts'

/** Where a plan is shown: whose it is, and under which address parents reach us. */
type Place = { institute: Institute; publicUrl: string }

/** The plan as the API answers it everywhere. */
export function planView(file: LoadedPlan, place: Place) {
  return { ...planHead(file, place), payment_schedule: file.instalments.map(scheduleRowBlock) }
}

/** The same with its mandate, every attempt, and the reasons of what was decided. */
export function wholePlanView({ file, presentations, decisions }: PlanHistory, place: Place) {
  return {
    ...planHead(file, place),
    mandate: file.mandate === null ? undefined : mandateBlock(file.mandate),
    payment_schedule: file.instalments.map(instalment => ({
      ...wholeRow(instalment),
      attempts: presentations.filter(one => one.instalmentId === instalment.id).map(attemptView),
    })),
    decisions: decisions.map(({ decidedAt, instalmentId, what, why }) => ({
      at: decidedAt.toISOString(),
      instalment_id: instalmentId ?? undefined,
      what,
      why,
    })),
  }
}

function planHead(file: LoadedPlan, { institute, publicUrl }: Place) {
  const { plan } = file
  const { totalPaise, paidPaise } = sumsOf(file)
  return {
    plan_id: plan.id,
    service_student_id: plan.studentId,
    status: plan.state,
    is_held: plan.isHeld,
    lock_reason: plan.lockReason ?? undefined,
    product_name: plan.productName,
    total_amount: toRupees(totalPaise),
    paid_amount: toRupees(paidPaise),
    redirect_url: `${publicUrl}/flex/${institute.code}/${plan.id}`,
  }
}

function wholeRow(instalment: Instalment) {
  return {
    ...instalmentBlock(instalment),
    identifier: instalment.identifier ?? undefined,
    present_on: instalment.presentOn,
    notified_at: instalment.notifiedAt?.toISOString(),
    return_code: instalment.returnCode ?? undefined,
  }
}

function attemptView(attempt: PlanHistory['presentations'][number]) {
  return {
    presentation: attempt.presentation,
    amount: toRupees(attempt.amountPaise),
    presented_at: attempt.presentedAt.toISOString(),
    status: attempt.state,
    return_code: attempt.returnCode ?? undefined,
  }
}
