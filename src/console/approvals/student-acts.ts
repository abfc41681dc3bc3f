import { readLapsedLateFees } from '../../dues/late-fees.service.ts'
import type { ConsoleContext } from '../context.ts'
import { callOffCharge, loweredPaise, type CalledOff } from '../../flex/plans/charges.service.ts'
import { reschedule, resumePlan, type ChangedPlan } from '../../flex/plans/plans.service.ts'
import { planStatus, type LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { totalOf, type MoneyGiven } from '../../institutes/institutes.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { getStudent } from '../../students/students.service.ts'
import type { ActTarget, GuardedAct, Weight } from './guarded-act.ts'
import { refundedBeside } from '../../leaving/leaving.rules.ts'
import { settleLeaving, type AskedLeaving, type Leaving } from '../../leaving/leaving.service.ts'
import { paiseOf, sumPaise, toRupees, ZERO, type Paise } from '../../platform/money.ts'
import {
  carryOn,
  endEnrolments,
  enrol,
  type AskedChoice,
  type AskedEnd,
  type Enrolling,
} from '../../students/enrolments/enrol.service.ts'

/** Fees that a plan will take are not late: weighs the late fees that lapse when it takes overdue ones again. */
async function weighPlan(
  tx: Transaction,
  ctx: ConsoleContext,
  { institute, about, result: { plan } }: ActTarget & { result: ChangedPlan },
): Promise<Weight> {
  const { studentId } = plan
  const gifts = await readLapsedLateFees(ctx, tx, [{ instituteId: institute.id, studentId }])
  const { student } = await getStudent(ctx, institute, studentId)
  const title = `Plan of ${student.fullname} goes on without the late fee`
  return { title, subject: about, amountPaise: totalOf(gifts), gifts }
}

type RescheduleRequest = { instalmentId: string; newDueOn: string; reason: string }

export const rescheduleAct: GuardedAct<RescheduleRequest, ChangedPlan> = {
  perform: (ctx, command, { institute, about: planId }, { instalmentId, newDueOn }) =>
    reschedule(ctx, command, institute, { planId, instalmentId, newDueOn }),
  weigh: weighPlan,
  note: ({ about }, { instalmentId, reason }, after) => ({
    what: 'flex.instalment.rescheduled',
    about,
    why: reason,
    before: dayOf(after.before, instalmentId),
    after: dayOf(after, instalmentId),
  }),
}

type CallOffRequest = { instalmentId: string; reason: string }

/** A fee that is taken back: families owe less. */
export const callOffAct: GuardedAct<CallOffRequest, CalledOff> = {
  perform: (ctx, command, { institute, about: planId }, { instalmentId }) =>
    callOffCharge(ctx, command, { instituteId: institute.id, planId }, instalmentId),
  async weigh(tx, ctx, { institute, about, request, result }) {
    const { studentId } = result.plan
    const { student } = await getStudent(ctx, institute, studentId)
    const amountPaise = loweredPaise(result)
    return {
      title: `Single charge of ${student.fullname} called off`,
      subject: `${about} ${request.instalmentId}`,
      amountPaise,
      gifts: [
        { about: studentId, amountPaise },
        ...(await readLapsedLateFees(ctx, tx, [{ instituteId: institute.id, studentId }])),
      ],
    }
  },
  note: ({ about }, { instalmentId, reason }, { before, charge, lowered }) => ({
    what: 'flex.charge.called_off',
    about,
    why: reason,
    before: { instalment_id: instalmentId, status: before.state },
    after: {
      instalment_id: instalmentId,
      status: charge.state,
      lowered: lowered.map(one => `${one.componentType} ${toRupees(one.amountPaise)}`).join(', '),
    },
  }),
}

function dayOf({ instalments }: LoadedPlan, instalmentId: string): unknown {
  const one = instalments.find(({ id }) => id === instalmentId)
  return {
    instalment_id: instalmentId,
    due_date: one?.dueOn,
    present_on: one?.presentOn,
    status: one?.state,
  }
}

export const resumeAct: GuardedAct<{ reason: string }, ChangedPlan> = {
  perform: (ctx, command, { institute, about: planId }) =>
    resumePlan(ctx, command, { instituteId: institute.id, planId }),
  weigh: weighPlan,
  note: ({ about }, { reason }, after) => ({
    what: 'flex.plan.resumed',
    about,
    why: reason,
    before: stateOf(after.before),
    after: stateOf(after),
  }),
}

/** What the log keeps of a plan: where it and its mandate stood. */
export function stateOf(loaded: LoadedPlan): unknown {
  const { plan, mandate } = loaded
  return {
    status: planStatus(loaded),
    is_held: plan.isHeld,
    lock_reason: plan.lockReason ?? undefined,
    mandate: mandate?.state,
  }
}

/** Everything that one leaving gives away, weighed together: lower fees, what is written off, late fees, refunds. */
export const leavingAct: GuardedAct<AskedLeaving, Leaving> = {
  perform: (ctx, command, { institute, about: studentId }, request, by) =>
    settleLeaving(ctx, command, { institute, studentId }, request, by),
  async weigh(tx, ctx, { institute, about, result: { settlement } }) {
    const { student } = await getStudent(ctx, institute, about)
    const { loweredPaise, freedPaise, writtenOffPaise, waivedPaise, usedForLateFeesPaise, refunds } =
      settlement
    const lapsed = await readLapsedLateFees(ctx, tx, [{ instituteId: institute.id, studentId: about }])
    const lapsedPaise = atLeastNone(totalOf(lapsed) - usedForLateFeesPaise)
    const beside = refundedBeside(freedPaise, refunds)
    const gifts: MoneyGiven[] = [
      { about, amountPaise: sumPaise([loweredPaise, writtenOffPaise]) },
      ...refunds.map(({ refundId, way }, index) => ({
        about,
        amountPaise: beside[index] ?? ZERO,
        ...(way === 'online' ? { refundId } : {}),
      })),
      { about, amountPaise: paiseOf(Math.max(waivedPaise, lapsedPaise)), isLateFee: true },
    ]
    const takenBy = refunds.flatMap(one => one.takenBy ?? [])
    const title = `Leaving of ${student.fullname} settled`
    return { title, subject: about, amountPaise: totalOf(gifts), gifts, takenBy }
  },
  note: ({ about }, { reason, leftOn }, { settlement }) => ({
    what: 'student.left',
    about,
    why: reason,
    after: {
      status: 'dropped',
      left_on: leftOn,
      lowered: toRupees(settlement.loweredPaise),
      written_off: toRupees(settlement.writtenOffPaise),
      late_fees_waived: toRupees(settlement.waivedPaise),
      deposits_returned: toRupees(settlement.depositPaise),
      used: toRupees(settlement.usedPaise),
      refunded: toRupees(sumPaise(settlement.refunds.map(one => one.amountPaise))),
      refund_ids: settlement.refunds.map(({ refundId }) => refundId).join(', '),
      still_owed: toRupees(sumPaise([settlement.owedPaise, settlement.lateFeePaise])),
      advance: toRupees(settlement.advancePaise),
    },
  }),
}

const atLeastNone = (paise: number): Paise => paiseOf(Math.max(paise, 0))

/** What is done with an optional fee for some children. */
export type OptionalFeeRequest = { reason: string } & (
  | { kind: 'enrol'; asked: AskedChoice }
  | { kind: 'end'; asked: AskedEnd }
  | { kind: 'carry'; fromFeeId: string }
)

const VERBS = { enrol: 'given or changed', end: 'ended', carry: 'carried on' } as const

/** An option that is given, changed or ended: what families pay less by it, and concessions that come with it. */
export const optionalFeeAct: GuardedAct<OptionalFeeRequest, Enrolling> = {
  perform(ctx, command, { institute, about: feeId }, request, by) {
    const target = { institute, feeId, isPreview: false, by }
    if (request.kind === 'enrol') return enrol(ctx, command, target, request.asked)
    if (request.kind === 'end') return endEnrolments(ctx, command, target, request.asked)
    return carryOn(ctx, command, target, request.fromFeeId)
  },
  async weigh(tx, ctx, { institute, about, request, result: { fee, students } }) {
    const changed = students.filter(one => one.outcome === 'changed')
    const lowered = changed.map(one => ({ about: one.student.id, amountPaise: one.givenPaise }))
    const keys = lowered
      .filter(one => one.amountPaise > 0)
      .map(one => ({ instituteId: institute.id, studentId: one.about }))
    const gifts = [...lowered, ...(await readLapsedLateFees(ctx, tx, keys))]
    const [only] = changed
    const whom =
      changed.length === 1 && only !== undefined ? only.student.fullname : `${changed.length} children`
    return {
      title: `${fee.name} ${VERBS[request.kind]} for ${whom}`,
      subject: `${about} ${request.kind} ${changed.map(one => one.student.id).join(' ')}`.slice(0, 2_000),
      amountPaise: totalOf(gifts),
      gifts,
      effect: {
        students: changed.length,
        beforePaise: sumPaise(changed.map(one => one.beforePaise)),
        afterPaise: sumPaise(changed.map(one => one.afterPaise)),
      },
      exact: exactly(
        request,
        changed.map(one => one.student.id),
      ),
    }
  },
  note({ about }, request, { fee, students }) {
    const changed = students.filter(one => one.outcome === 'changed')
    const [only] = changed
    const isOne = changed.length === 1 && only !== undefined
    return {
      what: { enrol: 'optional_fee.given', end: 'optional_fee.ended', carry: 'optional_fee.carried_on' }[
        request.kind
      ],
      about: isOne ? only.student.id : about,
      ...(request.reason === '' ? {} : { why: request.reason }),
      after: {
        fee: fee.name,
        ...detailOf(request, fee.options),
        ...(isOne ? {} : { students: changed.map(one => one.student.identifier) }),
      },
    }
  },
}

function detailOf(
  request: OptionalFeeRequest,
  options: Enrolling['fee']['options'],
): Record<string, unknown> {
  if (request.kind === 'carry') return {}
  if (request.kind === 'end') return { last_day: request.asked.lastDay ?? 'taken back' }
  const option = options.find(one => one.id === request.asked.optionId)
  return { option: option?.name, stop: option?.stop, first_day: request.asked.firstDay }
}

/** Who was seen is who it is done for. */
function exactly(request: OptionalFeeRequest, studentIds: string[]): OptionalFeeRequest {
  const who = { studentIds }
  if (request.kind === 'carry') return request
  if (request.kind === 'end') return { ...request, asked: { ...request.asked, who } }
  return { ...request, asked: { ...request.asked, who } }
}
