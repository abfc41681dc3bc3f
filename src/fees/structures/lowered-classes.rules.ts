import { paiseOf, type Paise } from '../../platform/money.ts'
import { payableOf, priceStudent, type FeeStructure } from './structure.rules.ts'
import { structureFor, type YearStructures } from './year-structures.rules.ts'
import { largestOf } from '../../platform/lists.ts'

export type LoweredClass = { collectorCode: string; grade: string; amountPaise: Paise }

/** The classes that cost a child less than before, and how much less: of all kinds of children, the one who gains most. */
export function loweredClasses(
  before: YearStructures,
  after: YearStructures,
  branches: readonly { collectorCode: string }[],
): LoweredClass[] {
  return branches.flatMap(({ collectorCode }) => {
    const [old, next] = [structureFor(before, collectorCode), structureFor(after, collectorCode)]
    if (old === null || old === next) return []
    const kinds = kindsOfChildren([old, ...(next === null ? [] : [next])])
    return old.grades.flatMap(grade => {
      const less = kinds.map(kind => priceOf(old, grade, kind) - priceOf(next, grade, kind))
      const most = Math.max(0, largestOf(less))
      return most === 0 ? [] : [{ collectorCode, grade, amountPaise: paiseOf(most) }]
    })
  })
}

type KindOfChild = { category: string | null; childNo: number }

/** Every kind that a rule of either tells from others. */
function kindsOfChildren(structures: readonly FeeStructure[]): KindOfChild[] {
  const rules = structures.flatMap(one => one.concessions)
  const categories = [null, ...new Set(rules.flatMap(rule => rule.category ?? []))]
  const children = [1, ...new Set(rules.flatMap(rule => rule.child ?? []))]
  return categories.flatMap(category => children.map(childNo => ({ category, childNo })))
}

function priceOf(structure: FeeStructure | null, grade: string, kind: KindOfChild): number {
  return structure === null ? 0 : payableOf(priceStudent(structure, { grade, ...kind }))
}
