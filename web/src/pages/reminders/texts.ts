import type { ReminderAnswer, RunAnswer } from '../../../../src/reminders/reminder.list.ts'
import type { Tone } from '../../ui/status-badge.tsx'

export const STATE_LABELS: Record<ReminderAnswer['state'], { label: string; tone: Tone }> = {
  waiting: { label: 'Waiting', tone: 'waiting' },
  sent: { label: 'Reminded', tone: 'good' },
  withheld: { label: 'Not reminded', tone: 'plain' },
}

export const REASON_TEXTS: Record<NonNullable<ReminderAnswer['reason']>, string> = {
  nothing_due: 'Nothing is due any more',
  on_a_plan: 'A part is on an instalment plan, and you take no part payments',
  reminded_today: 'Was reminded today already',
  erp_refused: 'Your ERP refused to give the student',
  erp_unavailable: 'Your ERP did not answer',
  being_paid: 'Is paying at this moment',
  dropped: 'The student has left',
  unreachable: 'No address or number that takes messages',
  cancelled: 'Cancelled',
}

export const LANGUAGE_NAMES: Record<string, string> = {
  en: 'English',
  hi: 'Hindi',
  kn: 'Kannada',
  ta: 'Tamil',
}

export const SCOPE_TEXTS: Record<RunAnswer['scope'], string> = {
  overdue: 'What is overdue',
  all: 'All that is owed and no instalment plan takes',
}

/** How far a run is, in words. */
export function progressOf({ families, waiting, sent, withheld }: RunAnswer): string {
  const parts = [
    `${sent} of ${families} reminded`,
    ...(withheld > 0 ? [`${withheld} not reminded`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ]
  return parts.join(', ')
}
