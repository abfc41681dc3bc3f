import type { SentFee } from '../../fees/fees.rules.ts'
import { withoutReturned } from '../../fees/deposits/deposits.rules.ts'
import { readReturned } from '../../fees/deposits/deposits.service.ts'
import { planFees, readFeesOf, type FeePlan } from '../../fees/fees.service.ts'
import {
  childNoOf,
  mergeStructure,
  payableOf,
  priceStudent,
  gradesOf,
  ruleNamesOf,
  structureFor,
  type YearStructures,
} from '../../fees/structures/structure.rules.ts'
import type { MoneyGiven, Institute } from '../../institutes/institutes.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { paiseOf, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import * as store from './structure-students.store.ts'

/** What applying the structure does to one student. */
export type Application = {
  student: store.StructureStudent
  childNo: number
  outcome: 'changed' | 'unchanged' | 'skipped'
  /** Why it is skipped. */
  reason: string | null
  /** Payable by the fees of the structure: as they are, and as they become. */
  beforePaise: Paise
  afterPaise: Paise
  concessionPaise: Paise
  /** What the family is let off by it: less to pay than before, or concessions that it did not have. */
  givenPaise: Paise
}

export type PlannedStudent = { application: Application; plan: FeePlan; components: string[] }

/** What the structures of the year do to these students; nothing is written. */
export async function planStudents(
  db: Queryable,
  institute: Institute,
  structures: YearStructures,
  students: readonly store.StructureStudent[],
): Promise<PlannedStudent[]> {
  const ids = students.map(({ id }) => id)
  const families = await store.readFamilies(db, institute.id, ids)
  const current = await readFeesOf(db, institute.id, ids)
  const paid = await store.readPaid(db, institute.id, ids)
  const returned = await readReturned(db, institute.id, ids)
  const ruleNames = ruleNamesOf(structures)
  const grades = gradesOf(structures)
  const wanted = students.map(student => {
    const childNo = childNoOf(student.id, families.get(student.id) ?? [], grades)
    const structure = structureFor(structures, student.collectorCode)
    const whole = structure === null ? [] : priceStudent(structure, { ...student, childNo })
    const priced = withoutReturned(whole, returned.get(student.id) ?? new Map())
    const options = { ruleNames, chargedBefore: student.charged }
    const fees = mergeStructure(current.get(student.id) ?? [], priced, options)
    const reason = reasonToSkip(institute, student, { priced, paid: paid.get(student.id) ?? [] })
    return { student, childNo, priced, fees, reason }
  })
  const sent = wanted.map(({ student, fees, reason }) => ({
    studentId: student.id,
    fees: reason === null ? fees : [],
  }))
  const plans = await planFees(db, institute.id, sent, 'amounts')
  return wanted.flatMap(({ student, childNo, priced, fees, reason: skipped }, index) => {
    const feePlan = plans[index]
    if (feePlan === undefined) return []
    const reason = skipped ?? feePlan.problems[0]?.message ?? null
    const own = new Set(fees.map(fee => fee.componentType))
    const before = (current.get(student.id) ?? []).filter(fee => own.has(fee.componentType))
    const application: Application = {
      student,
      childNo,
      outcome: reason !== null ? 'skipped' : feePlan.changes.length > 0 ? 'changed' : 'unchanged',
      reason,
      beforePaise: payableOf(before),
      afterPaise: reason === null ? payableOf(fees) : payableOf(before),
      concessionPaise: reason === null ? concessionsOf(fees) : ZERO,
      givenPaise: reason === null ? givenAway(before, fees) : ZERO,
    }
    return [{ application, plan: feePlan, components: priced.map(fee => fee.componentType) }]
  })
}

type Priced = { feePaise: Paise; discounts?: readonly { valuePaise: Paise }[] | null | undefined }

function concessionsOf(fees: readonly Pick<Priced, 'discounts'>[]): Paise {
  return sumPaise(fees.flatMap(fee => (fee.discounts ?? []).map(one => one.valuePaise)))
}

function givenAway(before: Parameters<typeof payableOf>[0], after: Parameters<typeof payableOf>[0]): Paise {
  const lowered = payableOf(before) - payableOf(after)
  const conceded = concessionsOf(after) - concessionsOf(before)
  return paiseOf(Math.max(lowered, conceded, 0))
}

function reasonToSkip(
  { locksErpStudents }: Institute,
  { origin, charged }: store.StructureStudent,
  { priced, paid }: { priced: readonly SentFee[]; paid: readonly string[] },
): string | null {
  if (origin === 'erp' && locksErpStudents) return 'The ERP keeps this student, and such students are locked.'
  // Its money would stand as an advance while the family is asked to pay again.
  const orphan = charged.find(
    component => paid.includes(component) && !priced.some(fee => fee.componentType === component),
  )
  if (orphan !== undefined)
    return `Something is paid for ${orphan}, which the structure does not have any more. Name the term or fee as before, or refund it first.`
  return priced.length === 0 && charged.length === 0 ? 'No amounts are set for this class.' : null
}

/** The sums that families have to pay before and after, and are let off, over all students whose fees change. */
export type Effect = {
  students: number
  beforePaise: Paise
  afterPaise: Paise
  givenPaise: Paise
  gifts: MoneyGiven[]
}

export const NO_EFFECT: Effect = {
  students: 0,
  beforePaise: ZERO,
  afterPaise: ZERO,
  givenPaise: ZERO,
  gifts: [],
}

export function effectOf(applications: readonly Application[]): Effect {
  const changed = applications.filter(one => one.outcome === 'changed')
  return {
    students: changed.length,
    beforePaise: sumPaise(changed.map(one => one.beforePaise)),
    afterPaise: sumPaise(changed.map(one => one.afterPaise)),
    givenPaise: sumPaise(changed.map(one => one.givenPaise)),
    gifts: giftsOf(changed),
  }
}

/** What each family is let off; of a student whose fees stay as they are: nothing. */
export function giftsOf(applications: readonly Application[]): MoneyGiven[] {
  return applications
    .filter(one => one.outcome === 'changed' && one.givenPaise > 0)
    .map(({ student, givenPaise }) => ({ about: student.id, amountPaise: givenPaise }))
}
