import { badField, conflict } from '../../platform/errors.ts'
import type { Paise } from '../../platform/money.ts'
import type { LoanLimits, LoanTerms } from '../lender-port.ts'
import { DAY_MS } from '../../platform/calendar.ts'

const LENDER_KINDS = ['api', 'desk'] as const
type LenderKind = (typeof LENDER_KINDS)[number]

/** A lender as the operator set it up. */
export type LenderAccount = {
  code: string
  title: string
  /** `api`: implements the lender protocol. `desk`: its people work in the console. */
  kind: LenderKind
  apiUrl: string | null
  leastPaise: Paise
  mostPaise: Paise
  /** Hundredths of a percent. */
  yearlyRateBp: number
  months: number
  secretSealed: Buffer | null
  previousSealed: Buffer | null
  previousUntil: Date | null
  pausedAt: Date | null
  createdAt: Date
}

export type NewLender = Pick<
  LenderAccount,
  'code' | 'title' | 'kind' | 'apiUrl' | 'leastPaise' | 'mostPaise' | 'yearlyRateBp' | 'months'
>

export function limitsOf({ leastPaise, mostPaise }: LenderAccount): LoanLimits {
  return { leastPaise, mostPaise }
}

export function termsOf({ yearlyRateBp, months }: LenderAccount): LoanTerms {
  return { yearlyRatePercent: yearlyRateBp / 100, months }
}

const CODE = /^[a-z0-9][a-z0-9-]{0,62}$/
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Throws what is wrong with a lender before it is added. */
export function assertNewLender(lender: NewLender, { isLive }: { isLive: boolean }): void {
  if (!CODE.test(lender.code) || lender.code === 'sandbox')
    throw badField('code', 'must be 1 to 63 lower-case letters, digits and hyphens, and not "sandbox"')
  if (lender.leastPaise > lender.mostPaise) throw badField('least', 'must not be above the highest amount')
  if (lender.kind === 'desk') {
    if (lender.apiUrl !== null) throw badField('url', 'is for a lender with an API')
    return
  }
  const url = URL.parse(lender.apiUrl ?? '')
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw badField('url', 'must be the address of the lender’s API')
  if (isLive && url.protocol !== 'https:' && !LOOPBACK.has(url.hostname))
    throw conflict('Live mode sends personal data to lenders over https only.')
}

/** How long the previous secret is accepted after a rotation. */
export const PREVIOUS_SECRET_MS = 7 * DAY_MS
