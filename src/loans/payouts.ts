import type { Order } from '../orders/orders.rules.ts'
import { orderFor } from '../orders/student-order.ts'
import type { Transaction } from '../platform/db/database.ts'
import { newId } from '../platform/ids.ts'
import type { Paise } from '../platform/money.ts'
import type { StudentContext } from '../students/student-contexts.service.ts'
import { writeTranche } from './loans.store.ts'
import type { PayOut } from './lender-port.ts'
import { allocate, assertTrancheMove, trancheOf, type LoanFile, type Tranche } from './loans.rules.ts'

/** Marks the tranche of a pay-out as paid out; an amount the lender still owes on it becomes a planned tranche. */
export async function writePaidTranche(
  tx: Transaction,
  { application, tranches }: Pick<LoanFile, 'application' | 'tranches'>,
  payOut: PayOut,
): Promise<Tranche> {
  const key = { instituteId: application.instituteId, applicationId: application.id }
  const number = tranches.reduce((highest, one) => Math.max(highest, one.number), 0) + 1
  const paid = trancheOf(tranches, payOut)
  const { trancheRef: lenderRef, day: plannedOn } = payOut
  const tranche =
    paid.kind === 'planned'
      ? { ...paid.tranche, amountPaise: paid.amountPaise, plannedOn, failure: null }
      : newTranche({ number, lenderRef, plannedOn, amountPaise: paid.amountPaise })
  assertTrancheMove(tranche.state, 'paid_out')
  const written: Tranche = { ...tranche, state: 'paid_out' }
  await writeTranche(tx, key, written)
  if (paid.kind === 'planned' && paid.rest !== null) {
    const { ref, ...rest } = paid.rest
    await writeTranche(tx, key, newTranche({ ...rest, number, lenderRef: ref }))
  }
  return written
}

export function newTranche(
  planned: Pick<Tranche, 'number' | 'lenderRef' | 'plannedOn'> & { amountPaise: Paise },
): Tranche {
  return {
    ...planned,
    id: newId('disb'),
    state: 'planned',
    disbursedPaise: null,
    settlementUtr: null,
    failure: null,
  }
}

/** The order that the lender's transfer pays. */
export function disbursementOrder(
  { student, owed, prices }: StudentContext,
  { collectorCode, amountPaise, at }: { collectorCode: string; amountPaise: Paise; at: Date },
): Order {
  const lines = allocate(amountPaise, { owed, components: prices.map(price => price.componentType) })
  return orderFor(student, { kind: 'loan', lines, at, collectorCode })
}
