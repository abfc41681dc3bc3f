import { readLapsedLateFees } from '../../dues/late-fees.service.ts'
import type { Gift } from '../../institutes/approval-limit/approval-limit.rules.ts'
import { totalOf } from '../../institutes/approval-limit/approval-limit.rules.ts'
import { refundedBeside } from '../../leaving/leaving.rules.ts'
import { settleLeaving, type AskedLeaving, type Leaving } from '../../leaving/leaving.service.ts'
import { paiseOf, sumPaise, toRupees, ZERO, type Paise } from '../../platform/money.ts'
import { getStudent } from '../../students/students.service.ts'
import type { GuardedAct } from './guarded-act.ts'

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
    const gifts: Gift[] = [
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
