import type { Queryable } from '../platform/db/database.ts'
import { componentsOf } from './optional/optional-fee.rules.ts'
import { listAllFees } from './optional/optional-fees.store.ts'
import { componentOf } from './structures/structure.rules.ts'
import { listTerms } from './structures/structures.store.ts'

/**
 * Which fee a component is a part of, over all years: TUITION_FEE_TERM_1 of TUITION_FEE, TRANSPORT_FEE_JUNE of TRANSPORT_FEE.
 * A component that is nobody's part, or a fee of its own somewhere, is itself.
 */
export async function readFeeHeads(
  db: Queryable,
  instituteId: number,
): Promise<(componentType: string) => string> {
  const [structures, optional] = await Promise.all([listTerms(db, instituteId), listAllFees(db, instituteId)])
  const heads = new Map<string, string>()
  for (const { terms, heads: own } of structures)
    for (const head of own)
      for (const index of terms.keys()) heads.set(componentOf({ terms }, head, index + 1), head)
  for (const fee of optional)
    for (const { componentType } of componentsOf(fee)) heads.set(componentType, fee.componentType)
  for (const head of new Set(heads.values())) heads.set(head, head)
  return componentType => heads.get(componentType) ?? componentType
}
