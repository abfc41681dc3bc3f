import { chooseFamilyLanguage } from '../../messages/messages.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Language } from '../../platform/languages.ts'
import type { Account } from '../../providers/accounts/registry.service.ts'
import { mandatesOf } from '../../payments/context.ts'
import { dayOf, addDays } from '../../platform/calendar.ts'
import { conflict, notFound, unavailable } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { paiseOf, ZERO, type Paise } from '../../platform/money.ts'
import { ProviderRefused } from '../../providers/port.ts'
import { readStudentContexts } from '../../students/student-contexts.service.ts'
import type { FlexContext } from '../context.ts'
import type { PlanChanges } from '../plans/plan-changes.service.ts'
import { loadPlans, type PlanKey } from '../plans/plans.store.ts'
import { withPlan } from '../plans/with-plans.service.ts'
import { sumLines, isOpen, isPlanOver, type LoadedPlan, type Mandate } from '../rules/plan.rules.ts'
import type { Rail } from '../rules/rails.rules.ts'
import { readDebitRules } from '../settings/settings.service.ts'
import { cancelAtProvider } from './end-mandate.ts'

/** `language` is that of the page on which the family chose; it is written to in it from now on. */
type Choice = {
  rail: Rail
  language?: Language
  consent?: string
  /** Fees of which the payer agrees to single charges. */
  chargeComponents?: readonly string[]
}

/** Begins a mandate at the provider, or takes up the one that is pending; answers where the payer authorises it. */
export async function startMandate(
  ctx: FlexContext,
  key: PlanKey,
  { returnUrl, ...choice }: Choice & { returnUrl: string },
): Promise<string> {
  const { mandate, plan, replaced } = await openMandate(ctx, key, choice)
  if (replaced !== null) await cancelAtProvider(ctx, replaced)
  if (mandate.redirectUrl !== null) return mandate.redirectUrl
  const { student } = plan.student
  const { instituteId, id: mandateId, rail, capPaise, startOn, endOn } = mandate
  const port = await mandatesOf(ctx, mandate)
  const request = {
    instituteId,
    mandateId,
    rail,
    capPaise,
    startOn,
    endOn,
    payer: { name: student.contactName, phone: student.contactNumber, email: student.contactEmail },
    description: `Fees for ${student.fullname}`,
    returnUrl,
  }
  const started = await port.register(request).catch((error: unknown) => endRefused(ctx, key, error))
  await withPlan(ctx, key, locked => {
    if (locked.mandate?.id !== mandateId) throw unavailable('The plan changed at this moment. Please retry.')
    locked.changeMandate(started)
  })
  return started.redirectUrl
}

/** The provider will refuse it again: the plan says why, and the payer may choose another way. */
async function endRefused(ctx: FlexContext, key: PlanKey, error: unknown): Promise<never> {
  if (!(error instanceof ProviderRefused)) throw error
  const why = `refused: ${error.message}`
  await withPlan(ctx, key, plan => {
    if (plan.mandate?.state === 'pending') plan.moveMandate('rejected', why, { nextCheckAt: null })
  })
  throw conflict(`The payment provider does not take this mandate: ${error.message}`)
}

type OpenedSetup = { mandate: Mandate; plan: PlanChanges; replaced: Mandate | null }

/** Written before the provider is asked, so that what it says of it is always about a mandate we know. */
async function openMandate(
  ctx: FlexContext,
  key: PlanKey,
  { rail, language, consent, chargeComponents }: Choice,
): Promise<OpenedSetup> {
  const loaded = (await loadPlans(ctx.db, [key])).get(key.planId)
  if (loaded === undefined) throw notFound('This plan')
  const account = await mandateAccount(ctx, loaded)
  if (account === null) throw conflict('Instalments by mandate are not set up for this branch.')
  if (!(await railsFor(ctx, loaded)).includes(rail))
    throw conflict('An instalment of this plan is above what this way of debiting allows.')
  return withPlan(ctx, key, async (plan, tx) => {
    refuseUnlessOpen(plan)
    if (language !== undefined) await rememberLanguage(plan, tx, language)
    const pending = plan.mandate?.state === 'pending' ? plan.mandate : null
    if (pending?.rail === rail && pending.authorisedAt === null)
      return { mandate: agreeToCharges(plan, pending, chargeComponents), plan, replaced: null }
    const nextCheckAt = pending?.providerRef === null ? null : plan.now
    const replaced =
      pending === null
        ? null
        : plan.moveMandate('cancelled', 'the payer chose another way', { nextCheckAt, checks: 0 })
    const mandate = plan.putMandate({
      ...newMandate(plan, rail, account),
      chargeComponents: chargeComponents ?? [],
    })
    // The plan is debited for the branch that the student is in now.
    plan.changePlan({ collectorCode: plan.student.student.collectorCode })
    if (consent !== undefined) plan.note(null, 'consent', consent)
    return { mandate, plan, replaced }
  })
}

/** Whoever goes back from the bank and agrees anew has agreed to what was ticked last. */
function agreeToCharges(
  plan: PlanChanges,
  pending: Mandate,
  chargeComponents: readonly string[] | undefined,
): Mandate {
  if (chargeComponents === undefined) return pending
  const isSame = chargeComponents.join() === pending.chargeComponents.join()
  return isSame ? pending : plan.changeMandate({ chargeComponents })
}

async function rememberLanguage(plan: PlanChanges, tx: Transaction, language: Language): Promise<void> {
  const family = { instituteId: plan.plan.instituteId, phone: plan.student.student.contactNumber }
  await chooseFamilyLanguage(tx, family, { language, chosenBy: 'family', chosenAt: plan.now })
  plan.changePlan({ language })
}

function refuseUnlessOpen({ plan: { state }, mandate, instalments }: LoadedPlan): void {
  if (isPlanOver({ state })) throw conflict(`This plan is ${state}.`)
  // A plan that was closed may go on without one.
  if (mandate?.state === 'active') throw conflict('This plan is set up already.')
  if (mandate?.state === 'pending' && mandate.authorisedAt !== null)
    throw conflict('The mandate is authorised; the bank is confirming it.')
  if (instalments.some(one => one.isDownpayment && one.state === 'scheduled'))
    throw conflict('The down payment comes first.')
}

const VALID_DAYS_AFTER = 90
const FIRST_CHECK_MS = 120_000

function newMandate(plan: PlanChanges, rail: Rail, { id: accountId, provider, port }: Account): Mandate {
  const today = dayOf(plan.now)
  const last = plan.instalments.reduce((latest, one) => (one.dueOn > latest ? one.dueOn : latest), today)
  return {
    instituteId: plan.plan.instituteId,
    id: newId('mdt'),
    planId: plan.plan.id,
    provider,
    accountId,
    providerRef: null,
    rail,
    state: 'pending',
    umrn: null,
    upiReference: null,
    capPaise: capFor(plan, plan.debitRules.rules.rails[rail].limitPaise),
    startOn: today,
    endOn: addDays(last, VALID_DAYS_AFTER),
    isAnnounced: port.mandates?.announcedRails?.includes(rail) ?? false,
    npciCategory: null,
    redirectUrl: null,
    createdAt: plan.now,
    authorisedAt: null,
    nextCheckAt: new Date(plan.now.getTime() + FIRST_CHECK_MS),
    checks: 0,
    isPaused: false,
    chargeComponents: [],
    payerPausedAt: null,
  }
}

const HUNDRED_RUPEES = 100_00

/** What one debit may take at most: room above the largest instalment, so that a small rise needs no new mandate. */
export function capFor(loaded: LoadedPlan, limitPaise: Paise): Paise {
  const roomy = Math.ceil((largestDebit(loaded) * 1.25) / HUNDRED_RUPEES) * HUNDRED_RUPEES
  return paiseOf(Math.min(roomy, limitPaise))
}

/** The rails on which the branch's account can debit every instalment of the plan. */
export async function railsFor(ctx: FlexContext, loaded: LoadedPlan): Promise<Rail[]> {
  const account = await mandateAccount(ctx, loaded)
  if (account === null) return []
  const { rails } = (await readDebitRules(ctx)).rules
  const able = account.rails.filter(rail => account.port.mandates?.rails.includes(rail))
  return (['upi_autopay', 'enach'] as const).filter(
    rail => able.includes(rail) && largestDebit(loaded) <= rails[rail].limitPaise,
  )
}

/**
 * Through which new mandates of the student's branch go; null when nothing is set up for it. The student may have moved since
 * the plan was made.
 */
export async function mandateAccount(
  { accounts, db }: FlexContext,
  { plan: { instituteId, studentId, collectorCode: before } }: Pick<LoadedPlan, 'plan'>,
): Promise<Account | null> {
  const found = (await readStudentContexts(db, [{ instituteId, studentId }])).get(studentId)
  const collectorCode = found?.student.collectorCode ?? before
  return accounts.accountFor({ instituteId, collectorCode }, 'mandates')
}

/** The largest single debit that is still to come. */
function largestDebit({ instalments }: LoadedPlan): Paise {
  const debits = instalments.filter(one => !one.isDownpayment)
  const open = debits.filter(one => isOpen(one) && one.state !== 'due')
  const amounts = (open.length > 0 ? open : debits).map(one => sumLines(one.lines))
  return amounts.reduce((most, amount) => (amount > most ? amount : most), ZERO)
}
