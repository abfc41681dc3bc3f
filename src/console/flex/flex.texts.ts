import { formatDayIn as formatIn } from '../../platform/languages.ts'
import { MANDATE_ENDED } from '../../flex/mandates/end-mandate.ts'
import { nextStep, TRANSFERRED, type DebitContext, type Step } from '../../flex/rules/debit.rules.ts'
import { isPlanOver, type Plan } from '../../flex/rules/plan.rules.ts'
import { meaningOf, type ReturnAction, type ReturnCategory } from '../../flex/rules/returns.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf, formatMoment, addWorkingDays } from '../../platform/calendar.ts'
import type { DebitStatus } from './flex.rules.ts'

/** What stands in the way of an instalment, in the order in which the engine would find it. */
export const OBSTACLES = [
  'setup',
  'mandate_ended',
  'student_transferred',
  'locked',
  'held',
  'payer_paused',
  'skipped',
  'dropped',
  'mandate_ends',
  'bank_holiday',
  'erp_away',
  'above_limit',
] as const
export type Obstacle = (typeof OBSTACLES)[number]

export const OBSTACLE_TEXTS: Record<Obstacle, { title: string; text: string }> = {
  setup: {
    title: 'Mandate not confirmed yet',
    text: 'The family has authorised the mandate and its bank has not confirmed it. Debits begin once it does.',
  },
  mandate_ended: {
    title: 'Mandate has ended',
    text: 'Nothing can be debited. Send the family the link of the plan to give a new mandate.',
  },
  student_transferred: {
    title: 'Student transferred',
    text: 'The ERP says that the student was transferred. It is asked again every day; you can resume the plan as well.',
  },
  locked: { title: 'Plan is locked', text: 'The plan cannot go on by itself. Its page says why.' },
  held: { title: 'Plan is held', text: 'Somebody holds the plan. Resume it to go on.' },
  payer_paused: {
    title: 'Paused by the payer',
    text: 'The payer has paused the mandate in the UPI app, and a debit would come back. Debits go on when it is resumed there.',
  },
  skipped: {
    title: 'Skipped by the ERP',
    text: 'The ERP refused or did not answer, so nothing was announced. It is asked again every day.',
  },
  dropped: {
    title: 'Student is dropped',
    text: 'The student is marked as dropped, so nothing is debited. The plan is cancelled at its next step.',
  },
  mandate_ends: {
    title: 'Mandate ends too early',
    text: 'The mandate ends before the day. Move the instalment to an earlier day, or ask for a new mandate.',
  },
  bank_holiday: {
    title: 'Banks are closed',
    text: 'The day has become a holiday. What was planned for it moves to another working day by itself.',
  },
  erp_away: {
    title: 'ERP has not answered',
    text: 'The ERP was asked in vain. It is asked again until there is no time left for the notice; then they are skipped.',
  },
  above_limit: {
    title: 'Above what the mandate may take',
    text: 'As much as the mandate allows is debited. The rest stays due, and the family pays it online.',
  },
}

/** The reason for which a plan stops all its debits; null when it does not. */
export function planObstacle({
  state,
  isHeld,
  heldBy,
  lockReason,
}: Pick<Plan, 'state' | 'isHeld' | 'lockReason'> & Partial<Pick<Plan, 'heldBy'>>): Obstacle | null {
  if (state === 'setup') return 'setup'
  if (state === 'locked') {
    if (lockReason === TRANSFERRED) return 'student_transferred'
    return lockReason === MANDATE_ENDED ? 'mandate_ended' : 'locked'
  }
  if (!isHeld || isPlanOver({ state })) return null
  return heldBy === 'upi_app' ? 'payer_paused' : 'held'
}

const CATEGORY_TEXTS: Record<ReturnCategory, string> = {
  funds: 'Not enough money',
  bank: "Bank's own trouble",
  limit: 'Above a limit',
  mandate: 'Mandate not valid',
  account: 'Account closed or blocked',
  payer: 'Stopped by the payer or by law',
  duplicate: 'Taken for a repeat',
}

const ACTION_TEXTS: Record<ReturnAction, string> = {
  again: 'Presented again by itself, as often as the rail allows; then it stays due.',
  again_uncounted: 'Presented again by itself; it does not count as a try of the family.',
  wait: 'The bank has not decided. Nothing to do.',
  stop: 'Not tried again by itself. Ask the family to pay online, or move the instalment to another day.',
  mandate_ended: 'The mandate is over and the plan is locked. The family is asked for a new mandate.',
  reconcile:
    'Perhaps debited already. Compare with the bank before anything else; it is never tried again by itself.',
}

export type ReturnTexts = { code: string; category: string; message: string; next: string }

/** A return code as a bursar reads it; what a bank takes back after it had paid is tried again by nobody but a person. */
export function returnTexts(code: string, wasPaid = false): ReturnTexts {
  const { category, action, message } = meaningOf(code)
  const next = ACTION_TEXTS[wasPaid && action.startsWith('again') ? 'stop' : action]
  return { code, category: CATEGORY_TEXTS[category], message, next }
}

const DUE_TEXT = 'No mandate covers it. The family is asked to pay it online.'

export type DebitRecord = { status: DebitStatus; context: DebitContext; presentedAt: Date | null }

/** What happens next to a debit, in a sentence. */
export function nextStepText({ status, context, presentedAt }: DebitRecord): string {
  const { instalment } = context
  switch (status) {
    case 'scheduled':
    case 'announced':
      return stepText(nextStep(context), context)
    case 'stopped': {
      const obstacle = planObstacle(context.plan)
      return obstacle === null ? stepText(nextStep(context), context) : OBSTACLE_TEXTS[obstacle].text
    }
    case 'skipped':
      return instalment.nextStepAt === null
        ? OBSTACLE_TEXTS.skipped.text
        : `The ERP is asked again on ${formatMoment(instalment.nextStepAt)}.`
    case 'covered':
      return 'Nothing is debited: it was paid in another way.'
    case 'waived':
      return 'Nothing is debited: the fee has fallen.'
    case 'due':
      return DUE_TEXT
    case 'presented':
      return waitingText(context, presentedAt ?? context.now)
    case 'debited':
      return instalment.state === 'settled' ? 'Settled to the bank.' : 'Will be settled to the bank.'
    case 'bounced':
      return bouncedText(context)
    case 'reversed':
      if (instalment.state !== 'reversed') return bouncedText(context)
      return context.plan.state === 'cancelled'
        ? `The bank took the money back. ${NOT_AGAIN}`
        : 'The bank took the money back. It is due again: ask the family to pay online, or move it to another day.'
    default:
      return assertNever(status)
  }
}

function stepText(step: Step, { instalment }: DebitContext): string {
  switch (step.kind) {
    case 'wait':
      return instalment.state === 'confirmed'
        ? `Will be presented on ${formatMoment(step.until)}.`
        : `The ERP is asked on ${formatMoment(step.until)}; then the family is told, a day before the debit.`
    case 'fetch':
      return 'The ERP is being asked; then the family is told, a day before the debit.'
    case 'announce':
      return 'The provider is announcing it to the payer’s bank.'
    case 'present':
      return 'Is being presented now.'
    case 'move':
      return `Moves to ${formatDay(step.presentOn)}: ${step.why}.`
    case 'rest':
      return `Nothing happens by itself: ${step.why}.`
    default:
      return assertNever(step)
  }
}

function waitingText({ mandate, rules, holidays, now }: DebitContext, presentedAt: Date): string {
  const { resultWorkingDays } = rules.rails[mandate?.rail ?? 'enach']
  const day = addWorkingDays(dayOf(presentedAt), resultWorkingDays, holidays)
  return day < dayOf(now)
    ? `The bank's answer was expected by ${formatDay(day)}. The provider is asked until it comes.`
    : `The bank answers by ${formatDay(day)}.`
}

const NOT_AGAIN = 'Stays due and is not debited again: the plan was cancelled. Ask the family to pay online.'

/** What has become of an instalment since a presentation of it came back. */
function bouncedText(context: DebitContext): string {
  const { instalment, plan } = context
  switch (instalment.state) {
    case 'scheduled':
    case 'confirmed': {
      const obstacle = planObstacle(plan)
      const again = `To be presented again on ${formatDay(instalment.presentOn)}`
      return obstacle === null ? `${again}.` : `${again}, but: ${OBSTACLE_TEXTS[obstacle].text}`
    }
    case 'presented':
      return 'Presented again; the bank has not answered yet.'
    case 'debited':
    case 'settled':
      return 'Paid since, by a later debit.'
    case 'covered':
      return 'Paid since, in another way.'
    case 'waived':
      return 'Not due any more: the fee has fallen.'
    case 'cancelled':
      return 'Not tried again: the plan was cancelled.'
    case 'skipped':
      return OBSTACLE_TEXTS.skipped.text
    case 'due':
      return DUE_TEXT
    case 'bounced':
    case 'reversed':
      return plan.state === 'cancelled' ? NOT_AGAIN : stayedDueText(instalment.returnCode)
    default:
      return assertNever(instalment.state)
  }
}

function stayedDueText(code: string | null): string {
  const { action } = meaningOf(code ?? '')
  if (action === 'mandate_ended') return 'Stays due. Ask the family for a new mandate, or to pay online.'
  if (action === 'reconcile') return ACTION_TEXTS.reconcile
  return 'Stays due: it is not tried again by itself. Ask the family to pay online, or move it to another day.'
}

function formatDay(day: string): string {
  return formatIn(day, 'en')
}
