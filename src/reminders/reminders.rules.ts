import { timingOf, type PartPayment } from '../dues/dues.rules.ts'
import type { FieldProblem } from '../platform/errors.ts'
import { paiseOf, subtractPaise, sumPaise, type Paise, toRupees } from '../platform/money.ts'
import { upiLink } from '../providers/upi.ts'

/** What a family is reminded of: what is past its due day, or everything that no instalment plan takes. */
export const SCOPES = ['overdue', 'all'] as const
export type Scope = (typeof SCOPES)[number]

export const REMINDER_STATES = ['waiting', 'sent', 'withheld'] as const
export type ReminderState = (typeof REMINDER_STATES)[number]

/** Why a family was not reminded. */
export const REASONS = [
  'nothing_due',
  'on_a_plan',
  'reminded_today',
  'erp_refused',
  'erp_unavailable',
  'being_paid',
  'dropped',
  'unreachable',
  'cancelled',
] as const
export type Reason = (typeof REASONS)[number]

type Member = { studentId: string; contactName: string; contactNumber: string }
export type Family = { family: string; name: string; studentIds: string[] }

/** Students with the same number, however it is written, are one family and get one message. */
export function familyOf(phone: string): string {
  return phone.replaceAll(/\D/g, '').slice(-10)
}

export function groupFamilies(members: readonly Member[]): Family[] {
  const once = [...new Map(members.map(member => [member.studentId, member])).values()]
  const families = Map.groupBy(once, ({ contactNumber }) => familyOf(contactNumber))
  return [...families].map(([family, students]) => ({
    family,
    name: students[0]?.contactName ?? '',
    studentIds: students.map(({ studentId }) => studentId),
  }))
}

type TimedDue = Parameters<typeof timingOf>[0]

/** What was learned of one child before its family is reminded. */
export type Child = {
  studentId: string
  erp: 'fresh' | 'refused' | 'unavailable'
  /** Excludes payments on their way. */
  dues:
    | (TimedDue & { totalPaise: Paise; partPayment: PartPayment; isActive: boolean; isOnTheWay: boolean })
    | null
}
export type AskedChild = { studentId: string; amountPaise: Paise }
type Decision = { kind: 'send'; children: AskedChild[] } | { kind: 'withhold'; reason: Reason }

/** A child that owes nothing keeps nobody from being reminded of another. */
export function decideFamily(children: readonly Child[], scope: Scope): Decision {
  const answers = children.map(child => decideChild(child, scope))
  const asked = answers.filter(answer => typeof answer !== 'string')
  if (asked.length > 0) return { kind: 'send', children: asked }
  const reasons = answers.filter(answer => typeof answer === 'string')
  return { kind: 'withhold', reason: reasons.find(reason => reason !== 'nothing_due') ?? 'nothing_due' }
}

function decideChild({ studentId, erp, dues }: Child, scope: Scope): AskedChild | Reason {
  if (erp === 'refused') return 'erp_refused'
  if (erp === 'unavailable') return 'erp_unavailable'
  if (dues === null || !dues.isActive) return 'dropped'
  const { overduePaise, plannedPaise } = timingOf(dues)
  const wanted = scope === 'overdue' ? overduePaise : subtractPaise(dues.totalPaise, plannedPaise)
  if (wanted <= 0) return dues.isOnTheWay ? 'being_paid' : 'nothing_due'
  const { partPayment, totalPaise } = dues
  // A link for the whole would take what instalments take too.
  if (!partPayment.isAllowed) return plannedPaise > 0 ? 'on_a_plan' : { studentId, amountPaise: totalPaise }
  const least = Math.min(partPayment.leastPaise, totalPaise)
  return { studentId, amountPaise: paiseOf(Math.max(wanted, least)) }
}

export function totalAsked(children: readonly Pick<AskedChild, 'amountPaise'>[]): Paise {
  return sumPaise(children.map(({ amountPaise }) => amountPaise))
}

export type Wording = { subject: string; body: string }

/** What a school can put into its text. */
const PLACEHOLDERS = ['details', 'total', 'parent', 'names', 'school', 'bank_account'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

export function wordingProblems({ subject, body }: Wording): FieldProblem[] {
  const missing = body.includes('{details}')
    ? []
    : [{ key: 'body', message: 'must have {details}: who owes how much, with the link to pay' }]
  return [...unknownIn('subject', subject), ...unknownIn('body', body), ...missing]
}

function unknownIn(key: string, text: string): FieldProblem[] {
  const known = PLACEHOLDERS.map(name => `{${name}}`)
  return [...text.matchAll(/\{[^{}]*\}/g)]
    .filter(([whole]) => !known.includes(whole))
    .map(([whole]) => ({
      key,
      message: `has ${whole}, which stands for nothing; choose from ${known.join(', ')}`,
    }))
}

/** What a UPI app reads off a QR code: whom to pay, exactly how much, and what to write beside it. */
export function askingLink(of: { upiId: string; holder: string; amountPaise: Paise; note: string }): string {
  const { upiId: pa, holder: pn, amountPaise, note: tn } = of
  return upiLink('pay', { pa, pn, am: toRupees(amountPaise).toFixed(2), cu: 'INR', tn })
}
