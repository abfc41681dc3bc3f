import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { updateDue } from '../../platform/jobs/claim.ts'
import type { BankMandate, MandateMove } from './mandates.rules.ts'

const COLUMNS = `institute_id as "instituteId", ref, mandate_id as "mandateId", rail, state, cap_paise as "capPaise",
  start_on as "startOn", end_on as "endOn", description, umrn, upi_reference as "upiReference", failure_code as "failureCode",
  is_paused as "isPaused", return_url as "returnUrl"`

/** The mandate under its id, made if it is new. */
export async function openMandate(
  db: Queryable,
  mandate: Omit<BankMandate, 'state' | 'umrn' | 'upiReference' | 'failureCode' | 'isPaused'>,
): Promise<string> {
  await db.query(
    `insert into bank_mandates (institute_id, ref, mandate_id, rail, cap_paise, start_on, end_on, description, return_url)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (institute_id, mandate_id) do nothing`,
    [
      mandate.instituteId,
      mandate.ref,
      mandate.mandateId,
      mandate.rail,
      mandate.capPaise,
      mandate.startOn,
      mandate.endOn,
      mandate.description,
      mandate.returnUrl,
    ],
  )
  const made = await findMandate(db, mandate.instituteId, mandate)
  if (made === null) throw new Error('the bank lost a mandate')
  return made.ref
}

export async function findMandate(
  db: Queryable,
  instituteId: number,
  key: { mandateId: string } | { ref: string },
): Promise<BankMandate | null> {
  const [column, value] = 'mandateId' in key ? ['mandate_id', key.mandateId] : ['ref', key.ref]
  const [row] = await db.query<BankMandate>(
    `select ${COLUMNS} from bank_mandates where institute_id = $1 and ${column} = $2`,
    [instituteId, value],
  )
  return row ?? null
}

export async function lockMandate(
  tx: Transaction,
  instituteId: number,
  ref: string,
): Promise<BankMandate | null> {
  const [row] = await tx.query<BankMandate>(
    `select ${COLUMNS} from bank_mandates where institute_id = $1 and ref = $2 for update`,
    [instituteId, ref],
  )
  return row ?? null
}

export async function moveMandate(
  tx: Transaction,
  { instituteId, ref }: Pick<BankMandate, 'instituteId' | 'ref'>,
  move: MandateMove,
): Promise<void> {
  await tx.query(
    `update bank_mandates set state = $3, umrn = $4, upi_reference = $5, failure_code = $6, confirm_at = $7,
       is_paused = $8
     where institute_id = $1 and ref = $2`,
    [
      instituteId,
      ref,
      move.state,
      move.umrn,
      move.upiReference,
      move.failureCode,
      move.confirmAt,
      move.isPaused,
    ],
  )
}

export async function cancelMandate(
  db: Queryable,
  { instituteId, mandateId }: Pick<BankMandate, 'instituteId' | 'mandateId'>,
): Promise<void> {
  await db.query(
    `update bank_mandates set state = 'cancelled', failure_code = 'merchant_cancelled', confirm_at = null
     where institute_id = $1 and mandate_id = $2 and state in ('open', 'authorised', 'active')`,
    [instituteId, mandateId],
  )
}

const TO_CONFIRM = { table: 'bank_mandates', key: 'ref', where: 'confirm_at <= $1', order: 'confirm_at' }

/** The destination banks decide about what was authorised; answers the mandates as they are then. */
export async function confirmMandates(db: Database, now: Date, limit: number): Promise<BankMandate[]> {
  const set = `confirm_at = null, state = case when failure_code is null then 'active' else 'rejected' end`
  return updateDue(db, TO_CONFIRM, { now, limit }, { set, returning: COLUMNS })
}
