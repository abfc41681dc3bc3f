import { bisectOnFailure } from '../../platform/concurrency.ts'
import type { Run } from '../../platform/jobs/job.ts'
import { processChunks } from '../../platform/jobs/due-rows.ts'
import { pullStudents } from '../../erp/pull/pull.service.ts'
import type { FlexContext } from '../context.ts'
import { cancelAtProvider } from '../mandates/end-mandate.ts'
import {
  insertDecisions,
  claimSteps,
  holdSteps,
  nextStepDue,
  setAside,
  type DueInstalment,
  insertPresentations,
} from './engine.store.ts'
import { loadPlans, lockPlans } from '../plans/plans.store.ts'
import { withPlans, withPlan, type LockedPlans } from '../plans/with-plans.service.ts'
import { debitContextOf, nextStep, type DebitRules, type Step, announceableAt } from '../rules/debit.rules.ts'
import { type LoadedPlan, noticeIdOf, type Instalment, sumLines } from '../rules/plan.rules.ts'
import { readDebitRules } from '../settings/settings.service.ts'
import { applyErpAnswer, takeQuietStep, present, readPaidElsewhere } from './debit.service.ts'
import { mandatesOf } from '../../payments/context.ts'
import { isUnavailable } from '../../platform/errors.ts'
import { ProviderRefused } from '../../providers/port.ts'
import { whenTold } from '../../messages/messages.service.ts'
import { openDebits, sendDebit } from '../../payments/debits/debits.service.ts'
import type { Payment } from '../../payments/payments.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'

/**
 * The engine: takes instalments whose moment has come and lets each take its next step. What it decides it decides again
 * under the plan's lock, because the ERP was asked, or a person acted, in between. A thousand instalments cost as many
 * calls to their ERPs and few statements more than one.
 * While one chunk is read or written, the calls of others keep its ERP busy.
 */
export function runSteps(ctx: FlexContext): Run {
  return processChunks(
    limit => claimSteps(ctx.db, ctx.clock.now(), limit),
    due => takeSteps(ctx, due),
  )
}

type TakeInParts = (
  some: readonly DueInstalment[],
  act: (part: readonly DueInstalment[]) => Promise<void>,
) => Promise<void>

async function takeSteps(ctx: FlexContext, due: readonly DueInstalment[]): Promise<void> {
  const plans = await loadPlans(ctx.db, due)
  const debitRules = await readDebitRules(ctx)
  const byStep = Map.groupBy(due, one => stepOf(plans, one, debitRules)?.kind ?? 'rest')
  const failures: unknown[] = []
  const each: TakeInParts = (some, act) =>
    bisectOnFailure(some, act, async (one, error) => {
      failures.push(error)
      await putAside(ctx, one)
    })
  const {
    fetch = [],
    announce = [],
    present = [],
    wait = [],
    move = [],
    rest = [],
  } = Object.fromEntries(byStep)
  await each([...wait, ...move, ...rest], some => takeQuietSteps(ctx, some))
  // Before the ERPs are waited for: a bank's window closes.
  await each(present, some => presentAll(ctx, some))
  await each(announce, some => announceAll(ctx, some, debitRules))
  await each(fetch, some => fetchAll(ctx, some, plans, each))
  // Everything else is done; now the caller gets the error.
  if (failures.length > 0) throw failures[0]
}

function stepOf(
  plans: ReadonlyMap<string, LoadedPlan>,
  { planId, instalmentId }: DueInstalment,
  debitRules: DebitRules,
): Step | null {
  const plan = plans.get(planId)
  const instalment = plan?.instalments.find(({ id }) => id === instalmentId)
  if (plan === undefined || instalment === undefined) return null
  return nextStep(debitContextOf(plan, instalment, debitRules))
}

async function takeQuietSteps(ctx: FlexContext, due: readonly DueInstalment[]): Promise<void> {
  await withPlans(ctx, due, plans => {
    for (const { planId, instalmentId } of due) {
      const plan = plans.get(planId)
      const instalment = plan?.find(instalmentId)
      if (plan !== undefined && instalment !== undefined)
        takeQuietStep(plan, instalment, nextStep(plan.contextOf(instalment)))
    }
  })
}

const HOLD_AGAIN_MS = 40_000

async function fetchAll(
  ctx: FlexContext,
  due: readonly DueInstalment[],
  plans: ReadonlyMap<string, LoadedPlan>,
  each: TakeInParts,
): Promise<void> {
  const students = due.map(({ instituteId, planId }) => ({
    instituteId,
    studentId: plans.get(planId)?.plan.studentId ?? '',
    reason: 'presentation' as const,
  }))
  // A slow ERP may take longer than the lease lasts.
  const timer = setInterval(() => void holdSteps(ctx.db, due).catch(() => {}), HOLD_AGAIN_MS)
  const pulled = await pullStudents(ctx, students).finally(() => clearInterval(timer))
  const answers = new Map(due.map((one, index) => [one, pulled[index]]))
  // The answers are here: who cannot be written is not asked about again.
  await each(due, async some => {
    const cancelled = await withPlans(ctx, some, locked => {
      const before = [...locked.values()].filter(({ plan }) => plan.state !== 'cancelled')
      for (const one of some) {
        const plan = locked.get(one.planId)
        const answer = answers.get(one)
        if (plan !== undefined && answer !== undefined) applyErpAnswer(plan, one.instalmentId, answer)
      }
      return before.filter(({ plan }) => plan.state === 'cancelled')
    })
    for (const { mandate } of cancelled) if (mandate !== null) await cancelAtProvider(ctx, mandate)
  })
}

const ASIDE_MS = 60 * 60_000

/** It could not be written, which is our bug: the others go on, a person sees it, and it is tried again in an hour. */
async function putAside({ db, clock }: FlexContext, one: DueInstalment): Promise<void> {
  const now = clock.now()
  await db.transaction(async tx => {
    await lockPlans(tx, [one])
    await setAside(tx, one, new Date(now.getTime() + ASIDE_MS))
    const why = 'its next step failed on our side; tried again in an hour'
    await insertDecisions(tx, [{ ...one, decidedAt: now, what: 'set aside', why }])
  })
}

export async function nextStepAt({ db }: FlexContext): Promise<Date | null> {
  return nextStepDue(db)
}

const AT_ONCE = 20

/**
 * Has the provider tell the payer's bank of debits that were announced to the family, where the rail wants it from the
 * provider. It may be repeated for one notice; what cannot be told in time is presented without.
 */
async function announceAll(
  ctx: FlexContext,
  due: readonly DueInstalment[],
  debitRules: DebitRules,
): Promise<void> {
  const plans = await loadPlans(ctx.db, due)
  for (let start = 0; start < due.length; start += AT_ONCE)
    await Promise.all(due.slice(start, start + AT_ONCE).map(one => announce(ctx, one, plans, debitRules)))
}

async function announce(
  ctx: FlexContext,
  key: DueInstalment,
  plans: ReadonlyMap<string, LoadedPlan>,
  debitRules: DebitRules,
): Promise<void> {
  const plan = plans.get(key.planId)
  const instalment = plan?.instalments.find(({ id }) => id === key.instalmentId)
  if (plan === undefined || instalment === undefined) return
  if (nextStep(debitContextOf(plan, instalment, debitRules)).kind !== 'announce') return
  const told = await tellProvider(ctx, plan, instalment, debitRules)
  await withPlan(ctx, key, locked => {
    const now = locked.find(key.instalmentId)
    // The notice was withdrawn or given anew meanwhile: that one is told by itself.
    if (now === undefined || noticeIdOf(now) !== noticeIdOf(instalment)) return
    if (told.kind === 'unknown') locked.change(now, { nextStepAt: new Date(locked.now.getTime() + RETRY_MS) })
    else locked.change(now, { announcedRef: told.ref, announcedFor: now.notifiedAt, nextStepAt: locked.now })
  })
}

const RETRY_MS = 5 * 60_000

/** Has no reference when the provider refuses: it will refuse the debit too, with a reason that Flex acts on. */
type Announcement = { kind: 'announced'; ref: string | null } | { kind: 'unknown' }

async function tellProvider(
  ctx: FlexContext,
  { mandate, plan }: LoadedPlan,
  instalment: Instalment,
  debitRules: DebitRules,
): Promise<Announcement> {
  const mandateRef = mandate?.providerRef ?? null
  if (mandate === null || mandateRef === null) return { kind: 'announced', ref: null }
  const port = await mandatesOf(ctx, mandate)
  try {
    const told = await port.announce?.({
      instituteId: plan.instituteId,
      noticeId: noticeIdOf(instalment),
      mandateRef,
      rail: mandate.rail,
      amountPaise: sumLines(instalment.lines),
      debitAt: announceableAt(instalment, debitRules.rules.rails[mandate.rail]),
    })
    return { kind: 'announced', ref: told?.providerRef ?? null }
  } catch (error) {
    if (error instanceof ProviderRefused) return { kind: 'announced', ref: null }
    if (isUnavailable(error)) return { kind: 'unknown' }
    throw error
  }
}

const SEND_AT_ONCE = 20

/**
 * Presents what was announced. The intent (order, payment, presentation) is committed first; then the bank is told. If we
 * die in between, the reconciler of payments learns that the bank never heard of it, and the debit begins its way anew.
 */
async function presentAll(ctx: FlexContext, due: readonly DueInstalment[]): Promise<void> {
  if (due.length === 0) return
  const ready = await openAll(ctx, due)
  for (let start = 0; start < ready.length; start += SEND_AT_ONCE)
    await Promise.all(ready.slice(start, start + SEND_AT_ONCE).map(one => send(ctx, one)))
}

type DebitToSend = { payment: Payment } & Parameters<typeof sendDebit>[2]

/** A failure is dropped here: the reconciler asks the provider about every debit whose answer is missing. */
async function send(ctx: FlexContext, { payment, ...details }: DebitToSend): Promise<void> {
  await sendDebit(ctx, payment, details).catch(() => {})
}

/** The students are held: a drop, a fee or a payment is either seen here or comes after the presentation. */
async function openAll(ctx: FlexContext, due: readonly DueInstalment[]): Promise<DebitToSend[]> {
  const open = async (plans: LockedPlans, tx: Transaction): Promise<DebitToSend[]> => {
    const leftAt = await noticesLeftAt(tx, plans, due)
    const paidElsewhere = await readPaidElsewhere(tx, plans)
    const presented = due.flatMap(({ planId, instalmentId }) => {
      const plan = plans.get(planId)
      if (plan === undefined) return []
      const facts = {
        noticeLeftAt: leftAt.get(instalmentId),
        paidElsewhere: paidElsewhere.get(plan.plan.studentId) ?? [],
      }
      return present(plan, instalmentId, facts) ?? []
    })
    const payments = await openDebits(
      tx,
      presented.map(({ debit }) => debit),
    )
    await insertPresentations(
      tx,
      presented.map(({ presentation }) => presentation),
    )
    return presented.flatMap(({ debit, mandateRef }, index) => {
      const payment = payments[index]
      if (payment === undefined) return []
      const { collectorCode, studentName, name, phone, email } = debit.order
      const description = `Fees for ${studentName ?? 'a student'}`
      return [{ payment, mandateRef, collectorCode, payer: { name, phone, email }, description }]
    })
  }
  return withPlans(ctx, due, open, { holdStudents: true })
}

/** Reads `whenTold` by instalment. */
async function noticesLeftAt(
  tx: Transaction,
  plans: LockedPlans,
  due: readonly DueInstalment[],
): Promise<Map<string, Date | null>> {
  const notices = due.flatMap(({ instituteId, planId, instalmentId }) => {
    const instalment = plans.get(planId)?.find(instalmentId)
    return instalment === undefined ? [] : [{ instituteId, instalmentId, once: noticeIdOf(instalment) }]
  })
  const told = await whenTold(tx, notices)
  return new Map(
    notices.flatMap(({ instalmentId, once }) => {
      const leftAt = told.get(once)
      return leftAt === undefined ? [] : [[instalmentId, leftAt]]
    }),
  )
}
