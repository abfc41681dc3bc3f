import type { TimelineEntryAnswer } from '../../../../../src/console/students/students.output.ts'
import { sumRupees } from '../../../ui/money.tsx'

type Amounts = { amount?: number }
/** What an event is about comes first; what it belongs to is larger. */
type EventRaw = Partial<
  Record<'refund' | 'dispute' | 'payment' | 'instalment' | 'disbursement' | 'application' | 'order', Amounts>
> & { subscription?: { total_amount?: number } }

function ofEvent(raw: EventRaw): number | undefined {
  const about =
    raw.refund ??
    raw.dispute ??
    raw.payment ??
    raw.instalment ??
    raw.disbursement ??
    raw.application ??
    raw.order
  return about?.amount ?? raw.subscription?.total_amount
}

type ActRaw = { amount?: number; before?: unknown; after?: unknown }

const numbersOf = (value: unknown): number[] =>
  Object.values(value ?? {}).filter(one => typeof one === 'number')

/** What the audit log keeps of an act: most have an amount, some one for each fee. */
function ofAct(what: string, { amount, before, after }: ActRaw): number | undefined {
  switch (what) {
    case 'concession.changed':
      return sumOf((after as { discounts?: Amounts[] } | undefined)?.discounts ?? [])
    case 'late_fee.waived':
      return sumRupees(((after ?? []) as { waived_amount: number }[]).map(one => one.waived_amount))
    case 'advance.used':
    case 'deposit.returned':
    case 'deposit.return_undone':
      return amount ?? sumRupees(numbersOf(after))
    default:
      return (after as Amounts | undefined)?.amount ?? (before as Amounts | undefined)?.amount
  }
}

function sumOf(all: readonly Amounts[]): number {
  return sumRupees(all.map(one => one.amount ?? 0))
}

/** How much an entry about money is about, rupees. Fees, waivers and messages say so in their own words. */
export function amountOf({ kind, what, raw }: TimelineEntryAnswer): number | undefined {
  if (kind === 'event') return ofEvent(raw as EventRaw)
  return kind === 'act' ? ofAct(what, raw as ActRaw) : undefined
}
