import { isChargedAlike, spanOf, type OptionalFee } from '../../fees/optional/optional-fee.rules.ts'
import {
  deleteOptionalFee,
  lockOptionalFee,
  readOptionalFees,
  writeOptionalFee,
} from '../../fees/optional/optional-fees.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './enrolments.store.ts'

/** `children`: how many have each option today, or on the first day of a fee that is still to begin. */
export type CountedFee = OptionalFee & { children: ReadonlyMap<string, number>; isUsed: boolean }

export async function listOptionalFees(
  ctx: Pick<Context, 'db' | 'clock'>,
  institute: Institute,
  year: number,
): Promise<CountedFee[]> {
  const fees = await readOptionalFees(ctx.db, institute.id, { year })
  return Promise.all(fees.map(fee => count(ctx, institute, fee)))
}

export async function getOptionalFee(
  ctx: Pick<Context, 'db' | 'clock'>,
  institute: Institute,
  id: string,
): Promise<CountedFee> {
  const [fee] = await readOptionalFees(ctx.db, institute.id, { ids: [id] })
  if (fee === undefined) throw notFound('This optional fee')
  return count(ctx, institute, fee)
}

async function count(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  institute: Institute,
  fee: OptionalFee,
): Promise<CountedFee> {
  const today = dayOf(clock.now())
  const span = spanOf(fee)
  const on = span === null || today > span.firstDay ? today : span.firstDay
  const children = await store.countChildren(db, institute.id, { fee, on })
  return { ...fee, children, isUsed: await store.hasEnrolments(db, institute.id, fee.id) }
}

/** An option that was there already names its id. */
export type SentFee = Omit<OptionalFee, 'id' | 'options'> & {
  options: readonly (Omit<OptionalFee['options'][number], 'id'> & { id: string | null })[]
}

export async function addOptionalFee(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<OptionalFee>,
  institute: Institute,
  sent: SentFee,
): Promise<OptionalFee> {
  return transact(ctx.db, command, async tx => {
    const fee = {
      ...sent,
      id: newId('opt'),
      options: sent.options.map(one => ({ ...one, id: newId('opt') })),
    }
    await writeOptionalFee(tx, institute, fee, ctx.clock.now())
    return fee
  })
}

export type ChangedFee = { before: OptionalFee; after: OptionalFee }

/** Replaces it whole. What children pay who have it stays: only names, amounts for others, options and places change then. */
export async function changeOptionalFee(
  ctx: Pick<Context, 'db' | 'clock'>,
  command: Command<ChangedFee>,
  { institute, id }: { institute: Institute; id: string },
  sent: SentFee,
): Promise<ChangedFee> {
  return transact(ctx.db, command, async tx => {
    const before = await lockOptionalFee(tx, institute.id, id)
    const known = new Set(before.options.map(option => option.id))
    for (const [index, option] of sent.options.entries())
      if (option.id !== null && !known.has(option.id))
        throw badField(`options.${index}.option_id`, 'is no option of this fee')
    const after = { ...sent, id, options: sent.options.map(one => ({ ...one, id: one.id ?? newId('opt') })) }
    const used = await store.listUsedOptions(tx, institute.id, id)
    if (before.academicYearStart !== after.academicYearStart)
      throw badField('academic_year_start', 'cannot change: make a fee for the other year')
    if (used.length > 0 && !isChargedAlike(before, after))
      throw conflict(
        'Children have this fee: its code, days and rules stay. Make another one for what is different, and end this one for them.',
      )
    const gone = before.options.find(
      option => used.includes(option.id) && !after.options.some(one => one.id === option.id),
    )
    if (gone !== undefined) throw conflict(`Children have or had ${gone.name}, so it stays on record.`)
    await writeOptionalFee(tx, institute, after, ctx.clock.now())
    return { before, after }
  })
}

export async function removeOptionalFee(
  ctx: Pick<Context, 'db'>,
  command: Command<OptionalFee>,
  { institute, id }: { institute: Institute; id: string },
): Promise<OptionalFee> {
  return transact(ctx.db, command, async tx => {
    const fee = await lockOptionalFee(tx, institute.id, id)
    if (await store.hasEnrolments(tx, institute.id, id))
      throw conflict('Children have or had this fee, so it stays on record.')
    await deleteOptionalFee(tx, institute.id, id)
    return fee
  })
}
