import { sumPaise, subtractPaise, ZERO, type Paise } from '../../platform/money.ts'
import { balanceOf, type FeeComponent, type PaidByComponent, type SentFee } from '../../fees/fees.rules.ts'
import type { Student } from '../students.rules.ts'

/** What a rollover makes of this year's students. */
export type RolloverOptions = {
  /** Where a grade goes; null: it leaves the school. */
  grades: readonly { grade: string; nextGrade: string | null }[]
  /** What a grade of the new year costs. */
  fees: readonly { grade: string; fees: readonly SentFee[] }[]
  /** What grades cost by the new year's structures; without a branch: in those that have none of their own. */
  structureFees?: readonly { collectorCode: string | null; grade: string; fees: readonly SentFee[] }[]
  /** Branches with a structure of their own, which comes before `fees`. */
  ownBranches?: readonly string[]
  /** The component of the new record that carries what is still due; null: it stays due on the old one. */
  duesComponent: string | null
  /** The component of the new record that carries what was paid too much; null: it stays on the old one. */
  advanceComponent: string | null
}

export type RolloverCounts = {
  students: number
  registered: number
  /** Had a record of the new year already. */
  known: number
  leaving: number
  problems: number
  /** Nothing is carried from these for now: a plan collects what is due, or a payment is under way. */
  notCarried: number
  feesPaise: Paise
  /** What the rules of the fee structure take off afterwards, and from how many; only a preview has it. */
  concessionsPaise: Paise
  conceded: number
  carriedDuesPaise: Paise
  carriedAdvancePaise: Paise
}

export const NO_COUNTS: RolloverCounts = {
  students: 0,
  registered: 0,
  known: 0,
  leaving: 0,
  problems: 0,
  notCarried: 0,
  feesPaise: ZERO,
  concessionsPaise: ZERO,
  conceded: 0,
  carriedDuesPaise: ZERO,
  carriedAdvancePaise: ZERO,
}

export type GradeCounts = RolloverCounts & { grade: string; collectorCode: string; nextGrade: string | null }

export function addCounts(all: readonly RolloverCounts[]): RolloverCounts {
  const names = Object.keys(NO_COUNTS) as (keyof RolloverCounts)[]
  return Object.fromEntries(
    names.map(name => [name, all.reduce((sum, one) => sum + one[name], 0)]),
  ) as RolloverCounts
}

const BY_GRADE = new Intl.Collator('en', { numeric: true })

/** All branches together. */
export type GradeSum = Omit<GradeCounts, 'collectorCode'>

/** One entry for each grade of the old year. */
export function addByGrade(all: readonly GradeSum[]): GradeSum[] {
  return [...Map.groupBy(all, one => one.grade)]
    .map(([grade, some]) => ({ ...addCounts(some), grade, nextGrade: some[0]?.nextGrade ?? null }))
    .toSorted((one, other) => BY_GRADE.compare(one.grade, other.grade))
}

/** One entry for each branch and grade of the old year. */
export function addByBranch(all: readonly GradeCounts[]): GradeCounts[] {
  return [...Map.groupBy(all, one => one.collectorCode)].flatMap(([collectorCode, some]) =>
    addByGrade(some).map(one => ({ ...one, collectorCode })),
  )
}

/** What a grade of the new year costs in a branch. */
export function feesOf(
  { fees, structureFees = [], ownBranches = [] }: RolloverOptions,
  { collectorCode, grade }: { collectorCode: string; grade: string },
): { fees: readonly SentFee[]; isByStructure: boolean } {
  const isOwn = ownBranches.includes(collectorCode)
  const sent = isOwn ? undefined : fees.find(one => one.grade === grade)
  if (sent !== undefined) return { fees: sent.fees, isByStructure: false }
  const branch = isOwn ? collectorCode : null
  const kept = structureFees.find(one => one.grade === grade && one.collectorCode === branch)
  return { fees: kept?.fees ?? [], isByStructure: kept !== undefined }
}

export type Step =
  | { kind: 'register'; grade: string; fees: readonly SentFee[] }
  | { kind: 'known'; nextId: string }
  | { kind: 'leaves' }
  | { kind: 'problem'; message: string }

export function decideStep(
  student: Pick<Student, 'grade' | 'collectorCode'>,
  nextId: string | null,
  options: RolloverOptions,
): Step {
  const mapped = options.grades.find(one => one.grade === student.grade)
  if (mapped === undefined)
    return {
      kind: 'problem',
      message: `The class ${student.grade} is not among the classes of the rollover.`,
    }
  if (mapped.nextGrade === null) return { kind: 'leaves' }
  if (nextId !== null) return { kind: 'known', nextId }
  const { fees } = feesOf(options, { ...student, grade: mapped.nextGrade })
  return { kind: 'register', grade: mapped.nextGrade, fees }
}

export type Carried = {
  /** What counts as settled in the old record, or leaves it, by component. */
  transfers: { componentType: string; amountPaise: Paise }[]
  duesPaise: Paise
  advancePaise: Paise
}

type CarryOptions = Pick<RolloverOptions, 'duesComponent' | 'advanceComponent'> & {
  deposits: readonly string[]
}

/**
 * Moves dues and advances to the new record: taken from the old one to the paisa, so they are owed or held exactly once. A
 * deposit stays due where it is: under the name of carried dues nobody would know that it is to be given back.
 */
export function carryForward(
  fees: readonly FeeComponent[],
  paid: PaidByComponent,
  { duesComponent, advanceComponent, deposits }: CarryOptions,
): Carried {
  const withoutFee = [...paid].filter(([type]) => fees.every(fee => fee.componentType !== type))
  const balances = [
    ...fees.map(fee => ({
      componentType: fee.componentType,
      ...balanceOf(fee, paid.get(fee.componentType) ?? ZERO),
    })),
    ...withoutFee.map(([componentType, advancePaise]) => ({
      componentType,
      outstandingPaise: ZERO,
      advancePaise,
    })),
  ]
  const isCarried = (one: (typeof balances)[number]): boolean =>
    one.outstandingPaise > 0 && !deposits.includes(one.componentType)
  const dues = duesComponent === null ? [] : balances.filter(isCarried)
  const advances = advanceComponent === null ? [] : balances.filter(one => one.advancePaise > 0)
  return {
    transfers: [
      ...dues.map(one => ({ componentType: one.componentType, amountPaise: one.outstandingPaise })),
      ...advances.map(one => ({
        componentType: one.componentType,
        amountPaise: subtractPaise(ZERO, one.advancePaise),
      })),
    ],
    duesPaise: sumPaise(dues.map(one => one.outstandingPaise)),
    advancePaise: sumPaise(advances.map(one => one.advancePaise)),
  }
}
