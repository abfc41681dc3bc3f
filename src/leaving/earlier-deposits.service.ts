import { withoutTaken } from '../dues/dues.rules.ts'
import type { Dues } from '../dues/dues.service.ts'
import { setOffAdvance } from '../fees/advances/advances.service.ts'
import { readHeldDeposits, returnDeposits } from '../fees/deposits/deposits.service.ts'
import type { FlexContext } from '../flex/context.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { listOnTheWay } from '../payments/student-payments.service.ts'
import type { Transaction } from '../platform/db/database.ts'
import { minPaise, subtractPaise, ZERO } from '../platform/money.ts'
import { yearName, type StudentKey } from '../students/students.rules.ts'
import { getStudent } from '../students/students.service.ts'
import type { Settlement } from './leaving.rules.ts'

export type EarlierRecord = { id: string; year: string }

/** The child's records of earlier years, the newest first. */
export async function listEarlier(
  ctx: FlexContext,
  institute: Institute,
  studentId: string,
): Promise<EarlierRecord[]> {
  const { student, otherYears } = await getStudent(ctx, institute, studentId)
  return otherYears
    .filter(({ academicYearStart }) => academicYearStart < student.academicYearStart)
    .toSorted((one, other) => other.academicYearStart - one.academicYearStart)
    .map(({ id, academicYearStart, academicYearEnd }) => {
      return { id, year: yearName(academicYearStart, academicYearEnd) }
    })
}

type SetOff = {
  dues: Dues
  /** Whether the office wants them to pay what is owed. */
  isUsed: boolean
  reason: string
  actor: string
  at: Date
}

/** Deposits that were paid in earlier years pay what is still owed; what is more stays held on their records. */
export async function setOffEarlier(
  tx: Transaction,
  key: StudentKey,
  earlier: readonly EarlierRecord[],
  { dues, isUsed, reason, actor, at }: SetOff,
): Promise<Settlement['earlierDeposits']> {
  const { instituteId, studentId } = key
  const held = await readHeldDeposits(
    tx,
    instituteId,
    earlier.map(({ id }) => id),
  )
  const onTheWay = await listOnTheWay(tx, instituteId, [studentId])
  let open = isUsed ? withoutTaken(dues, onTheWay).totalPaise : ZERO
  const found: Settlement['earlierDeposits'] = []
  for (const { id, year } of earlier)
    for (const { componentType, amountPaise } of held.get(id) ?? []) {
      const usedPaise = minPaise(open, amountPaise)
      open = subtractPaise(open, usedPaise)
      found.push({
        studentId: id,
        year,
        componentType,
        usedPaise,
        heldPaise: subtractPaise(amountPaise, usedPaise),
      })
      if (usedPaise === 0) continue
      const part = [{ componentType, amountPaise: usedPaise }]
      await returnDeposits(tx, { instituteId, studentId: id }, part, { reason, at })
      await setOffAdvance(tx, { instituteId, from: id, to: studentId }, part, { reason, actor, at })
    }
  return found
}
