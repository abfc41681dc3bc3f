import { readLapsedLateFees } from '../../dues/late-fees.service.ts'
import { totalOf } from '../../institutes/approval-limit/approval-limit.rules.ts'
import { sumPaise } from '../../platform/money.ts'
import {
  carryOn,
  endEnrolments,
  enrol,
  type AskedChoice,
  type AskedEnd,
  type Enrolling,
} from '../../students/enrolments/enrol.service.ts'
import type { GuardedAct } from './guarded-act.ts'

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
