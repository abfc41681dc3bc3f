import { aboutOf, type StructureKey } from '../../fees/structures/structure.rules.ts'
import { readDuesOn } from '../../dues/dues.service.ts'
import { listLateFeeEntries, waiveLateFees, type LateFeeEntry } from '../../dues/payment-rules.service.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { dayOf } from '../../platform/calendar.ts'
import { conflict } from '../../platform/errors.ts'
import { formatRupees, sumPaise, toRupees, ZERO, type Paise } from '../../platform/money.ts'
import { readableComponent } from '../../platform/names.ts'
import { refundLines, type AskedRefund, type Refund } from '../../payments/refunds/refunds.rules.ts'
import { refundAdvance, weighAdvanceRefund } from '../../payments/refunds/advance-refund.service.ts'
import { listRefunds, requestRefund, type RequestedRefund } from '../../payments/refunds/refunds.service.ts'
import { getStudent } from '../../students/students.service.ts'
import {
  applyToClass,
  weighClass,
  type ClassApplication,
} from '../../students/structures/apply-structure.service.ts'
import { refundableAfter } from '../orders/order.output.ts'
import { concede, readConcession, type Conceded } from '../students/actions.service.ts'
import { toDiscountJson } from '../students/students.output.ts'
import type { ApprovalAct } from './approvals.rules.ts'
import { rolloverAct, rosterAct } from './bulk-acts.ts'
import { classChangeAct } from './class-change.ts'
import type { ActTarget, GuardedAct } from './guarded-act.ts'

type RefundRequest = AskedRefund & { reason: string }

export const refundAct: GuardedAct<RefundRequest, RequestedRefund> = {
  async weigh(ctx, { institute, about }, request) {
    const order = await getOrder(ctx, institute, undefined, about)
    if (order.state !== 'paid') throw conflict('Nothing has been paid yet, so there is nothing to refund.')
    const earlier = await listRefunds(ctx, institute.id, about)
    const amountPaise = total(refundLines(order, earlier, request))
    const countedPaise = sumPaise([amountPaise, total(earlier.filter(isCounted))])
    const exact = request.lines === null ? { ...request, amountPaise } : request
    return { title: `Refund to ${order.name}`, subject: about, amountPaise, countedPaise, exact }
  },
  perform: (ctx, command, { institute, about: orderId }, request) =>
    requestRefund(ctx, command, { institute, orderId }, request),
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

function isCounted({ kind, state }: Refund): boolean {
  return kind === 'requested' && state !== 'failed'
}

type AdvanceRequest = { amountPaise: Paise | null; reason: string }

/** What a student has paid beyond what is owed, in one act over its payments. */
export const advanceRefundAct: GuardedAct<AdvanceRequest, Refund[]> = {
  async weigh(ctx, target, request) {
    const { student } = await getStudent(ctx, target.institute, target.about)
    const amountPaise = await weighAdvanceRefund(ctx, studentOf(target), request.amountPaise)
    const title = `Refund of the advance of ${student.fullname}`
    const exact = { ...request, amountPaise }
    return { title, subject: target.about, amountPaise, countedPaise: amountPaise, exact }
  },
  perform: (ctx, command, target, request) => refundAdvance(ctx, command, studentOf(target), request),
  note: ({ about }, { reason }, refunds) => ({
    what: 'advance.refunded',
    about,
    why: reason,
    after: { amount: toRupees(total(refunds)), refund_ids: refunds.map(({ id }) => id).join(', ') },
  }),
}

type ConcessionRequest = { componentType: string; discountType: string; amountPaise: Paise; reason: string }

export const concessionAct: GuardedAct<ConcessionRequest, Conceded> = {
  async weigh(ctx, target, { componentType, discountType, amountPaise }) {
    const { student } = await getStudent(ctx, target.institute, target.about)
    const given = { componentType, discount: { discountType, valuePaise: amountPaise } }
    const beforePaise = await readConcession(ctx, studentOf(target), given)
    return {
      title: `Concession on ${readableComponent(componentType)} for ${student.fullname}${beforePaise === 0 ? '' : `, up from ${formatRupees(beforePaise)}`}`,
      subject: `${target.about} ${componentType} ${discountType}`,
      amountPaise,
      // What is made smaller gives nothing away.
      countedPaise: amountPaise > beforePaise ? amountPaise : ZERO,
    }
  },
  perform: (ctx, command, target, { componentType, discountType, amountPaise }) =>
    concede(ctx, command, studentOf(target), {
      componentType,
      discount: { discountType, valuePaise: amountPaise },
    }),
  note: ({ about }, { reason }, { componentType, before, after }) => ({
    what: 'concession.changed',
    about,
    why: reason,
    before: { component_type: componentType, discounts: before.map(toDiscountJson) },
    after: { component_type: componentType, discounts: after.map(toDiscountJson) },
  }),
}

type WaiverRequest = { ruleId?: string | undefined; amountPaise?: Paise | undefined; reason: string }

export const waiverAct: GuardedAct<WaiverRequest, LateFeeEntry[]> = {
  async weigh(ctx, { institute, about }, { ruleId, amountPaise: asked }) {
    const { student } = await getStudent(ctx, institute, about)
    const key = { instituteId: institute.id, studentId: about }
    const isMeant = (one: { ruleId: string; amountPaise: Paise }): boolean =>
      one.amountPaise > 0 && (ruleId === undefined || one.ruleId === ruleId)
    const fees = (await readDuesOn(ctx.db, [key], dayOf(ctx.clock.now()))).get(about)?.lateFees ?? []
    const entries = await listLateFeeEntries(ctx, { institute, studentId: about })
    const waived = entries.filter(one => one.kind === 'waived' && isMeant(one))
    const amountPaise = asked ?? total(fees.filter(isMeant))
    if (amountPaise === 0) throw conflict('No late fee is due, so there is none to let off.')
    return {
      // They grow by the day: all of them are meant when it is approved too.
      title: `${asked === undefined ? 'All late fees' : 'A late fee'} of ${student.fullname} waived`,
      subject: about,
      amountPaise,
      countedPaise: sumPaise([amountPaise, total(waived)]),
    }
  },
  perform: (ctx, command, target, request, actor) =>
    waiveLateFees(ctx, command, studentOf(target), { ...request, actor }),
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

type StructureRequest = StructureKey & {
  grade: string
  after: string | null
  limit: number
  reason: string
}

/** Fees of a class by the structure: what it lets families off counts together, by lower amounts and by rules alike. */
export const structureAct: GuardedAct<StructureRequest, ClassApplication> = {
  async weigh(ctx, { institute, about }, { grade, ...of }) {
    const effect = await weighClass(ctx, institute, { of, grade })
    const branch = institute.branches.find(one => one.collectorCode === of.collectorCode)
    const where = branch === undefined ? '' : ` of ${branch.name}`
    const title = `Fees of class ${grade}${where} by the structure, lower or with more concessions`
    return { title, subject: about, amountPaise: effect.givenPaise, countedPaise: effect.givenPaise, effect }
  },
  perform: (ctx, command, { institute }, { grade, after, limit, reason: _reason, ...of }) =>
    applyToClass(ctx, command, { institute, of, grade, after, limit, isPreview: false }),
  note: (_target, { reason, ...of }, { grade, students }) => {
    const changed = students.filter(one => one.outcome === 'changed')
    return {
      what: 'fees.structure_applied',
      about: aboutOf(of),
      ...(reason === '' ? {} : { why: reason }),
      after: {
        grade,
        students: students.length,
        changed: changed.length,
        skipped: students.filter(one => one.outcome === 'skipped').length,
        payable: changed.reduce((sum, one) => sum + toRupees(one.afterPaise), 0),
      },
    }
  },
}

function total(amounts: readonly { amountPaise: Paise }[]): Paise {
  return sumPaise(amounts.map(one => one.amountPaise))
}

function studentOf({ institute, about: studentId }: ActTarget) {
  return { institute, studentId }
}

/** Every act that can be kept for approval; one without a definition does not compile. */
export const ACTS = {
  refund: refundAct,
  advance_refund: advanceRefundAct,
  concession: concessionAct,
  late_fee_waiver: waiverAct,
  fee_structure: structureAct,
  student_file: rosterAct,
  rollover: rolloverAct,
  class_change: classChangeAct,
} satisfies Record<ApprovalAct, object>
