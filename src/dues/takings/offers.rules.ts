import { minPaise, paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { LATE_FEE, type LateFee, type OwedLine } from '../dues.rules.ts'

/** What a clerk proposes to a family with one button. Each holds all that the one before it holds. */
type CounterOffer = 'overdue' | 'term' | 'everything'

/** What of one fee can be taken now, and how much of that each offer takes. */
export type CounterFee = {
  componentType: string
  leftPaise: Paise
  dueOn: string | null
  overduePaise: Paise
  termPaise: Paise
  everythingPaise: Paise
}

type OpenLine = OwedLine & { plannedPaise: Paise; dueOn: string | null; lateRuleId: string | null }
type OpenDues = { lines: readonly OpenLine[]; lateFees: readonly LateFee[] }

/** What an instalment plan takes in its own time is not offered; a clerk can still type it. */
function openOf({ owedPaise, plannedPaise }: OpenLine): Paise {
  return subtractPaise(owedPaise, minPaise(owedPaise, plannedPaise))
}

/** The next day on which something of the family falls due; null when nothing of it has a day ahead. */
export function nextDueDay(family: readonly OpenDues[], today: string): string | null {
  const days = family
    .flatMap(dues => dues.lines)
    .filter(line => openOf(line) > 0 && line.dueOn !== null && line.dueOn >= today)
    .map(line => line.dueOn ?? '')
  return days.toSorted()[0] ?? null
}

/** The fees of one child as the counter offers them, late fees first: paid last, they would lapse with what they are for. */
export function counterFeesOf(
  { lines, lateFees }: OpenDues,
  { today, nextDay }: { today: string; nextDay: string | null },
): CounterFee[] {
  const isOffered: Record<CounterOffer, (line: OpenLine) => boolean> = {
    overdue: ({ isCarried = false, dueOn }) => isCarried || (dueOn !== null && dueOn < today),
    term: line =>
      isOffered.overdue(line) || (line.dueOn !== null && nextDay !== null && line.dueOn <= nextDay),
    everything: () => true,
  }
  const takes = (offer: CounterOffer, line: OpenLine): Paise => (isOffered[offer](line) ? openOf(line) : ZERO)
  const lateIn = (offer: CounterOffer): Paise =>
    sumPaise(
      lateFees
        .filter(({ ruleId }) => {
          const own = lines.filter(line => line.lateRuleId === ruleId)
          return own.some(line => takes(offer, line) > 0) || own.every(line => openOf(line) === 0)
        })
        .map(fee => fee.amountPaise),
    )
  const fees = lines
    .filter(line => line.owedPaise > 0)
    .map(line => ({
      componentType: line.componentType,
      leftPaise: line.owedPaise,
      dueOn: line.dueOn,
      overduePaise: takes('overdue', line),
      termPaise: takes('term', line),
      everythingPaise: takes('everything', line),
    }))
  const charged = fees.find(fee => fee.componentType === LATE_FEE)
  const late = {
    componentType: LATE_FEE,
    dueOn: charged?.dueOn ?? null,
    leftPaise: sumPaise([charged?.leftPaise ?? ZERO, ...lateFees.map(fee => fee.amountPaise)]),
    // A late fee that was charged earlier is owed since then.
    overduePaise: paiseOf((charged?.leftPaise ?? ZERO) + lateIn('overdue')),
    termPaise: paiseOf((charged?.leftPaise ?? ZERO) + lateIn('term')),
    everythingPaise: paiseOf((charged?.leftPaise ?? ZERO) + lateIn('everything')),
  }
  const others = fees.filter(fee => fee !== charged)
  return late.leftPaise > 0 ? [late, ...others] : others
}
