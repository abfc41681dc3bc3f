import { heldUntil } from '../../payments/payments.rules.ts'
import { listOnTheWay, listStarted } from '../../payments/student-payments.service.ts'
import type { ReadUnsettled } from '../../students/rollover/rollover.service.ts'
import { listStudentsWithPlan } from './plans.store.ts'

const PLAN =
  'Nothing was carried: an instalment plan collects what is due of the old year. Repeat the rollover when the plan has ended.'
const PAYMENT =
  'Nothing was carried: a payment of this student is under way. Repeat the rollover when the bank has reported.'

/** Students from whom nothing can be carried to the next year for now, with the reason. */
export const readUnsettled: ReadUnsettled = async (db, { instituteId, studentIds, now }) => {
  const [planned, onTheWay, started] = await Promise.all([
    listStudentsWithPlan(db, instituteId, studentIds),
    listOnTheWay(db, instituteId, studentIds),
    listStarted(db, instituteId, studentIds),
  ])
  const held = started.filter(payment => heldUntil(payment) > now)
  return new Map([
    ...[...onTheWay, ...held].map(({ studentId }) => [studentId, PAYMENT] as const),
    ...planned.map(studentId => [studentId, PLAN] as const),
  ])
}
