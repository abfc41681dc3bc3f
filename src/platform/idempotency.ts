import { isHere } from './db/query.ts'
import { createHash } from 'node:crypto'
import { BursarError } from './errors.ts'
import { isUniqueViolation } from './db/errors.ts'
import type { Database, Queryable, Transaction } from './db/database.ts'

/**
 * One command, done once. The answer to a command that came with an Idempotency-Key is stored in the transaction of
 * the command itself, so a crash leaves either both or neither, and a repeat gets the first answer byte for byte.
 * While the first is running a repeat is told so (a transaction-level lock says it runs; it dies with it).
 */
export type StoredAnswer = { httpStatus: number; body: string }

export type Idempotency<Result> = {
  key: string
  fingerprint: Buffer
  answer(result: Result): StoredAnswer
  /** The answer as it was sent, where `answer` stores it otherwise. */
  open?(stored: StoredAnswer): StoredAnswer
}

/** Who acts, and what to remember if it was asked to be done once. */
export type Command<Result> = {
  instituteId: number
  idempotency?: Idempotency<Result> | undefined
  /** Runs first in the transaction of the command, to see what was before it. */
  before?: ((tx: Transaction) => Promise<void>) | undefined
  /** Writes down who did it, in the transaction of the command itself. */
  audit?: ((tx: Transaction, result: Result) => Promise<void>) | undefined
}

/** The same command for a service that answers with less than the edge does. */
export function innerCommand<Inner, Outer>(
  command: Command<Outer>,
  complete: (inner: Inner) => Outer,
): Command<Inner> {
  const { instituteId, idempotency, before, audit } = command
  return {
    instituteId,
    before,
    idempotency: idempotency && { ...idempotency, answer: inner => idempotency.answer(complete(inner)) },
    audit: audit && ((tx, inner) => audit(tx, complete(inner))),
  }
}

/** Thrown to the edge in place of a result: the command was done before, this was its answer. */
export class AlreadyDone extends Error {
  override readonly name = 'AlreadyDone'
  readonly answer: StoredAnswer

  constructor(answer: StoredAnswer) {
    super('the act was done before')
    this.answer = answer
  }
}

type StoredRow = { fingerprint: Buffer; http_status: number; body: string }

/** Stands for a status while the first step is done and the answer not known yet. */
const BEGUN = 0

/** How long an answer is kept, in SQL. */
export const KEPT = `interval '24 hours'`

/** Runs the work in a transaction, at most once per Idempotency-Key. */
export async function transact<Result>(
  db: Database,
  command: Command<Result>,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const { instituteId, idempotency, before, audit } = command
  const workSeen = async (tx: Transaction): Promise<Result> => {
    await before?.(tx)
    const result = await work(tx)
    await audit?.(tx, result)
    return result
  }
  if (idempotency === undefined) return db.transaction(workSeen)
  try {
    return await db.transaction(async tx => {
      await refuseWhileRunning(tx, instituteId, idempotency)
      await replayIfDone(tx, instituteId, idempotency)
      const result = await workSeen(tx)
      await storeAnswer(tx, instituteId, idempotency, idempotency.answer(result))
      return result
    })
  } catch (error) {
    // The lock is advisory, the constraint decides: the second request answers like the first.
    if (isUniqueViolation(error, 'idempotency_keys_pkey')) await replayIfDone(db, instituteId, idempotency)
    throw error
  }
}

/** Throws the first answer, or a 422 when the key was used for another request. */
export async function replayIfDone(
  db: Queryable,
  instituteId: number,
  idempotency: Pick<Idempotency<never>, 'key' | 'fingerprint' | 'open'>,
): Promise<void> {
  const [stored] = await db.query<StoredRow>(
    `select fingerprint, http_status, body from idempotency_keys
     where institute_id = $1 and key = $2 and created_at > now() - ${KEPT}`,
    [instituteId, idempotency.key],
  )
  if (stored === undefined) return
  if (!stored.fingerprint.equals(idempotency.fingerprint)) {
    throw new BursarError(
      'IDE00000',
      'This Idempotency-Key was used for a different request. Use a new key for a new request.',
    )
  }
  if (stored.http_status === BEGUN) return
  const answer = { httpStatus: stored.http_status, body: stored.body }
  throw new AlreadyDone(idempotency.open?.(answer) ?? answer)
}

/**
 * Remembers an answer after the fact: for a request that changed nothing, or that no transaction can hold. False when
 * another one is stored, which stays: a parallel repeat that was refused must not replace what the first was told. Only
 * the first, when it ends well after such a repeat was refused, takes its place.
 */
export async function rememberAnswer<Result>(
  db: Queryable,
  instituteId: number,
  idempotency: Idempotency<Result>,
  answer: StoredAnswer,
): Promise<boolean> {
  const rows = await db.query(
    `${STORE_ANSWER} on conflict (institute_id, key) do update set fingerprint = excluded.fingerprint,
    http_status = excluded.http_status, body = excluded.body, created_at = excluded.created_at
    where excluded.created_at - idempotency_keys.created_at >= ${KEPT}
      or (idempotency_keys.http_status >= 400 and excluded.http_status < 400
        and idempotency_keys.fingerprint = excluded.fingerprint)
    returning 1`,
    [instituteId, idempotency.key, idempotency.fingerprint, answer.httpStatus, answer.body],
  )
  return rows.length > 0
}

/** The same for a command that was done outside any transaction. A parallel repeat that ends later gets the first answer. */
export async function rememberResult<Result>(
  db: Queryable,
  { instituteId, idempotency }: Command<Result>,
  result: Result,
): Promise<void> {
  if (idempotency === undefined) return
  const isFirst = await rememberAnswer(db, instituteId, idempotency, idempotency.answer(result))
  if (!isFirst) await replayIfDone(db, instituteId, idempotency)
}

/**
 * Takes the first step of a command that goes on for longer than a transaction may. What it decided is stored under the key
 * in that step's transaction, and a repeat gets it back: it goes on with what an interruption left, and never begins anew.
 * `completeAnswer` ends the command; whoever goes on with it makes sure that nobody else does.
 */
export async function beginOnce<Result>(
  db: Database,
  command: Command<Result>,
  begin: (tx: Transaction) => Promise<{ step: string; result: Result }>,
): Promise<string> {
  const { instituteId, idempotency, audit } = command
  return db.transaction(async tx => {
    if (idempotency !== undefined) {
      await refuseWhileRunning(tx, instituteId, idempotency)
      await replayIfDone(tx, instituteId, idempotency)
      const begun = await readBegun(tx, command)
      if (begun !== null) return begun
    }
    const { step, result } = await begin(tx)
    await audit?.(tx, result)
    if (idempotency !== undefined)
      await storeAnswer(tx, instituteId, idempotency, { httpStatus: BEGUN, body: step })
    return step
  })
}

/** The first step of a command whose answer is not known yet; null when there is none. */
export async function readBegun<Result>(
  db: Queryable,
  { instituteId, idempotency }: Command<Result>,
): Promise<string | null> {
  if (idempotency === undefined) return null
  const [begun] = await db.query<{ step: string }>(
    `select body as step from idempotency_keys where institute_id = $1 and key = $2 and fingerprint = $3
       and http_status = ${BEGUN} and created_at > now() - ${KEPT}`,
    [instituteId, idempotency.key, idempotency.fingerprint],
  )
  return begun?.step ?? null
}

/** Puts the answer in place of the first step. */
export async function completeAnswer<Result>(
  db: Queryable,
  { instituteId, idempotency }: Command<Result>,
  result: Result,
): Promise<void> {
  if (idempotency === undefined) return
  const { httpStatus, body } = idempotency.answer(result)
  await db.query(
    `update idempotency_keys set http_status = $4, body = $5
     where institute_id = $1 and key = $2 and fingerprint = $3`,
    [instituteId, idempotency.key, idempotency.fingerprint, httpStatus, body],
  )
}

const STORE_ANSWER = `insert into idempotency_keys (institute_id, key, fingerprint, http_status, body)
  values ($1, $2, $3, $4, $5)`

async function storeAnswer<Result>(
  tx: Transaction,
  instituteId: number,
  idempotency: Idempotency<Result>,
  answer: StoredAnswer,
): Promise<void> {
  await tx.query(
    `delete from idempotency_keys where institute_id = $1 and key = $2 and created_at <= now() - ${KEPT}`,
    [instituteId, idempotency.key],
  )
  await tx.query(STORE_ANSWER, [
    instituteId,
    idempotency.key,
    idempotency.fingerprint,
    answer.httpStatus,
    answer.body,
  ])
}

async function refuseWhileRunning(
  tx: Transaction,
  instituteId: number,
  idempotency: { key: string },
): Promise<void> {
  const [row] = await tx.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1) as free', [
    lockNumber(instituteId, idempotency.key),
  ])
  if (row?.free !== true) throw stillRunning()
}

/** The lock that a running command holds until its transaction ends. */
export function lockNumber(instituteId: number, key: string): bigint {
  return createHash('sha256').update(`${instituteId} ${key}`).digest().readBigInt64BE()
}

export function stillRunning(): BursarError {
  return new BursarError(
    'IDE00001',
    'The first request with this Idempotency-Key is still running. Retry shortly.',
    {
      retryAfterS: 1,
    },
  )
}

/** Deletes answers that are past their day, a batch at a time. */
export async function purgeStoredAnswers(db: Database, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from idempotency_keys where (institute_id, key) in (
       select institute_id, key from idempotency_keys where created_at <= now() - ${KEPT} and ${isHere()} limit $1
     ) returning 1`,
    [limit],
  )
  return rows.length
}
