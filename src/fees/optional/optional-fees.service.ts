import { checkCatalogue, joinCatalogue, readDeposits } from '../../institutes/catalogue.service.ts'
import { knownBranch, type Institute } from '../../institutes/institutes.rules.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { badField, badFields, notFound } from '../../platform/errors.ts'
import { componentsOf, optionalFeeProblems, type OptionalFee } from './optional-fee.rules.ts'
import * as store from './optional-fees.store.ts'

export { deleteFee as deleteOptionalFee } from './optional-fees.store.ts'

/** Until the commit nobody else changes it or gives its places away. */
export async function lockOptionalFee(
  tx: Transaction,
  instituteId: number,
  id: string,
): Promise<OptionalFee> {
  const fee = await store.lockFee(tx, instituteId, id)
  if (fee === null) throw notFound('This optional fee')
  return fee
}

/** Checks and writes all of it; its components join the catalogue and get their due days. */
export async function writeOptionalFee(
  tx: Transaction,
  institute: Institute,
  fee: OptionalFee,
  now: Date,
): Promise<void> {
  if (fee.collectorCode !== null) knownBranch(institute, fee.collectorCode, 'collector_code')
  const problems = optionalFeeProblems(fee)
  if (problems.length > 0) throw badFields(problems)
  const components = [...new Set(componentsOf(fee).map(one => one.componentType))]
  const codes = components.map(code => ({ kind: 'component' as const, code, key: 'component_type' }))
  await checkCatalogue(tx, institute, codes)
  await joinCatalogue(tx, institute, codes)
  const taken = await store.readTaken(tx, institute.id, fee)
  if (taken.includes(fee.componentType) || components.some(code => taken.includes(code)))
    throw badField('component_type', 'is charged by the fee structure or another optional fee of this year')
  const isMarked = (await readDeposits(tx, institute.id)).includes(fee.componentType)
  if (isMarked !== (fee.kind === 'deposit'))
    throw badField(
      'kind',
      isMarked
        ? 'must be deposit: this fee is one'
        : 'cannot be deposit: an owner has to mark this fee as one',
    )
  await store.writeFee(tx, institute.id, fee, now)
}

/** Every optional fee of a year, or those of these ids. */
export async function readOptionalFees(
  db: Queryable,
  instituteId: number,
  of: { year: number } | { ids: readonly string[] },
): Promise<OptionalFee[]> {
  return 'year' in of ? store.listFees(db, instituteId, of.year) : store.readFees(db, instituteId, of.ids)
}
