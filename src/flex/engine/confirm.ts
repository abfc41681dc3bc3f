import { newId } from '../../platform/ids.ts'
import { formatRupees, paiseOf, splitInProportion, subtractPaise, ZERO } from '../../platform/money.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { Desk } from '../plans/plan-changes.ts'
import { tellFamily } from '../notices/family.texts.ts'
import { mostPerDebit } from '../rules/debit.rules.ts'
import type { Instalment, LoadedPlan } from '../rules/plan.rules.ts'
import { presentationOn } from '../rules/rails.rules.ts'
import { sumLines, type Line } from '../rules/schedule.rules.ts'
import type { DebitRules } from '../rules/debit.rules.ts'

type Scene = { file: LoadedPlan; student: StudentContext; instalment: Instalment; debitRules: DebitRules }

/** Freezes the amount and announces the debit. */
export function confirm(desk: Desk, { file, student, instalment, debitRules }: Scene): void {
  const { mandate } = file
  if (mandate === null) throw new Error(`the plan ${file.plan.id} has no mandate`)
  const rail = debitRules.rules.rails[mandate.rail]
  const { taken, rest } = splitAt(instalment.lines, mostPerDebit(rail, mandate))
  if (rest.length > 0) owe(desk, file, instalment, rest)
  const amountPaise = sumLines(taken)
  const why = `${formatRupees(amountPaise)} announced for ${instalment.presentOn}`
  desk.move(file, instalment, 'confirmed', why, {
    lines: taken,
    notifiedAt: desk.now,
    fetchTries: 0,
    nextStepAt: presentationOn(instalment.presentOn, rail),
  })
  desk.send(tellFamily('notice', file, { student, at: desk.now, amountPaise, day: instalment.presentOn }))
}

/** What a mandate does not cover is due all the same: the parent pays it online. */
function owe(desk: Desk, file: LoadedPlan, instalment: Instalment, lines: Line[]): void {
  const number = 1 + Math.max(...file.instalments.map(one => one.number))
  const due: Instalment = {
    ...instalment,
    id: newId('inst'),
    number,
    state: 'bounced',
    lines,
    attempt: 0,
    orderId: null,
    nextStepAt: null,
  }
  desk.note(file, due, 'due online', `${formatRupees(sumLines(lines))} are above what the mandate may take`)
  desk.change(file, due, {})
}

function splitAt(lines: readonly Line[], most: number): { taken: Line[]; rest: Line[] } {
  const total = sumLines(lines)
  if (total <= most) return { taken: [...lines], rest: [] }
  const parts = splitInProportion(
    paiseOf(most),
    lines.map(line => line.amountPaise),
  )
  const withAmounts = (amountOf: (line: Line, index: number) => number): Line[] =>
    lines
      .map((line, index) => ({ ...line, amountPaise: paiseOf(amountOf(line, index)) }))
      .filter(line => line.amountPaise > 0)
  return {
    taken: withAmounts((_, index) => parts[index] ?? ZERO),
    rest: withAmounts((line, index) => subtractPaise(line.amountPaise, parts[index] ?? ZERO)),
  }
}
