import type { NewMessage } from '../../messages/messages.rules.ts'
import { formatRupees } from '../../platform/money.ts'
import type { Approval, ApprovalState, Effect } from './approvals.rules.ts'

type Staff = { recipients: readonly string[]; url: string; at: Date }

/** Mails for everybody who can decide. */
export function askedMessages(approval: Approval, staff: Staff): NewMessage[] {
  const { title, makerEmail, amountPaise, reason, effect } = approval
  return mails(approval, staff, {
    subject: `To approve: ${title}`,
    body: `${makerEmail} asks for your approval: ${title}, ${formatRupees(amountPaise)}.${effectText(effect)}\nReason: ${reason}\n\nNothing happens until somebody else than ${makerEmail} decides. It expires after seven days.`,
  })
}

function effectText(effect: Effect | null): string {
  if (effect === null) return ''
  const { students, beforePaise, afterPaise } = effect
  const who = `${students} ${students === 1 ? 'student' : 'students'}`
  if (beforePaise === undefined || afterPaise === undefined) return `\nIt is about ${who}.`
  return `\n${who}: ${formatRupees(beforePaise)} to pay becomes ${formatRupees(afterPaise)}.`
}

const ENDS: Record<Exclude<ApprovalState, 'waiting'>, string> = {
  approved: 'approved and done',
  declined: 'declined',
  withdrawn: 'withdrawn',
  expired: 'expired: nobody decided within seven days',
}

/** Mails for the person who asked. */
export function decidedMessages(
  approval: Approval & { state: keyof typeof ENDS },
  staff: Omit<Staff, 'recipients'>,
): NewMessage[] {
  const { title, state, deciderEmail, note, makerEmail } = approval
  const by = deciderEmail === null ? '' : ` by ${deciderEmail}`
  return mails(
    approval,
    { ...staff, recipients: [makerEmail] },
    {
      subject: `${state === 'approved' ? 'Approved' : state === 'declined' ? 'Declined' : 'Expired'}: ${title}`,
      body: `What you asked for was ${ENDS[state]}${by}.${note === null ? '' : `\n${note}`}`,
    },
  )
}

function mails(
  { instituteId, id: about }: Approval,
  { recipients, url, at }: Staff,
  { subject, body }: { subject: string; body: string },
): NewMessage[] {
  const mail = { instituteId, channel: 'email', subject, body: `${body}\n\n${url}`, about, at } as const
  return recipients.map(recipient => ({ ...mail, recipient }))
}
