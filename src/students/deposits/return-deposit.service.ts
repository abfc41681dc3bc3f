import type { ComponentAmount } from '../../fees/advances/advances.rules.ts'
import { returnDeposits, undoReturn } from '../../fees/deposits/deposits.service.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Paise } from '../../platform/money.ts'
import { holdStudent } from '../profile/lock-student.service.ts'
import type { StudentKey } from '../students.rules.ts'

type AskedReturn = { componentType: string; amountPaise: Paise | null; reason: string }

/** Gives one deposit back: the child has it as an advance then, to be refunded or used for what it owes. */
export async function returnDeposit(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  command: Command<ComponentAmount[]>,
  key: StudentKey,
  { componentType, amountPaise, reason }: AskedReturn,
): Promise<ComponentAmount[]> {
  return transact(db, command, async tx => {
    await holdStudent(tx, key)
    return returnDeposits(tx, key, [{ componentType, amountPaise }], { reason, at: clock.now() })
  })
}

/** The return was a mistake: as much of it as still stands as an advance is held again. */
export async function undoDepositReturn(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  command: Command<ComponentAmount>,
  key: StudentKey,
  { reason, ...asked }: AskedReturn,
): Promise<ComponentAmount> {
  return transact(db, command, async tx => {
    await holdStudent(tx, key)
    return undoReturn(tx, key, asked, { reason, at: clock.now() })
  })
}
