import { badField, conflict } from '../../platform/errors.ts'
import { formatRupees, minPaise, subtractPaise, ZERO, type Paise } from '../../platform/money.ts'
import type { ComponentAmount } from '../advances/advances.rules.ts'
import type { FeeComponent, SentFee } from '../fees.rules.ts'

/** As SQL of a balance `b`: what counts as settled there because it is owed in a later year. */
export const CARRIED_DUES = `select greatest(coalesce(sum(t.amount_paise), 0), 0)::bigint from student_transfers t
  where t.institute_id = b.institute_id and t.student_id = b.student_id and t.component_type = b.component_type`

type DepositSum = { payablePaise: Paise; paidPaise: Paise; carriedPaise: Paise }

/**
 * What is held of a deposit: what was paid of it up to its price. More than that is an advance already, and what is owed in a
 * later year instead was not paid.
 */
export function heldOf({ payablePaise, paidPaise, carriedPaise }: DepositSum): Paise {
  return subtractPaise(minPaise(paidPaise, payablePaise), carriedPaise)
}

/** Parts of what is held, or all of it; each is checked. */
export function checkReturn(
  held: readonly ComponentAmount[],
  asked: readonly { componentType: string; amountPaise: Paise | null }[] | null,
): ComponentAmount[] {
  if (asked === null) return [...held]
  return asked.map(({ componentType, amountPaise }) => {
    const most = held.find(one => one.componentType === componentType)?.amountPaise
    if (most === undefined) throw badField('component_type', 'is no deposit that is held for this child')
    if (amountPaise !== null && (amountPaise === 0 || amountPaise > most))
      throw badField('amount', `must be more than 0 and at most the ${formatRupees(most)} that are held`)
    return { componentType, amountPaise: amountPaise ?? most }
  })
}

/** Undoes a return as far as what it gave back still stands as an advance; what went on from there has to come back first. */
export function checkUndo(
  { returnedPaise, advancePaise }: { returnedPaise: Paise; advancePaise: Paise },
  asked: Paise | null,
): Paise {
  if (returnedPaise <= 0) throw badField('component_type', 'is no deposit that was given back')
  const most = minPaise(returnedPaise, advancePaise)
  if (most === 0)
    throw conflict(
      `The ${formatRupees(returnedPaise)} that was given back has been refunded or has paid other fees, so it is not here any more.`,
    )
  const amount = asked ?? most
  if (amount === 0 || amount > most)
    throw badField(
      'amount',
      `must be more than 0 and at most the ${formatRupees(most)} that still stand as an advance`,
    )
  return amount
}

/** A deposit is given back by asking less for it: what was paid of it stands as an advance then. */
export function feesAfterReturn(
  fees: readonly FeeComponent[],
  returned: readonly ComponentAmount[],
): SentFee[] {
  return returned.flatMap(({ componentType, amountPaise }) => {
    const fee = fees.find(one => one.componentType === componentType)
    return fee === undefined ? [] : [{ componentType, feePaise: subtractPaise(fee.feePaise, amountPaise) }]
  })
}

/** What a structure charges, less what was given back of it. */
export function withoutReturned(fees: readonly SentFee[], returned: ReadonlyMap<string, Paise>): SentFee[] {
  return fees.map(fee => {
    const gone = minPaise(fee.feePaise, returned.get(fee.componentType) ?? ZERO)
    return gone === 0 ? fee : { ...fee, feePaise: subtractPaise(fee.feePaise, gone) }
  })
}
