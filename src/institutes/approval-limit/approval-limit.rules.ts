import { sumPaise, ZERO, type Paise } from '../../platform/money.ts'

/** What one person may give away alone: by one act, and to one child in one academic year over all kinds of acts. */
export type ApprovalLimits = { perActPaise: Paise; perChildPaise: Paise }

/** What an act gives away, and to whom. */
export type Gift = {
  /**
   * A student, who is a child in one academic year. Where there is none: the order that is refunded, the class of a fee
   * structure, or the year that a rollover begins.
   */
  about: string
  amountPaise: Paise
  /** The refund, which gives nothing if it fails. */
  refundId?: string
  /** It grows by the day, so it may be more by the time that somebody approves it. */
  isLateFee?: boolean
}

/** `wholePaise`: what the act is a part of, where that is more than its gifts. `earlier`: what each got before. */
export function isBeyond(
  { perActPaise, perChildPaise }: ApprovalLimits,
  gifts: readonly Gift[],
  { wholePaise, earlier }: { wholePaise: Paise; earlier: ReadonlyMap<string, Paise> },
): boolean {
  if (Math.max(wholePaise, totalOf(gifts)) > perActPaise) return true
  return [...sumByAbout(gifts)].some(
    ([about, paise]) => sumPaise([earlier.get(about) ?? ZERO, paise]) > perChildPaise,
  )
}

export function totalOf(gifts: readonly Pick<Gift, 'amountPaise'>[]): Paise {
  return sumPaise(gifts.map(gift => gift.amountPaise))
}

function sumByAbout(gifts: readonly Gift[]): Map<string, Paise> {
  return new Map([...Map.groupBy(gifts, gift => gift.about)].map(([about, own]) => [about, totalOf(own)]))
}
