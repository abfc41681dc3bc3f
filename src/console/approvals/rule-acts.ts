import {
  lateFeeGifts,
  readLapsedLateFees,
  readLateFeesAhead,
  type LateFeesAhead,
} from '../../dues/late-fees.service.ts'
import { setPaymentRules, type NewRules, type PaymentRules } from '../../dues/payment-rules.service.ts'
import { paymentRulesOutput } from '../../dues/dues.schemas.ts'
import {
  aboutOf,
  loweredClasses,
  type FeeStructure,
  type StructureKey,
  type Year,
  type YearStructures,
} from '../../fees/structures/structure.rules.ts'
import {
  dropBranchStructure,
  readStructures,
  setStructure,
} from '../../fees/structures/structures.service.ts'
import { totalOf, type MoneyGiven, type Institute } from '../../institutes/institutes.rules.ts'
import type { ConsoleContext } from '../context.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { toRupees, type Paise } from '../../platform/money.ts'
import {
  applyToClass,
  weighClass,
  type ClassApplication,
} from '../../students/structures/apply-structure.service.ts'
import { giftsOf, type Effect } from '../../students/structures/plan-students.service.ts'
import type { GuardedAct } from './guarded-act.ts'

type RulesRequest = NewRules & { reason: string }

/** Rules by which families owe less: late fees that fall away or rise more slowly, today or in the year to come. */
export const paymentRulesAct: GuardedAct<RulesRequest, PaymentRules, LateFeesAhead> = {
  lookBefore: (tx, ctx, { institute }) => readLateFeesAhead(tx, institute.id, dayOf(ctx.clock.now())),
  perform: (ctx, command, { institute }, { reason: _reason, ...rules }) =>
    setPaymentRules(ctx, command, institute, rules),
  async weigh(tx, ctx, { institute, about, before }) {
    const gifts = await readLoweredLateFees(tx, ctx, institute, before)
    const title = 'Payment rules with lower late fees, counted over a year'
    const effect = { students: gifts.length }
    return { title, subject: about, amountPaise: totalOf(gifts), gifts, effect }
  },
  note: ({ about }, { reason }, rules) => ({
    what: 'payment_rules.changed',
    about,
    why: reason,
    after: paymentRulesOutput.toJson(rules),
  }),
}

async function readLoweredLateFees(
  tx: Transaction,
  ctx: ConsoleContext,
  { id }: Institute,
  before: LateFeesAhead,
): Promise<MoneyGiven[]> {
  return lateFeeGifts(before, await readLateFeesAhead(tx, id, dayOf(ctx.clock.now())))
}

type BeforeStructure = { structures: YearStructures; lateFees: LateFeesAhead }

async function lookAtYear(
  tx: Transaction,
  ctx: ConsoleContext,
  { id }: Institute,
  year: Year,
): Promise<BeforeStructure> {
  // First: it holds off another who changes what families owe by rules.
  const lateFees = await readLateFeesAhead(tx, id, dayOf(ctx.clock.now()))
  return { structures: await readStructures(tx, id, year), lateFees }
}

/**
 * A structure that is changed holds for whoever is registered from then on, so what one child of each class has to pay less
 * counts; those who are registered count when it is applied to their class. Its due days hold for everybody at once.
 */
async function weighYear(
  tx: Transaction,
  ctx: ConsoleContext,
  { institute, key, before }: { institute: Institute; key: StructureKey; before: BeforeStructure },
): Promise<{ gifts: MoneyGiven[]; amountPaise: Paise }> {
  const after = await readStructures(tx, institute.id, key)
  const lowered = loweredClasses(before.structures, after, institute.branches).map(
    ({ collectorCode, grade, amountPaise }) => {
      return { about: `structure ${aboutOf({ ...key, collectorCode })} ${grade}`, amountPaise }
    },
  )
  const gifts = [...lowered, ...(await readLoweredLateFees(tx, ctx, institute, before.lateFees))]
  return { gifts, amountPaise: totalOf(gifts) }
}

type StructureRequest = FeeStructure & { reason: string }

export const setStructureAct: GuardedAct<StructureRequest, FeeStructure, BeforeStructure> = {
  lookBefore: (tx, ctx, { institute }, request) => lookAtYear(tx, ctx, institute, request),
  perform: (ctx, command, { institute }, { reason: _reason, ...structure }) =>
    setStructure(ctx, command, institute, structure),
  async weigh(tx, ctx, { institute, about, request: key, before }) {
    const weight = await weighYear(tx, ctx, { institute, key, before })
    return { title: `Fee structure ${about} with lower amounts`, subject: about, ...weight }
  },
  note: ({ about }, { reason }, structure) => ({
    what: 'fees.structure_changed',
    about,
    ...(reason === '' ? {} : { why: reason }),
    after: {
      terms: structure.terms.length,
      fee_heads: structure.heads,
      grades: structure.grades.length,
      amounts: structure.amounts.length,
      concessions: structure.concessions.map(rule => rule.discountType),
    },
  }),
}

type DropRequest = StructureKey & { collectorCode: string; reason: string }

export const dropStructureAct: GuardedAct<DropRequest, null, BeforeStructure> = {
  lookBefore: (tx, ctx, { institute }, request) => lookAtYear(tx, ctx, institute, request),
  perform: (ctx, command, { institute }, { reason: _reason, ...key }) =>
    dropBranchStructure(ctx, command, institute, key),
  async weigh(tx, ctx, { institute, about, request: key, before }) {
    const weight = await weighYear(tx, ctx, { institute, key, before })
    return { title: `Fee structure ${about} dropped, with lower amounts`, subject: about, ...weight }
  },
  note: ({ about }, { reason }) => ({
    what: 'fees.structure_dropped',
    about,
    ...(reason === '' ? {} : { why: reason }),
  }),
}

type ApplyRequest = StructureKey & { grade: string; after: string | null; limit: number; reason: string }

/** Fees of a class by the structure: what it lets families off counts together, by lower amounts and by rules alike. */
export const applyStructureAct: GuardedAct<ApplyRequest, ClassApplication, Effect> = {
  lookBefore: (tx, _ctx, { institute }, { grade, ...of }) => weighClass(tx, institute, { of, grade }),
  perform: (ctx, command, { institute }, { grade, after, limit, reason: _reason, ...of }) =>
    applyToClass(ctx, command, { institute, of, grade, after, limit, isPreview: false }),
  async weigh(tx, ctx, { institute, about, request: { grade, collectorCode }, result, before: effect }) {
    const branch = institute.branches.find(one => one.collectorCode === collectorCode)
    const where = branch === undefined ? '' : ` of ${branch.name}`
    const title = `Fees of class ${grade}${where} by the structure, lower or with more concessions`
    const wholePaise = effect.givenPaise
    const lowered = giftsOf(result.students)
    const keys = lowered.map(gift => ({ instituteId: institute.id, studentId: gift.about }))
    const gifts = [...lowered, ...(await readLapsedLateFees(ctx, tx, keys))]
    return {
      title,
      subject: about,
      amountPaise: wholePaise,
      gifts,
      wholePaise,
      effect,
    }
  },
  note: (_target, { reason, ...of }, { grade, students }) => {
    const changed = students.filter(one => one.outcome === 'changed')
    return {
      what: 'fees.structure_applied',
      about: aboutOf(of),
      ...(reason === '' ? {} : { why: reason }),
      after: {
        grade,
        students: students.length,
        changed: changed.length,
        skipped: students.filter(one => one.outcome === 'skipped').length,
        payable: changed.reduce((sum, one) => sum + toRupees(one.afterPaise), 0),
      },
    }
  },
}
