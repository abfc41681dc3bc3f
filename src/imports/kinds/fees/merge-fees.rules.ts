import { paiseOf } from '../../../platform/money.ts'
import { feeProblems, type SentFee } from '../../../fees/fees.rules.ts'
import { listRows, mergeUnits, type MaybeRead, type Units } from '../merge.rules.ts'
import type { FeeRow } from './fee-rows.schemas.ts'

/** A component stands in one row, or in one for each of its discounts. */
export function mergeFeeRows(rows: readonly MaybeRead<FeeRow>[]): Units<SentFee, FeeRow> {
  return mergeUnits<SentFee, FeeRow>(rows, 'component_type', unit => {
    const [first, ...others] = unit
    const other = others.find(({ row }) => row.feePaise !== first.row.feePaise)
    if (other !== undefined)
      return { column: 'fee_amount', message: `differs in rows ${first.rowNo} and ${other.rowNo}` }
    const types = unit.map(({ row }) => row.discounts?.[0]?.discountType)
    if (unit.length > 1 && new Set(types.filter(type => type !== undefined)).size < unit.length) {
      return {
        column: 'component_type',
        message: `stands twice for this student, in rows ${listRows(unit)}; only another discount_type makes another row`,
      }
    }
    const { componentType, feePaise, discounts } = first.row
    const said: SentFee = {
      componentType,
      feePaise: paiseOf(feePaise),
      discounts: others.length === 0 ? discounts : unit.flatMap(({ row }) => row.discounts ?? []),
    }
    const [problem] = feeProblems([said], 'fees')
    return problem === undefined
      ? said
      : { column: 'discount_amount', message: 'is more than fee_amount in all' }
  })
}
