import type { Institute } from '../../institutes/institutes.rules.ts'
import { whyRefunded } from '../../messages/words.ts'
import type { Order } from '../../orders/orders.rules.ts'
import type { Refund } from '../../payments/refunds/refunds.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { fill, formatDayIn, type Language } from '../../platform/languages.ts'
import { formatRupees } from '../../platform/money.ts'
import { textsIn } from '../texts/texts.ts'

type Part = { order: Order; refunds: readonly Refund[] }

/** What went back of each child's payment, or should have, with the reason if nobody asked for it. */
export function refundNotes(parts: readonly Part[], institute: Institute, language: Language): string[] {
  return parts.flatMap(({ order, refunds }) =>
    refunds
      .filter(refund => isTold(refund, refunds))
      .map(refund =>
        noteOf(refund, { who: order.studentName ?? order.name, where: institute.name, language }),
      ),
  )
}

/** What a bank took back the page says itself. One that failed is the school's to repeat, unless it was and that is told. */
function isTold({ kind, state, paymentId }: Refund, all: readonly Refund[]): boolean {
  if (kind === 'returned') return false
  if (state !== 'failed') return true
  return kind === 'duplicate' && all.every(one => one.paymentId !== paymentId || one.state === 'failed')
}

function noteOf(
  { state, amountPaise, processedAt, cause }: Refund,
  { who, where, language }: { who: string; where: string; language: Language },
): string {
  const texts = textsIn(language).checkout.refunded
  const name = state === 'processed' ? 'done' : state
  const day = processedAt === null ? '' : formatDayIn(dayOf(processedAt), language)
  const what = fill(texts[name], { amount: formatRupees(amountPaise), who, where, day })
  return [what, whyRefunded(cause, language), ...(state === 'failed' ? [] : [texts.banks])]
    .filter(text => text !== '')
    .join(' ')
}
