import type { Queryable } from '../platform/db/database.ts'
import { subtractPaise, sumPaise, ZERO, type Paise } from '../platform/money.ts'
import { balanceOf, type FeeComponent } from '../fees/fees.rules.ts'
import { readContexts } from './students.store.ts'
import type { StudentInEvent } from './student.events.ts'
import type { StudentKey } from './students.rules.ts'

type ComponentAmount = { componentType: string; amountPaise: Paise }

/** A student as other features act on it. */
export type StudentContext = StudentInEvent & {
  /** What each component costs after discounts, in the order registered. */
  prices: ComponentAmount[]
  /** What is left to pay of each; none of what is paid. */
  owed: ComponentAmount[]
  fees: readonly FeeComponent[]
  /** Paid amounts by component; one without a fee is there too. */
  paid: ReadonlyMap<string, Paise>
}

/** Contexts by student id. */
export async function readStudentContexts(
  db: Queryable,
  keys: readonly StudentKey[],
): Promise<Map<string, StudentContext>> {
  const records = await readContexts(db, keys)
  return new Map(
    records.map(({ student, registrationIds, fees, paid, gradeName }) => {
      const prices = fees.map(fee => ({
        componentType: fee.componentType,
        amountPaise: subtractPaise(
          fee.feePaise,
          sumPaise(fee.discounts.map(discount => discount.valuePaise)),
        ),
      }))
      const owed = fees.map(fee => ({
        componentType: fee.componentType,
        amountPaise: balanceOf(fee, paid.get(fee.componentType) ?? ZERO).outstandingPaise,
      }))
      const context: StudentContext = {
        student,
        registrationId: registrationIds[0] ?? '',
        gradeName,
        prices,
        owed: owed.filter(line => line.amountPaise > 0),
        fees,
        paid,
      }
      return [student.id, context]
    }),
  )
}
