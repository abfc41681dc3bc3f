import type { Institute } from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'
import { conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { ADMISSION_NUMBER, type BillerAnswer } from './biller-port.ts'
import { readCredentials } from './biller.service.ts'
import { fetchBill } from './bills.service.ts'
import { unitOf } from './units/units.ts'

/** What an app would show a family now, asked in the unit's own words and with the school's own credentials. */
export async function tryBill(
  ctx: Context,
  command: Command<BillerAnswer>,
  institute: Institute,
  { admissionNumber, second }: { admissionNumber: string; second: string },
): Promise<BillerAnswer> {
  const known = await readCredentials(ctx, institute.id)
  if (known === null) throw conflict('Save how families are asked first; then a bill can be looked at.')
  const { biller, credentials } = known
  const unit = unitOf(biller.unit)
  const now = new Date()
  const asked = unit.ask(
    new Map([
      [ADMISSION_NUMBER, admissionNumber],
      [biller.secondIdentifier, second],
    ]),
  )
  const body = Buffer.from(asked)
  if (!unit.isSigned({ headers: unit.sign(credentials, now), body }, credentials, now))
    throw new Error(`${unit.name} does not accept its own signature`)
  const answer = await fetchBill(ctx, { institute, biller }, unit.readQuestion(body))
  return transact(ctx.db, command, async () => answer)
}
