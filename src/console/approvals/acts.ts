import { counterRefundOutput } from '../../banking/refunds/counter-refund.schemas.ts'
import {
  refundAtCounter,
  type AskedCounterRefund,
  type CounterRefund,
} from '../../banking/refunds/counter-refund.service.ts'
import { movePayment, type AskedMove, type MovedPayment } from '../../banking/moves/payment-move.service.ts'
import { totalOf, type MoneyGiven } from '../../institutes/institutes.rules.ts'
import { readLapsedLateFees } from '../../dues/late-fees.service.ts'
import { waiveLateFees, type LateFeeEntry } from '../../dues/payment-rules.service.ts'
import type { Order } from '../../orders/orders.rules.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { formatRupees, paiseOf, sumPaise, toRupees, type Paise } from '../../platform/money.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { readableComponent } from '../../platform/names.ts'
import type { ConsoleContext } from '../context.ts'
import { refundMismatch, type SettledMismatch } from '../../payments/mismatches/mismatches.service.ts'
import type { AskedRefund, Refund } from '../../payments/refunds/refunds.rules.ts'
import { refundAdvance } from '../../payments/refunds/advance-refund.service.ts'
import { requestRefund, type RequestedRefund } from '../../payments/refunds/refunds.service.ts'
import type { Discount } from '../../fees/fees.rules.ts'
import { directPaymentOutput } from '../../students/direct-payments/direct-payment.schemas.ts'
import type { RecordedPayment } from '../../students/direct-payments/direct-payments.rules.ts'
import { findNamedStudents, getStudent } from '../../students/students.service.ts'
import { holdStudents } from '../../students/profile/lock-student.service.ts'
import { refundableAfter } from '../orders/order.schemas.ts'
import { cancelDirect, concede, type Conceded } from '../students/actions.service.ts'
import { toDiscountJson } from '../students/students.output.ts'
import type { ApprovalAct } from './approvals.rules.ts'
import type { ActTarget, GuardedAct } from './guarded-act.ts'
import { rolloverAct, rosterAct, classChangeAct } from './bulk-acts.ts'
import { callOffAct, leavingAct, optionalFeeAct, rescheduleAct, resumeAct } from './student-acts.ts'
import { applyStructureAct, dropStructureAct, paymentRulesAct, setStructureAct } from './rule-acts.ts'

type RefundRequest = AskedRefund & { reason: string }

export const refundAct: GuardedAct<RefundRequest, RequestedRefund> = {
  perform: (ctx, command, { institute, about: orderId }, request) =>
    requestRefund(ctx, command, { institute, orderId }, request),
  async weigh(tx, ctx, { institute, about, request, result: { id, amountPaise } }) {
    const order = await getOrder(ctx, institute, undefined, about)
    const exact = request.lines === null ? { ...request, amountPaise } : request
    const gift = await giftOf(tx, ctx, { institute, order, amountPaise })
    const title = `Refund to ${order.name}`
    return { title, subject: about, amountPaise, gifts: [{ ...gift, refundId: id }], exact }
  },
  note: ({ about }, { reason }, refund) => ({
    what: 'order.refunded',
    about,
    why: reason,
    before: { refundable: toRupees(refund.refundableBeforePaise) },
    after: {
      refund_id: refund.id,
      amount: toRupees(refund.amountPaise),
      refundable: toRupees(refundableAfter(refund)),
    },
  }),
}

/** A refund of an order counts as given to its child, also where the order names the child only by its admission number. */
async function giftOf(
  tx: Transaction,
  ctx: ConsoleContext,
  { institute, order, amountPaise }: Pick<ActTarget, 'institute'> & { order: Order; amountPaise: Paise },
): Promise<MoneyGiven> {
  const { studentId, identifier, academicYearStart, academicYearEnd } = order
  const naming = { studentId, identifier, academicYearStart, academicYearEnd, grade: null, settleDues: true }
  const [named] = await findNamedStudents(ctx, institute.id, [naming])
  const child = named?.studentId ?? null
  // Whatever else is given to the child holds it first, too.
  if (child !== null) await holdStudents(tx, [{ instituteId: institute.id, studentId: child }])
  const about = child ?? (identifier === null ? order.id : `${identifier} ${academicYearStart ?? ''}`.trim())
  return { about, amountPaise }
}

/** Money that came with another amount than was asked for or to a closed account number, or whose refund failed, sent back by a person. */
export const mismatchAct: GuardedAct<{ reason: string }, SettledMismatch> = {
  perform: (ctx, command, { institute, about: id }, { reason }, by) =>
    refundMismatch(ctx, command, { instituteId: institute.id, id, by }, reason),
  async weigh(tx, ctx, { institute, about, result: { came } }) {
    const gifts = []
    for (const { orderId, amountPaise } of came) {
      const order = await getOrder(ctx, institute, undefined, orderId)
      gifts.push(await giftOf(tx, ctx, { institute, order, amountPaise }))
    }
    const title = 'Refund of money that pays nothing'
    return { title, subject: about, amountPaise: totalOf(gifts), gifts }
  },
  note: ({ about }, { reason }) => ({ what: 'report.refunded', about, why: reason }),
}

type AdvanceRequest = { amountPaise: Paise | null; reason: string }

/** What a student has paid beyond what is owed, in one act over its payments. */
export const advanceRefundAct: GuardedAct<AdvanceRequest, Refund[]> = {
  perform: (ctx, command, target, request) => refundAdvance(ctx, command, studentOf(target), request),
  async weigh(_tx, ctx, { institute, about, request, result }) {
    const { student } = await getStudent(ctx, institute, about)
    const amountPaise = sumPaise(result.map(refund => refund.amountPaise))
    const title = `Refund of the advance of ${student.fullname}`
    const gifts = result.map(refund => ({ about, amountPaise: refund.amountPaise, refundId: refund.id }))
    return { title, subject: about, amountPaise, gifts, exact: { ...request, amountPaise } }
  },
  note: ({ about }, { reason }, refunds) => ({
    what: 'advance.refunded',
    about,
    why: reason,
    after: {
      amount: toRupees(sumPaise(refunds.map(refund => refund.amountPaise))),
      refund_ids: refunds.map(({ id }) => id).join(', '),
    },
  }),
}

type ConcessionRequest = { componentType: string; discountType: string; amountPaise: Paise; reason: string }

export const concessionAct: GuardedAct<ConcessionRequest, Conceded> = {
  perform: (ctx, command, target, { componentType, discountType, amountPaise }) =>
    concede(ctx, command, studentOf(target), {
      componentType,
      discount: { discountType, valuePaise: amountPaise },
    }),
  async weigh(tx, ctx, { institute, about, request, result: { before, after } }) {
    const { componentType, discountType, amountPaise } = request
    const { student } = await getStudent(ctx, institute, about)
    const earlier = valueOf(before.filter(one => one.discountType === discountType))
    const upFrom = earlier === 0 ? '' : `, up from ${formatRupees(earlier)}`
    return {
      title: `Concession on ${readableComponent(componentType)} for ${student.fullname}${upFrom}`,
      subject: `${about} ${componentType} ${discountType}`,
      amountPaise,
      gifts: [
        // A concession that becomes smaller gives nothing away.
        { about, amountPaise: paiseOf(Math.max(valueOf(after) - valueOf(before), 0)) },
        ...(await readLapsedLateFees(ctx, tx, [{ instituteId: institute.id, studentId: about }])),
      ],
    }
  },
  note: ({ about }, { reason }, { componentType, before, after }) => ({
    what: 'concession.changed',
    about,
    why: reason,
    before: { component_type: componentType, discounts: before.map(toDiscountJson) },
    after: { component_type: componentType, discounts: after.map(toDiscountJson) },
  }),
}

function valueOf(discounts: readonly Discount[]): Paise {
  return sumPaise(discounts.map(one => one.valuePaise))
}

type WaiverRequest = { ruleId?: string | undefined; amountPaise?: Paise | undefined; reason: string }

export const waiverAct: GuardedAct<WaiverRequest, LateFeeEntry[]> = {
  perform: (ctx, command, target, request, actor) =>
    waiveLateFees(ctx, command, studentOf(target), { ...request, actor }),
  async weigh(_tx, ctx, { institute, about, request: { amountPaise: asked }, result }) {
    const { student } = await getStudent(ctx, institute, about)
    const amountPaise = totalOf(result)
    return {
      title: `${asked === undefined ? 'All late fees' : 'A late fee'} of ${student.fullname} waived`,
      subject: about,
      amountPaise,
      gifts: [{ about, amountPaise, isLateFee: true }],
    }
  },
  note: ({ about }, { reason }, entries) => ({
    what: 'late_fee.waived',
    about,
    why: reason,
    after: entries.map(({ ruleId, amountPaise }) => ({
      late_fee_id: ruleId,
      waived_amount: toRupees(amountPaise),
    })),
  }),
}

type CancellationRequest = { transactionId: string; reason: string }

/** Money that was taken at the counter and does not count any more: whoever has it in hand may keep it. */
export const cancellationAct: GuardedAct<CancellationRequest, RecordedPayment> = {
  perform: (ctx, command, target, { transactionId, reason }) =>
    cancelDirect(ctx, command, { ...studentOf(target), transactionId }, reason),
  async weigh(_tx, ctx, { institute, about, request: { transactionId }, result }) {
    const { amountPaise, mode, recordedBy: takenBy } = result
    const { student } = await getStudent(ctx, institute, about)
    const title = `Payment of ${student.fullname} by ${wayIn(mode)} cancelled`
    return {
      title,
      subject: `${about} ${transactionId}`,
      amountPaise,
      gifts: [{ about, amountPaise }],
      takenBy,
    }
  },
  note: ({ about }, { reason }, payment) => ({
    what: 'payment.cancelled',
    about,
    why: reason,
    before: directPaymentOutput.toJson({ ...payment, cancelledAt: null }),
    after: { transaction_id: payment.transactionId, status: 'cancelled' },
  }),
}

const wayIn = (mode: string): string => readableComponent(mode.toUpperCase()).toLowerCase()

type CounterRefundRequest = AskedCounterRefund & { transactionId: string }

/** Money that was taken at the counter and is paid out again. */
export const counterRefundAct: GuardedAct<CounterRefundRequest, CounterRefund> = {
  perform: (ctx, command, target, { transactionId, ...asked }, by) =>
    refundAtCounter(ctx, command, { ...studentOf(target), transactionId }, asked, by),
  async weigh(_tx, ctx, { institute, about, request, result: { amountPaise, payment } }) {
    const { student } = await getStudent(ctx, institute, about)
    return {
      title: `Refund by ${wayIn(request.way)} of a payment of ${student.fullname} by ${wayIn(payment.mode)}`,
      subject: `${about} ${request.transactionId}`,
      amountPaise,
      gifts: [{ about, amountPaise }],
      takenBy: payment.recordedBy,
      exact: request.lines === null ? { ...request, amountPaise } : request,
    }
  },
  note: ({ about }, { reason }, { payment, refundableBeforePaise, ...refund }) => ({
    what: 'payment.refunded',
    about,
    why: reason,
    before: { transaction_id: payment.transactionId, refundable: toRupees(refundableBeforePaise) },
    after: counterRefundOutput.toJson(refund),
  }),
}

type MoveRequest = AskedMove & { transactionId: string }

/** Money that was taken for one child and counts for another, or for other fees, from then on. */
export const paymentMoveAct: GuardedAct<MoveRequest, MovedPayment> = {
  perform: (ctx, command, target, { transactionId, ...asked }) =>
    movePayment(ctx, command, { ...studentOf(target), transactionId }, asked),
  async weigh(tx, ctx, { institute, about, request: { transactionId }, result: { from, studentId } }) {
    const { student } = await getStudent(ctx, institute, about)
    const where =
      studentId === about ? 'other fees' : (await getStudent(ctx, institute, studentId)).student.fullname
    return {
      title: `Payment of ${student.fullname} by ${wayIn(from.mode)} moved to ${where}`,
      subject: `${about} ${transactionId}`,
      amountPaise: from.amountPaise,
      gifts: [
        { about: studentId, amountPaise: from.amountPaise },
        ...(studentId === about
          ? await readLapsedLateFees(ctx, tx, [{ instituteId: institute.id, studentId }])
          : []),
      ],
      takenBy: from.recordedBy,
    }
  },
  note: ({ about }, { reason }, { from, to, studentId }) => ({
    what: 'payment.moved',
    about,
    why: reason,
    before: directPaymentOutput.toJson(from),
    after: { service_student_id: studentId, ...directPaymentOutput.toJson(to) },
  }),
}

function studentOf({ institute, about: studentId }: ActTarget) {
  return { institute, studentId }
}

/** Every act that can be kept for approval; one without a definition does not compile. */
export const ACTS = {
  refund: refundAct,
  advance_refund: advanceRefundAct,
  refund_of_other_amount: mismatchAct,
  concession: concessionAct,
  late_fee_waiver: waiverAct,
  payment_cancellation: cancellationAct,
  counter_refund: counterRefundAct,
  payment_move: paymentMoveAct,
  payment_rules: paymentRulesAct,
  structure_change: setStructureAct,
  structure_drop: dropStructureAct,
  fee_structure: applyStructureAct,
  student_file: rosterAct,
  rollover: rolloverAct,
  class_change: classChangeAct,
  optional_fee: optionalFeeAct,
  plan_reschedule: rescheduleAct,
  plan_resumption: resumeAct,
  plan_charge_cancellation: callOffAct,
  leaving: leavingAct,
} satisfies Record<ApprovalAct, object>
