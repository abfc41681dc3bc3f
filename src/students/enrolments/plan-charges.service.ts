import { chargerOf, feeAfter, type OptionalFee } from '../../fees/optional/optional-fee.rules.ts'
import { readOptionalFees } from '../../fees/optional/optional-fees.service.ts'
import { loweredBy, type FeeComponent, type SentFee } from '../../fees/fees.rules.ts'
import { planFees, readFeesOf, readOptionalCharges, type FeePlan } from '../../fees/fees.service.ts'
import {
  childNoOf,
  discountsOf,
  gradesOf,
  mergeStructure,
  ruleNamesOf,
  structureFor,
  type Child,
  type YearStructures,
} from '../../fees/structures/structure.rules.ts'
import { readStructures } from '../../fees/structures/structures.service.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { paiseOf, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { readFamilies } from '../structures/structure-students.store.ts'
import type { Enrolment } from './enrolment.rules.ts'
import type { Candidate } from './enrolments.store.ts'

/** What a child has of optional fees, as it becomes. */
export type Wish = { student: Candidate; enrolments: readonly Enrolment[] }

export type ChargePlan = {
  feePlan: FeePlan
  /** Payable for the fee that is asked about. */
  beforePaise: Paise
  afterPaise: Paise
  /** What the family is let off: less to pay than before, or concessions that it did not have. */
  givenPaise: Paise
  /** Why it cannot be. */
  problem: string | null
}

/** What children owe for everything that they have of optional fees; nothing is written. */
export async function planCharges(
  db: Queryable,
  instituteId: number,
  asked: OptionalFee,
  wishes: readonly Wish[],
): Promise<ChargePlan[]> {
  const ids = wishes.map(({ student }) => student.id)
  const feeIds = new Set(wishes.flatMap(({ enrolments }) => enrolments.map(one => one.feeId)))
  const others = await readOptionalFees(db, instituteId, { ids: [...feeIds].filter(id => id !== asked.id) })
  const fees = [asked, ...others].map(fee => ({ fee, charge: chargerOf(fee) }))
  const current = await readFeesOf(db, instituteId, ids)
  const charged = await readOptionalCharges(db, instituteId, ids)
  const concessionsOf = await readConcessions(db, instituteId, asked, ids)
  const sums = wishes.map(({ student, enrolments }) => {
    const wanted = new Map<string, Paise>()
    for (const { fee, charge } of fees) {
      const shares = enrolments.filter(one => one.feeId === fee.id)
      for (const [componentType, amountPaise] of charge(shares))
        wanted.set(componentType, sumPaise([wanted.get(componentType) ?? ZERO, amountPaise]))
    }
    return {
      student,
      wanted,
      own: current.get(student.id) ?? [],
      charged: charged.get(student.id) ?? new Map(),
    }
  })
  const asks = new Set(fees[0]?.charge([]).keys())
  const sent = sums.map(sum => ({ studentId: sum.student.id, fees: feesOf(sum, asks, concessionsOf(sum)) }))
  const plans = await planFees(db, instituteId, sent, 'fees')
  return sums.flatMap((sum, index) => {
    const feePlan = plans[index]
    if (feePlan === undefined) return []
    const taken = takenElsewhere(sum, asks)
    const after = new Map(feePlan.changes.map(change => [change.componentType, change.after]))
    const before = sum.own.filter(one => asks.has(one.componentType))
    const unchanged = before.filter(one => !after.has(one.componentType))
    const changed = feePlan.changes.filter(one => asks.has(one.componentType)).map(one => one.after)
    const plan: ChargePlan = {
      feePlan,
      beforePaise: sumPaise(before.map(payableOf)),
      afterPaise: sumPaise([...unchanged, ...changed].map(payableOf)),
      givenPaise: givenBy(feePlan),
      problem: taken ?? feePlan.problems[0]?.message ?? null,
    }
    return [plan]
  })
}

type Sums = {
  student: Candidate
  wanted: ReadonlyMap<string, Paise>
  own: readonly FeeComponent[]
  charged: ReadonlyMap<string, Paise>
}

type Concede = (componentType: string, feePaise: Paise) => SentFee

/** Fees after the change; those that stay as they are only if their concessions follow rules. */
function feesOf(
  { wanted, own, charged }: Sums,
  asks: ReadonlySet<string>,
  concede: Concede | null,
): SentFee[] {
  return [...new Set([...wanted.keys(), ...charged.keys()])].flatMap(componentType => {
    const wantedPaise = wanted.get(componentType) ?? ZERO
    const chargedPaise = charged.get(componentType) ?? ZERO
    const isPriced = concede !== null && asks.has(componentType) && wantedPaise > 0
    if (wantedPaise === chargedPaise && !isPriced) return []
    const stored = own.find(one => one.componentType === componentType)?.feePaise ?? ZERO
    const feePaise = feeAfter(stored, { chargedPaise, wantedPaise })
    return [isPriced ? concede(componentType, feePaise) : { componentType, feePaise }]
  })
}

/** Concessions by rule, of fees that take them: those in per cent, for brothers and sisters or a category. */
async function readConcessions(
  db: Queryable,
  instituteId: number,
  fee: OptionalFee,
  ids: readonly string[],
): Promise<(sums: Sums) => Concede | null> {
  if (!fee.takesConcessions) return () => null
  const structures = await readStructures(db, instituteId, fee)
  const families = await readFamilies(db, instituteId, ids)
  return ({ student, own }) =>
    conceder({ structures, fee, student, family: families.get(student.id) ?? [] }, own)
}

type Conceding = {
  structures: YearStructures
  fee: OptionalFee
  student: Candidate
  family: readonly Child[]
}

function conceder(
  { structures, fee, student, family }: Conceding,
  own: readonly FeeComponent[],
): Concede | null {
  const structure = structureFor(structures, student.collectorCode)
  if (structure === null) return null
  const concessions = structure.concessions.filter(rule => rule.percent !== null)
  const childNo = childNoOf(student.id, family, gradesOf(structures))
  const options = { ruleNames: ruleNamesOf(structures), chargedBefore: [] }
  return (componentType, feePaise) => {
    const head = fee.componentType
    const discounts = discountsOf({ concessions }, { ...student, childNo }, { head, feePaise })
    const [merged] = mergeStructure(own, [{ componentType, feePaise, discounts }], options)
    return merged ?? { componentType, feePaise }
  }
}

/** A component that somebody else charges too would be charged twice, or taken away by the other. */
function takenElsewhere({ own, charged, wanted }: Sums, asks: ReadonlySet<string>): string | null {
  const taken = own.find(
    ({ componentType, feePaise }) =>
      asks.has(componentType) &&
      (wanted.get(componentType) ?? ZERO) > 0 &&
      feePaise > 0 &&
      (charged.get(componentType) ?? ZERO) === 0,
  )
  return taken === undefined
    ? null
    : `is charged ${taken.componentType} already, by the ERP, a file or the fee structure`
}

function payableOf({ feePaise, discounts }: Pick<FeeComponent, 'feePaise' | 'discounts'>): Paise {
  return paiseOf(feePaise - sumPaise(discounts.map(one => one.valuePaise)))
}

function givenBy({ changes }: FeePlan): Paise {
  const conceded = changes.flatMap(({ before, after }) => [
    ...after.discounts.map(one => one.valuePaise),
    ...(before?.discounts ?? []).map(one => 0 - one.valuePaise),
  ])
  return paiseOf(
    Math.max(
      loweredBy(changes),
      conceded.reduce((sum, one) => sum + one, 0),
      0,
    ),
  )
}
