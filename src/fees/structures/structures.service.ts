import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { badFields, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import {
  componentOf,
  dueDaysOf,
  structureProblems,
  gradesOf,
  mergeOrders,
  structureFor,
  type FeeStructure,
  type StructureKey,
  type Year,
} from './structure.rules.ts'
import { listComponents } from '../optional/optional-fees.store.ts'
import * as store from './structures.store.ts'

export {
  digestStructures,
  dueDayOf,
  readDueDays,
  readStructures,
  type StructureYear,
} from './structures.store.ts'

/** A branch without a structure has the institute's; a year without one costs nothing. */
export async function getStructure(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  key: StructureKey,
): Promise<FeeStructure> {
  checkBranch(institute, key)
  const all = await store.readStructures(db, institute.id, key)
  const known = key.collectorCode === null ? all.shared : structureFor(all, key.collectorCode)
  return (
    known ?? { ...key, collectorCode: null, terms: [], heads: [], grades: [], amounts: [], concessions: [] }
  )
}

function checkBranch({ branches }: Institute, { collectorCode }: StructureKey): void {
  const isKnown = collectorCode === null || branches.some(one => one.collectorCode === collectorCode)
  if (!isKnown) throw notFound('This branch')
}

export async function listStructureYears(
  { db }: Context,
  institute: Institute,
): Promise<store.StructureYear[]> {
  return store.listYears(db, institute.id)
}

/** Classes and components in the school's own order, by its newest structures. */
export async function readOwnOrder(
  { db }: Context,
  institute: Institute,
): Promise<{ grades: readonly string[]; components: readonly string[] }> {
  const [newest] = await store.listYears(db, institute.id)
  if (newest === undefined) return { grades: [], components: [] }
  const { shared, own } = await store.readStructures(db, institute.id, newest)
  const all = [...(shared === null ? [] : [shared]), ...own.values()]
  const components = all.map(one =>
    one.terms.flatMap((_, index) => one.heads.map(head => componentOf(one, head, index + 1))),
  )
  return { grades: gradesOf({ shared, own }), components: mergeOrders(components) }
}

/** Replaces it whole. Due days hold at once; amounts are what they were until it is applied to a class. */
export async function setStructure(
  ctx: Context,
  command: Command<FeeStructure>,
  institute: Institute,
  structure: FeeStructure,
): Promise<FeeStructure> {
  checkBranch(institute, structure)
  const problems = structureProblems(structure)
  if (problems.length > 0) throw badFields(problems)
  const codes = codesOf(structure)
  return transact(ctx.db, command, async tx => {
    await checkCatalogue(tx, institute, codes)
    await joinCatalogue(tx, institute, codes)
    const optional = await listComponents(tx, institute.id, structure.academicYearStart)
    const taken = structure.heads.flatMap((head, index) =>
      optional.includes(head)
        ? [{ key: `fee_heads.${index}`, message: 'is an optional fee of this year' }]
        : [],
    )
    if (taken.length > 0) throw badFields(taken)
    const options = { dueDays: dueDaysOf(structure), now: ctx.clock.now() }
    await store.writeStructure(tx, institute.id, structure, options)
    return structure
  })
}

/** The branch costs what the institute's structure says again: due days at once, amounts when that is applied. */
export async function dropBranchStructure(
  ctx: Context,
  command: Command<null>,
  institute: Institute,
  key: StructureKey & { collectorCode: string },
): Promise<null> {
  checkBranch(institute, key)
  return transact(ctx.db, command, async tx => {
    const hadOne = await store.deleteStructure(tx, institute.id, key)
    if (!hadOne) throw conflict(NONE_OF_ITS_OWN)
    return null
  })
}

export const NONE_OF_ITS_OWN = 'This branch has no fee structure of its own for this year.'

/** Whether a year costs different things in two branches. */
export async function differInFees(
  db: Queryable,
  instituteId: number,
  year: Year,
  [one, other]: readonly [string, string],
): Promise<boolean> {
  const all = await store.readStructures(db, instituteId, year)
  return structureFor(all, one) !== structureFor(all, other)
}

function codesOf(structure: FeeStructure): CodeInUse[] {
  const { grades, heads, amounts, concessions } = structure
  const components = amounts.map(({ componentType, term }, index) => ({
    kind: 'component' as const,
    code: componentOf(structure, componentType, term),
    key: `amounts.${index}.component_type`,
  }))
  return [
    ...grades.map((code, index): CodeInUse => ({ kind: 'grade', code, key: `grades.${index}` })),
    ...(structure.terms.length > 1
      ? []
      : heads.map((code, index): CodeInUse => ({ kind: 'component', code, key: `fee_heads.${index}` }))),
    ...components,
    ...concessions.map(({ discountType }, index): CodeInUse => {
      return { kind: 'discount', code: discountType, key: `concessions.${index}.discount_type` }
    }),
  ]
}
