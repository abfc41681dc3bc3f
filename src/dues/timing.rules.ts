import { minPaise, subtractPaise, sumPaise, type Paise } from '../platform/money.ts'
import type { LateFee, Owed } from './dues.rules.ts'

/** A component that is owed, of which an instalment plan may take a part. */
type Dated = Owed & { plannedPaise: Paise }

/** What is to be paid by hand, and when; a plan takes the rest in its own time. */
type Timing = {
  /** Past its due day, late fees included. */
  overduePaise: Paise
  /** The next due day, today included, and what is due on it. */
  nextDue: { on: string; amountPaise: Paise } | null
  /** What instalments will take. */
  plannedPaise: Paise
}

export function timingOf({
  today,
  lines,
  lateFees,
}: {
  today: string
  lines: readonly Dated[]
  lateFees: readonly Pick<LateFee, 'amountPaise'>[]
}): Timing {
  const byHand = lines.map(line => ({
    dueOn: line.dueOn,
    amountPaise: subtractPaise(line.owedPaise, minPaise(line.owedPaise, line.plannedPaise)),
  }))
  const overdue = byHand.filter(line => line.dueOn !== null && line.dueOn < today)
  const [nextOn] = byHand
    .flatMap(({ dueOn, amountPaise }) => (dueOn !== null && dueOn >= today && amountPaise > 0 ? [dueOn] : []))
    .toSorted()
  return {
    overduePaise: sumPaise([...overdue, ...lateFees].map(one => one.amountPaise)),
    nextDue:
      nextOn === undefined
        ? null
        : {
            on: nextOn,
            amountPaise: sumPaise(byHand.filter(one => one.dueOn === nextOn).map(one => one.amountPaise)),
          },
    plannedPaise: sumPaise(lines.map(line => minPaise(line.owedPaise, line.plannedPaise))),
  }
}
