/** What an integration has to do, and how a result of the check reads. */
export const PARTS = ['fetch', 'webhooks'] as const
export type Part = (typeof PARTS)[number]

/** `unproven`: nothing went wrong, but only a look into the ERP's books would show that it is right. */
export const OUTCOMES = ['passed', 'failed', 'unproven', 'not_run'] as const
type Outcome = (typeof OUTCOMES)[number]

const CHECKS = {
  fetch_found: ['fetch', 'An active student is answered with its record'],
  fetch_protected: ['fetch', 'A call without credentials is refused'],
  fetch_not_found: ['fetch', 'An unknown student is answered with student_not_found'],
  fetch_discontinued: ['fetch', 'A student who has left is answered with student_discontinued'],
  fetch_transferred: ['fetch', 'A student of another branch is answered with student_transferred'],
  fetch_data_error: ['fetch', 'A record that cannot be used is answered with data_error'],
  fetch_year_end: ['fetch', 'The academic year that is asked for is the one that is answered'],
  webhook_subscribed: ['webhooks', 'The events of money are subscribed to, with a secret'],
  webhook_accepted: ['webhooks', 'A genuine delivery is accepted and booked to the paisa'],
  webhook_signature: ['webhooks', 'A delivery that is not genuine is refused'],
  webhook_repeat: ['webhooks', 'The same event several times at once is booked once'],
  webhook_retry: ['webhooks', 'An event that is sent again later is booked once'],
  webhook_refund: ['webhooks', 'A refund is booked once'],
  webhook_out_of_order: ['webhooks', 'A refund that arrives before its payment is booked like any other'],
  webhook_skipped: ['webhooks', 'A skipped instalment is accepted, and its later debit is booked once'],
} as const satisfies Record<string, readonly [Part, string]>

export type CheckCode = keyof typeof CHECKS
export const CHECK_CODES = Object.keys(CHECKS) as [CheckCode, ...CheckCode[]]

/** One call, as its developer may see it: without secrets, and cut to a readable length. */
export type Exchange = {
  method: 'GET' | 'POST'
  url: string
  /** What was special about it, and the body. */
  sent: string
  httpStatus: number | null
  received: string
  durationMs: number
}

export type Verdict = { outcome: Outcome; message: string }
export type CheckResult = Verdict & {
  code: CheckCode
  part: Part
  title: string
  exchanges: readonly Exchange[]
}

export function passed(message: string): Verdict {
  return { outcome: 'passed', message }
}

export function failed(message: string): Verdict {
  return { outcome: 'failed', message }
}

export function notRun(message: string): Verdict {
  return { outcome: 'not_run', message }
}

export function toResult(
  code: CheckCode,
  { outcome, message }: Verdict,
  exchanges: readonly Exchange[] = [],
): CheckResult {
  const [part, title] = CHECKS[code]
  return { code, part, title, outcome, message, exchanges }
}

export function isWhole(results: readonly CheckResult[]): boolean {
  return results.length > 0 && results.every(({ outcome }) => outcome === 'passed')
}

/** For a check that would begin too late. */
export const OUT_OF_TIME = notRun('The checks before took too long. Mend what is slow and check again.')
