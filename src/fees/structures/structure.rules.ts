import type { FieldProblem } from '../../platform/errors.ts'
import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import type { Discount, FeeComponent, SentFee } from '../fees.rules.ts'
import { largestOf } from '../../platform/lists.ts'
import { isSameName, nameKey } from '../../platform/names.ts'

export type Year = { academicYearStart: number; academicYearEnd: number }

/** Null: of the institute, for every branch that has none of its own. */
export type StructureKey = Year & { collectorCode: string | null }

/** What a school year costs: for each class, fee and term an amount, and when each term is due. */
export type FeeStructure = StructureKey & {
  terms: readonly Term[]
  /** Components in the school's own order, in which they are shown, registered and paid. */
  heads: readonly string[]
  /** Classes from the lowest to the highest. */
  grades: readonly string[]
  amounts: readonly StructureAmount[]
  concessions: readonly ConcessionRule[]
}

export type Term = { name: string; dueOn: string }

/** `term` counts from 1. */
export type StructureAmount = { grade: string; componentType: string; term: number; amountPaise: Paise }

/** Taken off by rule: from the second child of a family on, or from students of a category such as children of staff. */
export type ConcessionRule = {
  /** The discount type that concessions of this rule carry. */
  discountType: string
  kind: 'sibling' | 'category'
  /** The child of the family, by age: 2 is the second. */
  child: number | null
  category: string | null
  /** The fees that it is taken off; none: every one. */
  heads: readonly string[]
  percent: number | null
  /** Rupees off each term of each fee. */
  amountPaise: Paise | null
}

/** The audit log and approvals name it so: 2026-2027, or 2026-2027 SOUTH. */
export function aboutOf({ academicYearStart, academicYearEnd, collectorCode }: StructureKey): string {
  const year = `${academicYearStart}-${academicYearEnd}`
  return collectorCode === null ? year : `${year} ${collectorCode}`
}

/** The component that one fee of one term is for a student; a year of one term has fees without a term. */
export function componentOf({ terms }: Pick<FeeStructure, 'terms'>, head: string, term: number): string {
  const name = terms[term - 1]?.name
  return terms.length < 2 || name === undefined ? head : `${head}_${codeOf(name)}`
}

function codeOf(name: string): string {
  return name
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
}

/** When each component of the year is due. */
export function dueDaysOf(structure: FeeStructure): { componentType: string; dueOn: string }[] {
  const days = structure.amounts.map(({ componentType, term }) => {
    const dueOn = structure.terms[term - 1]?.dueOn ?? ''
    return [componentOf(structure, componentType, term), dueOn] as const
  })
  return [...new Map(days)].map(([componentType, dueOn]) => ({ componentType, dueOn }))
}

/** The classes that cost anything. */
export function pricedGrades({ amounts }: Pick<FeeStructure, 'amounts'>): string[] {
  return [...new Set(amounts.filter(one => one.amountPaise > 0).map(one => one.grade))]
}

export type Priced = { grade: string; category: string | null; childNo: number }

/** What a student has to pay by the structure, term by term in the order of the fees. */
export function priceStudent(structure: FeeStructure, student: Priced): SentFee[] {
  const { heads, terms } = structure
  const own = structure.amounts.filter(({ grade }) => isSameName(grade, student.grade))
  return terms.flatMap((_, index) =>
    heads.flatMap(head => {
      const amount = own.find(one => one.componentType === head && one.term === index + 1)
      if (amount === undefined) return []
      const feePaise = amount.amountPaise
      const componentType = componentOf(structure, head, index + 1)
      return [{ componentType, feePaise, discounts: discountsOf(structure, student, { head, feePaise }) }]
    }),
  )
}

/** Concessions by rule that a student has on a fee. */
export function discountsOf(
  { concessions }: Pick<FeeStructure, 'concessions'>,
  student: Priced,
  { head, feePaise }: { head: string; feePaise: Paise },
): Discount[] {
  const later = concessions.flatMap(({ kind, child }) => (kind === 'sibling' ? (child ?? 0) : []))
  const highest = Math.max(0, largestOf(later))
  let left = feePaise
  return concessions.flatMap(rule => {
    const isOf = rule.heads.length === 0 || rule.heads.includes(head)
    if (!isOf || !isFor(rule, student, highest)) return []
    const whole = rule.percent === null ? (rule.amountPaise ?? ZERO) : shareOf(feePaise, rule.percent)
    const valuePaise = minPaise(whole, left)
    left = subtractPaise(left, valuePaise)
    return valuePaise === 0 ? [] : [{ discountType: rule.discountType, valuePaise }]
  })
}

/** A rule for the third child is also for the fourth where there is none for the fourth. */
function isFor(rule: ConcessionRule, { category, childNo }: Priced, highestChild: number): boolean {
  if (rule.kind === 'category') return category !== null && isSameName(rule.category ?? '', category)
  return rule.child === childNo || (rule.child === highestChild && childNo > highestChild)
}

function shareOf(feePaise: Paise, percent: number): Paise {
  return paiseOf(Math.round((feePaise * percent) / 100))
}

/**
 * Merges the structure into the fees of a student: concessions that people gave stay, those of rules follow the rules, and
 * a fee that only an earlier state of the structure charged becomes zero.
 */
export function mergeStructure(
  current: readonly FeeComponent[],
  priced: readonly SentFee[],
  { ruleNames, chargedBefore }: { ruleNames: ReadonlySet<string>; chargedBefore: readonly string[] },
): SentFee[] {
  const wanted = new Set(priced.map(fee => fee.componentType))
  const gone = chargedBefore.filter(componentType => !wanted.has(componentType))
  return [
    ...priced.map(fee => {
      const stored = current.find(one => one.componentType === fee.componentType)?.discounts ?? []
      const given = stored.filter(({ discountType }) => !ruleNames.has(discountType))
      return { ...fee, discounts: capped([...given, ...(fee.discounts ?? [])], fee.feePaise) }
    }),
    ...gone.map(componentType => ({ componentType, feePaise: ZERO, discounts: [] })),
  ]
}

function capped(discounts: readonly Discount[], feePaise: Paise): Discount[] {
  let left = feePaise
  return discounts.flatMap(discount => {
    const valuePaise = minPaise(discount.valuePaise, left)
    left = subtractPaise(left, valuePaise)
    return valuePaise === 0 ? [] : [{ ...discount, valuePaise }]
  })
}

export function payableOf(fees: readonly SentFee[]): Paise {
  const discounts = fees.flatMap(fee => fee.discounts ?? [])
  return subtractPaise(
    sumPaise(fees.map(fee => fee.feePaise)),
    sumPaise(discounts.map(discount => discount.valuePaise)),
  )
}

export type Child = { id: string; grade: string; dateOfBirth: string | null }

/** Which child of its family a student is: the eldest first, by class, then by age. */
export function childNoOf(id: string, family: readonly Child[], grades: readonly string[]): number {
  const names = grades.map(nameKey)
  const rankOf = ({ grade }: Child): number => names.indexOf(nameKey(grade))
  const inOrder = family.toSorted(
    (one, other) =>
      rankOf(other) - rankOf(one) ||
      (one.dateOfBirth ?? '9999').localeCompare(other.dateOfBirth ?? '9999') ||
      one.id.localeCompare(other.id),
  )
  return Math.max(1, inOrder.findIndex(child => child.id === id) + 1)
}

const LONGEST_CODE = 64

/** What is wrong with a structure as sent, by field. */
export function structureProblems(structure: FeeStructure): FieldProblem[] {
  const { terms, heads, grades, amounts, concessions } = structure
  const cells = amounts.map(({ grade, componentType, term }) => `${grade} ${componentType} ${term}`)
  return [
    ...twice(
      terms.map(term => codeOf(term.name)),
      'terms',
      'name',
    ),
    ...twice(heads, 'fee_heads'),
    ...twice(grades.map(nameKey), 'grades'),
    ...twice(cells, 'amounts'),
    ...twice(
      concessions.map(rule => rule.discountType),
      'concessions',
      'discount_type',
    ),
    ...amounts.flatMap(({ grade, componentType, term }, index) => {
      const at = (field: string, message: string): FieldProblem => ({
        key: `amounts.${index}.${field}`,
        message,
      })
      return [
        ...(grades.includes(grade) ? [] : [at('grade', 'is not among grades')]),
        ...(heads.includes(componentType) ? [] : [at('component_type', 'is not among fee_heads')]),
        ...(term <= terms.length ? [] : [at('term', 'is not among terms')]),
        ...(componentOf(structure, componentType, term).length <= LONGEST_CODE
          ? []
          : [at('component_type', 'is too long together with the name of the term')]),
      ]
    }),
    ...concessions.flatMap((rule, index) => {
      const problem = (field: string, message: string) => [{ key: `concessions.${index}.${field}`, message }]
      if ((rule.percent === null) === (rule.amountPaise === null))
        return problem('percent', 'or an amount is required, and not both')
      if (rule.kind === 'sibling' && rule.child === null) return problem('child', 'is required')
      if (rule.kind === 'category' && rule.category === null) return problem('category', 'is required')
      return []
    }),
  ]
}

function twice(values: readonly string[], key: string, field?: string): FieldProblem[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) === index
      ? []
      : [{ key: `${key}.${index}${field === undefined ? '' : `.${field}`}`, message: 'stands twice' }],
  )
}

/** What one year costs: by the institute's structure, and in branches that have one of their own by that. */
export type YearStructures = {
  shared: FeeStructure | null
  /** Structures by branch. */
  own: ReadonlyMap<string, FeeStructure>
}

export function structureFor({ shared, own }: YearStructures, collectorCode: string): FeeStructure | null {
  return own.get(collectorCode) ?? shared
}

/** The branches whose students cost what this structure says; null is the institute's. */
export function branchesUnder(
  { own }: YearStructures,
  collectorCode: string | null,
  branches: readonly { collectorCode: string }[],
): string[] {
  if (collectorCode !== null) return [collectorCode]
  return branches.map(branch => branch.collectorCode).filter(code => !own.has(code))
}

/** Every name of a concession by rule, of whichever branch: a child who changes the branch leaves those of the old one. */
export function ruleNamesOf(structures: YearStructures): Set<string> {
  return new Set(allOf(structures).flatMap(one => one.concessions.map(rule => rule.discountType)))
}

/** The classes of all branches in one order, so that brothers and sisters of two branches are counted the same from both. */
export function gradesOf(structures: YearStructures): string[] {
  return mergeOrders(allOf(structures).map(one => one.grades))
}

function allOf({ shared, own }: YearStructures): FeeStructure[] {
  const ofBranches = [...own].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, of]) => of)
  return shared === null ? ofBranches : [shared, ...ofBranches]
}

/** The first order stays; what only later ones have comes behind what it follows there. */
export function mergeOrders(orders: readonly (readonly string[])[]): string[] {
  const merged: string[] = []
  for (const order of orders) {
    let at = 0
    for (const name of order) {
      const known = merged.indexOf(name)
      if (known < 0) merged.splice(at, 0, name)
      at = (known < 0 ? at : known) + 1
    }
  }
  return merged
}

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
