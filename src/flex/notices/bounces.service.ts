import { queueMessages } from '../../messages/messages.service.ts'
import { nextWakingMoment } from '../../messages/messages.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { FlexContext } from '../context.ts'
import { insertDecisions } from '../engine/decisions.store.ts'
import { lockPlans } from '../plans/plans.store.ts'
import type { RefreshedPlan } from '../plans/refresh.service.ts'
import { sumLines } from '../rules/lines.rules.ts'
import { isDone, type Instalment } from '../rules/plan.rules.ts'
import { bounceMessages, type ReturnedDebit } from './bounce.texts.ts'
import * as store from './bounces.store.ts'
import { notifyFamilies } from './notify-families.ts'
import { groupByFamily } from './reminders.rules.ts'

/**
 * Tells families of debits that came back: a reminder as well, so the ERP is asked before, and who has paid meanwhile
 * by any means is not told. What is withheld is written down with its reason.
 */
export async function sendBounces(ctx: FlexContext, limit: number): Promise<number> {
  return notifyFamilies(ctx, limit, {
    list: now => store.listBounces(ctx.db, now, limit),
    decide: decideNotice,
    giveUp: bounce => withheld(bounce, 'it failed on our side'),
    carryOut: (decisions, now) => carryOut(ctx, decisions, now),
  })
}

/** When the next can be told; one that is late waits for the morning too. */
export async function nextBounceAt({ db, clock }: FlexContext): Promise<Date | null> {
  const at = await store.nextBounce(db)
  const now = clock.now()
  return at === null ? null : nextWakingMoment(at > now ? at : now)
}

type Decision = { bounce: store.DueBounce; family: string } & ({ send: ReturnedDebit } | { why: string })

function decideNotice(bounce: store.DueBounce, refreshed: RefreshedPlan | undefined): Decision {
  const instalment = refreshed?.plan.find(bounce.instalmentId)
  if (refreshed === undefined || instalment === undefined) return withheld(bounce, 'the plan is gone')
  const { plan: about, answer } = refreshed
  if (answer.kind === 'refused') return withheld(bounce, answer.code)
  if (answer.kind === 'unavailable') return withheld(bounce, 'the ERP could not be asked')
  if (isDone(instalment) || instalment.state === 'presented')
    return withheld(bounce, `the instalment is ${instalment.state}`)
  const { kind, reason, family, instalmentId } = bounce
  // What was taken back is what it was; what is debited again may have changed.
  const amountPaise = kind === 'reversed' ? bounce.amountPaise : sumLines(instalment.lines)
  const day = nextDebitOn(instalment)
  const once = `${kind} ${instalmentId} ${bounce.returnedAt.toISOString()}`
  return { bounce, family, send: { kind, about, instalmentId, amountPaise, reason, day, once } }
}

function nextDebitOn({ state, presentOn, nextStepAt }: Instalment): string | undefined {
  if (state === 'scheduled') return presentOn
  return state === 'confirmed' && nextStepAt !== null ? dayOf(nextStepAt) : undefined
}

function withheld(bounce: store.DueBounce, why: string): Decision {
  return { bounce, family: bounce.family, why }
}

async function carryOut(ctx: FlexContext, decisions: readonly Decision[], now: Date): Promise<void> {
  await ctx.db.transaction(async tx => {
    const bounces = decisions.map(({ bounce }) => bounce)
    // First the plans, as everywhere: one that comes back again at this moment waits, or is waited for.
    await lockPlans(tx, bounces)
    const taken = await store.takeBounces(tx, bounces)
    const ours = decisions.filter(({ bounce }) => taken.has(bounce.instalmentId))
    const notes = ours.flatMap(decision => {
      const { instituteId, planId, instalmentId } = decision.bounce
      const note = { instituteId, planId, instalmentId, decidedAt: now, what: 'family not told' }
      return 'why' in decision ? [{ ...note, why: `withheld: ${decision.why}` }] : []
    })
    await insertDecisions(tx, notes)
    const messages = groupByFamily(ours).flatMap(family => {
      const returned = family.flatMap(decision => ('send' in decision ? decision.send : []))
      return bounceMessages(returned, now)
    })
    await queueMessages(tx, messages)
  })
}
