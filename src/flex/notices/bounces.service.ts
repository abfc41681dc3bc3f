import { tellBounces, type CameBack } from './bounce.texts.ts'
import type { FlexContext } from '../context.ts'
import { isDone, type Instalment } from '../rules/plan.rules.ts'
import { holdPlans, noteOnPlans, type Refreshed } from '../plans/refresh.service.ts'
import { sumLines } from '../rules/schedule.rules.ts'
import { queueMessages } from '../../messages/messages.service.ts'
import { nextWakingMoment } from '../../messages/quiet-hours.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import * as store from './bounces.store.ts'
import { goRound } from './notify-families.ts'
import { groupByFamily } from './reminders.rules.ts'

/**
 * Tells families of debits that came back: a reminder as well, so the ERP is asked before, and who has paid meanwhile
 * by any means is not told. What is withheld is written down with its reason.
 */
export async function sendBounces(flex: FlexContext, limit: number): Promise<number> {
  return goRound(flex, limit, {
    list: now => store.listBounces(flex.db, now, limit),
    think,
    giveUp: bounce => withheld(bounce, 'it failed on our side'),
    decide: (thoughts, now) => decide(flex, thoughts, now),
  })
}

/** When the next can be told; one that is late waits for the morning too. */
export async function nextBounceAt({ db, clock }: FlexContext): Promise<Date | null> {
  const at = await store.nextBounce(db)
  const now = clock.now()
  return at === null ? null : nextWakingMoment(at > now ? at : now)
}

type Thought = { bounce: store.DueBounce; family: string } & ({ told: CameBack } | { why: string })

async function decide(flex: FlexContext, thoughts: readonly Thought[], now: Date): Promise<void> {
  await flex.db.transaction(async tx => {
    const bounces = thoughts.map(({ bounce }) => bounce)
    // First the plans, as everywhere: one that comes back again at this moment waits, or is waited for.
    await holdPlans(tx, bounces)
    const taken = await store.takeBounces(tx, bounces)
    const ours = thoughts.filter(({ bounce }) => taken.has(bounce.instalmentId))
    const notes = ours.flatMap(thought => {
      const { instituteId, planId, instalmentId } = thought.bounce
      const key = { instituteId, planId, instalmentId, decidedAt: now }
      return 'why' in thought ? [{ ...key, what: 'family not told', why: `withheld: ${thought.why}` }] : []
    })
    await noteOnPlans(tx, notes)
    await queueMessages(
      tx,
      groupByFamily(ours).flatMap(family =>
        tellBounces(
          family.flatMap(thought => ('told' in thought ? thought.told : [])),
          now,
        ),
      ),
    )
  })
}

function think(bounce: store.DueBounce, refreshed: Refreshed | undefined): Thought {
  const instalment = refreshed?.file.instalments.find(({ id }) => id === bounce.instalmentId)
  if (refreshed === undefined || instalment === undefined) return withheld(bounce, 'the plan is gone')
  const { file, student, word } = refreshed
  if (word.kind === 'refused') return withheld(bounce, word.code)
  if (word.kind === 'unavailable') return withheld(bounce, 'the ERP could not be asked')
  if (isDone(instalment) || instalment.state === 'presented')
    return withheld(bounce, `the instalment is ${instalment.state}`)
  const { kind, reason, family, instalmentId } = bounce
  // What was taken back is what it was; what is debited again may have changed.
  const amountPaise = kind === 'reversed' ? bounce.amountPaise : sumLines(instalment.lines)
  const day = nextDebitOn(instalment)
  return { bounce, family, told: { kind, file, student, instalmentId, amountPaise, reason, day } }
}

function nextDebitOn({ state, presentOn, nextStepAt }: Instalment): string | undefined {
  if (state === 'scheduled') return presentOn
  return state === 'confirmed' && nextStepAt !== null ? dayOf(nextStepAt) : undefined
}

function withheld(bounce: store.DueBounce, why: string): Thought {
  return { bounce, family: bounce.family, why }
}
