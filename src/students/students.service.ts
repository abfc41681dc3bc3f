import { checkCatalogue, joinCatalogue } from '../institutes/catalogue.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { badFields, notFound } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { feeProblems, type SentFee } from '../fees/fees.rules.ts'
import { changeFees, codesOfFees, readFeeHistory, type RecordedChange } from '../fees/fees.service.ts'
import * as store from './students.store.ts'
import { findNamed } from './students.store.ts'
import type { Queryable } from '../platform/db/database.ts'
import { pickNamed, type Naming, type PickedStudent } from './students.rules.ts'

export type { RecordedChange } from '../fees/fees.service.ts'
export type { CarriedAmount, OtherYear, StudentRecord } from './students.store.ts'

export async function getStudent(
  ctx: Context,
  institute: Institute,
  id: string,
): Promise<store.StudentRecord> {
  const record = await store.findRecord(ctx.db, institute.id, id)
  if (record === null) throw notFound('This student')
  return record
}

export async function requireStudent({ db }: Context, institute: Institute, id: string): Promise<void> {
  if (!(await store.hasStudent(db, institute.id, id))) throw notFound('This student')
}

/** Both from one snapshot, so that the newest change is the one that made the fee shown. */
export async function getFees(
  ctx: Context,
  institute: Institute,
  id: string,
): Promise<{ record: store.StudentRecord; history: RecordedChange[] }> {
  return ctx.db.transaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const record = await store.readRecord(tx, institute.id, id)
    if (record === null) throw notFound('This student')
    return { record, history: await readFeeHistory(tx, institute.id, id) }
  })
}

export async function updateFees(
  ctx: Context,
  command: Command<null>,
  target: { institute: Institute; id: string },
  sent: readonly SentFee[],
): Promise<null> {
  const { institute, id } = target
  const problems = feeProblems(sent, 'fee_components')
  if (problems.length > 0) throw badFields(problems)
  const codes = codesOfFees(sent)
  return transact(ctx.db, command, async tx => {
    await checkCatalogue(tx, institute, codes)
    await joinCatalogue(tx, institute, codes)
    if ((await store.lockStudent(tx, institute.id, id)) === null) throw notFound('This student')
    const context = { changedAt: ctx.clock.now(), source: 'update' } as const
    await changeFees(tx, { instituteId: institute.id, studentId: id }, sent, context)
    return null
  })
}

/** The student that each of these names; one statement however many, and none when nobody is named. */
export async function findNamedStudents(
  { db }: { db: Queryable },
  instituteId: number,
  namings: readonly Naming[],
): Promise<PickedStudent[]> {
  const ids = namings.flatMap(({ studentId }) => studentId ?? [])
  const identifiers = namings.flatMap(({ settleDues, identifier }) => (settleDues ? (identifier ?? []) : []))
  const isNeeded = ids.length + identifiers.length > 0
  const found = isNeeded ? await findNamed(db, instituteId, { ids, identifiers }) : []
  const byId = new Map(found.map(student => [student.id, student]))
  const byIdentifier = Map.groupBy(found, ({ identifier }) => identifier)
  return namings.map(naming => pickNamed(naming, byId, byIdentifier))
}

/** The ids of all records with one of these identifiers, of every class, year and branch, the oldest year first. */
export async function listByIdentifier(
  { db }: { db: Queryable },
  instituteId: number,
  identifiers: readonly string[],
): Promise<string[]> {
  return (await findNamed(db, instituteId, { ids: [], identifiers })).map(({ id }) => id)
}
