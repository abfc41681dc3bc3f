import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import { conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import type { Cheque } from '../cheques/cheque.list.ts'
import { bounceWithin, listReturnable } from '../cheques/cheques.service.ts'
import { holdOpen, requireLine, writeMatches, type MatchedLine } from './decide.service.ts'
import { returnsOf } from './match.rules.ts'

/** A cheque is good for three months, and banks return some late. */
const LONGEST_DAYS = 120

/** Cheques whose return an open debit may be, those that it names before all others. */
export async function listReturned(
  ctx: Pick<Context, 'db'>,
  institute: Institute,
  lineId: string,
): Promise<(Cheque & { isNamed: boolean })[]> {
  const line = await requireLine(ctx.db, institute.id, lineId)
  if (line.state !== 'open' || line.amountPaise > 0) return []
  const from = Temporal.PlainDate.from(line.day).subtract({ days: LONGEST_DAYS }).toString()
  const asked = { amountPaise: subtractPaise(ZERO, line.amountPaise), from, to: line.day }
  return returnsOf(line, await listReturnable(ctx, institute, asked))
}

type ReturnedCheque = {
  lineId: string
  paymentId: string
  by: string
  reason: string
  chargePaise: Paise | null
}

/** The bank took the money of a cheque back: it bounced on that day, and the line is its return. */
export async function bounceFromLine(
  { db, clock }: Context,
  command: Command<MatchedLine>,
  institute: Institute,
  { lineId, paymentId, by, reason, chargePaise }: ReturnedCheque,
): Promise<MatchedLine> {
  const at = clock.now()
  return transact(db, command, async tx => {
    const line = await holdOpen(tx, institute.id, lineId)
    const bounce = { id: paymentId, day: line.day, by, reason, chargePaise }
    const parts = await bounceWithin(tx, institute, bounce, at)
    const wholePaise = sumPaise(parts.map(one => one.amountPaise))
    if (line.amountPaise !== 0 - wholePaise) throw conflict('The cheque is of another amount than the line.')
    const targets = parts.map(({ paymentId: id, number, studentName, amountPaise }) => ({
      kind: 'cheque_return' as const,
      id,
      day: line.day,
      amountPaise: subtractPaise(ZERO, amountPaise),
      reference: number,
      depositId: null,
      label: `Cheque ${number} returned, ${studentName}`,
    }))
    await writeMatches(tx, institute.id, [{ line, targets }], { by, at })
    return requireLine(tx, institute.id, lineId)
  })
}
