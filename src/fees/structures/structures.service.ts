import { checkCatalogue, joinCatalogue, type CodeInUse } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { badFields } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { componentOf, dueDaysOf, structureProblems, type FeeStructure, type Year } from './structure.rules.ts'
import * as store from './structures.store.ts'

export { dueDayKey, findStructure, readDueDays } from './structures.store.ts'

/** Of a year that has none yet: nothing costs anything. */
export async function getStructure(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  year: Year,
): Promise<FeeStructure> {
  const known = await store.findStructure(db, institute.id, year)
  return known ?? { ...year, terms: [], heads: [], grades: [], amounts: [], concessions: [] }
}

export async function listStructureYears({ db }: Context, institute: Institute): Promise<Year[]> {
  return store.listYears(db, institute.id)
}

/** Classes and components in the school's own order, by its newest structure. */
export async function readOwnOrder(
  { db }: Context,
  institute: Institute,
): Promise<{ grades: readonly string[]; components: readonly string[] }> {
  const [newest] = await store.listYears(db, institute.id)
  const structure = newest === undefined ? null : await store.findStructure(db, institute.id, newest)
  if (structure === null) return { grades: [], components: [] }
  const { heads, terms, grades } = structure
  const components = terms.flatMap((_, index) => heads.map(head => componentOf(structure, head, index + 1)))
  return { grades, components }
}

/** Replaces it whole. Due days hold at once; amounts are what they were until it is applied to a class. */
export async function setStructure(
  ctx: Context,
  command: Command<FeeStructure>,
  institute: Institute,
  structure: FeeStructure,
): Promise<FeeStructure> {
  const problems = structureProblems(structure)
  if (problems.length > 0) throw badFields(problems)
  const codes = codesOf(structure)
  return transact(ctx.db, command, async tx => {
    await checkCatalogue(tx, institute, codes)
    await joinCatalogue(tx, institute, codes)
    const options = { dueDays: dueDaysOf(structure), now: ctx.clock.now() }
    await store.writeStructure(tx, institute.id, structure, options)
    return structure
  })
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
