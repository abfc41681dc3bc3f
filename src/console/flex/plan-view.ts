import { sumLines } from '../../flex/rules/lines.rules.ts'
import { isOpen, sumsOf, type LoadedPlan, type Mandate } from '../../flex/rules/plan.rules.ts'
import { meaningOf } from '../../flex/rules/returns.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { toRupees } from '../../platform/money.ts'
import type { PlanAnswer, PlanRowAnswer, PlanStateAnswer } from './plans.schemas.ts'
import type { PlanRow, PlanDetail, ShownInstalment, TimelineEntry } from './plans.service.ts'
import { OBSTACLE_WORDS } from './flex.texts.ts'

/** Plans as the console shows them. */
export function planRowView(row: PlanRow): PlanRowAnswer {
  return {
    id: row.id,
    status: row.state,
    is_held: row.isHeld,
    ...(row.lockReason === null ? {} : { lock_reason: row.lockReason }),
    product_name: row.productName,
    collector_code: row.collectorCode,
    total_amount: toRupees(row.totalPaise),
    paid_amount: toRupees(row.paidPaise),
    created_at: row.createdAt.toISOString(),
    ...(row.setUpAt === null ? {} : { set_up_at: row.setUpAt.toISOString() }),
    student: { id: row.studentId, fullname: row.fullname, identifier: row.identifier, grade: row.grade },
    ...(row.rail === null ? {} : { rail: row.rail }),
    ...(row.umrn === null ? {} : { umrn: row.umrn }),
    instalments: row.instalments,
    paid_instalments: row.paidInstalments,
    bounced_instalments: row.bounced,
    ...(row.nextOn === null || row.nextPaise === null
      ? {}
      : { next_debit_on: row.nextOn, next_debit_amount: toRupees(row.nextPaise) }),
  }
}

export function planDetailView(
  { file, student, obstacle, instalments, entries }: PlanDetail,
  { institute, publicUrl }: { institute: Institute; publicUrl: string },
): PlanAnswer {
  const { plan, mandate } = file
  const { totalPaise, paidPaise } = sumsOf(file)
  const numbers = new Map(file.instalments.map(({ id, number }) => [id, number]))
  return {
    ...planStateView(file),
    product_name: plan.productName,
    collector_code: plan.collectorCode,
    total_amount: toRupees(totalPaise),
    paid_amount: toRupees(paidPaise),
    created_at: plan.createdAt.toISOString(),
    ...(plan.setUpAt === null ? {} : { set_up_at: plan.setUpAt.toISOString() }),
    is_custom: plan.isCustom,
    page_url: `${publicUrl}/flex/${institute.code}/${plan.id}`,
    student: {
      id: student.id,
      fullname: student.fullname,
      identifier: student.identifier,
      grade: student.grade,
      status: student.status,
      branch: student.branch,
      contact_name: student.contactName,
      contact_number: student.contactNumber,
      contact_email: student.contactEmail,
    },
    ...(obstacle === null ? {} : { obstacle: { kind: obstacle, ...OBSTACLE_WORDS[obstacle] } }),
    ...(mandate === null ? {} : { mandate: mandateView(mandate) }),
    instalments: instalments.map(one => instalmentView(one, file)),
    story: entries.map(entry => entryView(entry, numbers)),
  }
}

export function planStateView({ plan }: LoadedPlan): PlanStateAnswer {
  return {
    id: plan.id,
    status: plan.state,
    is_held: plan.isHeld,
    ...(plan.lockReason === null ? {} : { lock_reason: plan.lockReason }),
  }
}

function mandateView(mandate: Mandate): NonNullable<PlanAnswer['mandate']> {
  return {
    id: mandate.id,
    rail: mandate.rail,
    status: mandate.state,
    ...(mandate.umrn === null ? {} : { umrn: mandate.umrn }),
    ...(mandate.upiReference === null ? {} : { upi_reference: mandate.upiReference }),
    max_amount: toRupees(mandate.capPaise),
    start_date: mandate.startOn,
    end_date: mandate.endOn,
    provider: mandate.provider,
    ...(mandate.authorisedAt === null ? {} : { authorised_at: mandate.authorisedAt.toISOString() }),
    ...(mandate.npciCategory === null ? {} : { ended_because: mandate.npciCategory }),
  }
}

function instalmentView(
  { instalment, next, attempts }: ShownInstalment,
  { plan }: LoadedPlan,
): PlanAnswer['instalments'][number] {
  const isPlanOver = plan.state === 'cancelled' || plan.state === 'closed'
  return {
    id: instalment.id,
    number: instalment.number,
    is_downpayment: instalment.isDownpayment,
    due_date: instalment.dueOn,
    present_on: instalment.presentOn,
    amount: toRupees(sumLines(instalment.lines)),
    details: instalment.lines.map(({ componentType, amountPaise }) => ({
      component_type: componentType,
      amount: toRupees(amountPaise),
    })),
    status: instalment.state,
    ...(instalment.notifiedAt === null ? {} : { notified_at: instalment.notifiedAt.toISOString() }),
    next_step: next,
    can_be_moved: !isPlanOver && !instalment.isDownpayment && isOpen(instalment),
    attempts: attempts.map(attempt => ({
      presentation: attempt.presentation,
      amount: toRupees(attempt.amountPaise),
      presented_at: attempt.presentedAt.toISOString(),
      status: attempt.state,
      ...(attempt.returnCode === null
        ? {}
        : { return_code: attempt.returnCode, reason: meaningOf(attempt.returnCode).message }),
    })),
  }
}

function entryView(
  { kind, id, at, what, why, by, instalmentId, data }: TimelineEntry,
  numbers: ReadonlyMap<string, number>,
): PlanAnswer['story'][number] {
  const instalment = instalmentId === null ? undefined : numbers.get(instalmentId)
  return {
    id: `${kind}.${id}`,
    kind,
    at: at.toISOString(),
    what,
    ...(why === null ? {} : { why }),
    ...(by === null ? {} : { by }),
    ...(instalment === undefined ? {} : { instalment }),
    ...(data === null ? {} : { data }),
  }
}
