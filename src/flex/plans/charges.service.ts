import { readOwnCharges } from '../../fees/fees.service.ts'
import { checkCatalogue, joinCatalogue } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { paiseOf, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { addToFee } from '../../students/profile/lock-student.service.ts'
import {
  addCharge,
  cancelCharge,
  canStopCharge,
  feeOfCharge,
  findCharge,
  refuseCancelCharge,
  refuseCharge,
  stopCharge,
  type WantedCharge,
} from '../rules/charge.rules.ts'
import { applyCause } from '../rules/plan-causes.rules.ts'
import type { Instalment, LoadedPlan } from '../rules/plan.rules.ts'
import type { PlanChanges } from './plan-changes.service.ts'
import type { PlanKey } from './plans.store.ts'
import { withPlan, type PlanContext } from './with-plans.service.ts'

/** The plan with the charge that was made, stopped or called off. */
export type ChargedPlan = LoadedPlan & { charge: Instalment }

export type CalledOff = ChargedPlan & {
  before: Instalment
  lowered: { componentType: string; amountPaise: Paise }[]
}

/** Adds the fee and, in the same transaction, the instalment that takes it. */
export async function chargeMandate(
  ctx: PlanContext,
  command: Command<ChargedPlan>,
  institute: Institute,
  { planId, ...wanted }: { planId: string } & WantedCharge,
): Promise<ChargedPlan> {
  const key = { instituteId: institute.id, planId }
  const code = { kind: 'component' as const, code: wanted.componentType, key: 'component_type' }
  return transact(ctx.db, command, async tx => {
    await checkCatalogue(tx, institute, [code])
    await joinCatalogue(tx, institute, [code])
    const checked = await withPlan(ctx, key, plan => checkCharge(tx, plan, wanted), {
      tx,
      holdStudents: true,
    })
    if (checked.known !== null) return checked.known
    const { studentId } = checked
    const { componentType, amountPaise } = wanted
    const at = ctx.clock.now()
    const fee = { componentType, amountPaise, at, source: 'charge' as const }
    await addToFee(tx, { instituteId: institute.id, studentId }, fee)
    return withPlan(ctx, key, plan => ({ charge: addCharge(plan, wanted), ...plan.snapshot() }), { tx })
  })
}

async function checkCharge(
  tx: Transaction,
  plan: PlanChanges,
  wanted: WantedCharge,
): Promise<{ studentId: string; known: ChargedPlan | null }> {
  const { instituteId, studentId } = plan.plan
  const known = findCharge(plan, wanted)
  if (known !== null) return { studentId, known: { ...plan.snapshot(), charge: known } }
  if (plan.student.student.status === 'dropped') throw conflict('This student is dropped.')
  // What has moved elsewhere counts before something is added.
  applyCause(plan, { kind: 'owed_changed' })
  refuseCharge(plan, wanted)
  await refuseOthersFee(tx, plan, { instituteId, studentId, componentType: wanted.componentType })
  return { studentId, known: null }
}

/** A fee that somebody else keeps would be set back by its keeper, and the charge with it. */
async function refuseOthersFee(
  tx: Transaction,
  { student }: PlanChanges,
  {
    instituteId,
    studentId,
    componentType,
  }: { instituteId: number; studentId: string; componentType: string },
): Promise<void> {
  const fee = student.fees.find(one => one.componentType === componentType)?.feePaise ?? ZERO
  const own = await readOwnCharges(tx, [{ instituteId, studentId }])
  if (fee <= (own.get(studentId)?.get(componentType) ?? ZERO)) return
  throw conflict(
    `The ERP, a file or the fee structure charges ${componentType} to this student, so a charge added here would be lost. Use a fee of its own for single charges.`,
  )
}

/** The family stops it by one tap, until it is presented. */
export async function stopChargeOf(ctx: PlanContext, key: PlanKey, instalmentId: string): Promise<void> {
  await withPlan(ctx, key, plan => {
    const charge = plan.find(instalmentId)
    if (charge === undefined || !charge.isCharge) throw notFound('This charge')
    if (charge.stoppedAt !== null) return
    if (!canStopCharge(plan, charge))
      throw conflict(`This charge is ${charge.state}, so it cannot be stopped.`)
    stopCharge(plan, charge)
  })
}

/** Calls a charge off: nothing of it is debited or owed any more. What was paid of it otherwise stays paid. */
export async function callOffCharge(
  ctx: PlanContext,
  command: Command<CalledOff>,
  key: PlanKey,
  instalmentId: string,
): Promise<CalledOff> {
  return transact(ctx.db, command, async tx => {
    const at = ctx.clock.now()
    const found = await withPlan(
      ctx,
      key,
      plan => {
        applyCause(plan, { kind: 'owed_changed' })
        const charge = plan.find(instalmentId)
        if (charge === undefined) throw notFound('This charge')
        refuseCancelCharge(charge)
        const schedule = plan.snapshot()
        const lowered = feeOfCharge(charge, plan.student.fees)
        cancelCharge(plan, charge)
        return { before: charge, lowered, studentId: plan.plan.studentId, schedule }
      },
      { tx, holdStudents: true },
    )
    const { before, lowered, studentId, schedule } = found
    for (const { componentType, amountPaise } of lowered)
      await addToFee(
        tx,
        { instituteId: key.instituteId, studentId },
        { componentType, amountPaise: paiseOf(0 - amountPaise), at, source: 'charge' },
      )
    return withPlan(
      ctx,
      key,
      plan => {
        applyCause(plan, { kind: 'owed_changed' })
        plan.recordSchedule(schedule)
        const charge = plan.find(instalmentId) ?? before
        return { ...plan.snapshot(), charge, before, lowered }
      },
      { tx },
    )
  })
}

export function loweredPaise({ lowered }: Pick<CalledOff, 'lowered'>): Paise {
  return sumPaise(lowered.map(one => one.amountPaise))
}
