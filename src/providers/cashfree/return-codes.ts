import type { Rail } from '../mandate-port.ts'

/**
 * Cashfree tells why a debit failed in a sentence, not by NPCI's number. The number decides whether a debit is tried
 * again, so only sentences that leave no doubt get one; every other failure keeps its words and waits for a person.
 */
const REASONS: readonly [sentence: RegExp, codes: Record<Rail, string>][] = [
  [/insufficient|not enough (fund|balance)|low balance/i, { enach: '04', upi_autopay: 'Z9' }],
  [/account.*\bclosed\b|\bclosed\b.*account/i, { enach: '01', upi_autopay: '01' }],
  [/no such account|invalid account|account does ?n.t exist/i, { enach: '02', upi_autopay: '02' }],
  [/account.*(frozen|blocked|inoperative|dormant)/i, { enach: '53', upi_autopay: '53' }],
  [/(mandate|umrn|umn|subscription).*(revoked|cancel|withdrawn)/i, { enach: '29', upi_autopay: 'QA' }],
  [
    /(mandate|umrn|umn).*(expired|not (found|registered|active)|invalid)/i,
    { enach: '12', upi_autopay: 'VM' },
  ],
  [/exceed|above.*limit|limit.*(reached|crossed)/i, { enach: '15', upi_autopay: 'U54' }],
  [
    /(bank|switch|remitter|npci).*(unavailable|down|time.?d? ?out|not respond)/i,
    { enach: '59', upi_autopay: 'U88' },
  ],
]

export function returnCodeOf(sentence: string, rail: Rail): string {
  return REASONS.find(([pattern]) => pattern.test(sentence))?.[1][rail] ?? 'failed'
}
