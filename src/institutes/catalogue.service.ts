import type { Queryable } from '../platform/db/database.ts'
import { badFields, type FieldProblem } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { getInstitute } from './institutes.service.ts'
import type { CatalogueEntry, Institute } from './institutes.rules.ts'
import * as store from './institutes.store.ts'

/** A code as it stands in a request, with the path of its field. */
export type CodeInUse = CatalogueEntry & { key: string }

/**
 * Codes that this process knows to be in a database's catalogue. Entries are never removed, so knowing is safe;
 * it spares a write for each order. Bounded, because codes come from outside.
 */
const knownCodes = new WeakMap<Queryable, Set<string>>()
const MAX_KNOWN = 50_000

/** Refuses codes outside the catalogue if the institute is strict. */
export async function checkCatalogue(
  db: Queryable,
  institute: Institute,
  codes: readonly CodeInUse[],
): Promise<void> {
  const problems = await catalogueProblems(db, institute, codes)
  if (problems.length > 0) throw badFields(problems.slice(0, MAX_PROBLEMS))
}

/** What is wrong with codes in a strict institute; nothing in any other. */
export async function catalogueProblems(
  db: Queryable,
  institute: Institute,
  codes: readonly CodeInUse[],
): Promise<FieldProblem[]> {
  if (!institute.strictCatalogue) return []
  const allowed = Map.groupBy(await store.listCatalogue(db, institute.id), entry => entry.kind)
  return codes.flatMap(({ kind, code, key }) => {
    const codesOfKind = (allowed.get(kind) ?? []).map(entry => entry.code)
    if (codesOfKind.includes(code)) return []
    return [{ key, message: `is not in the catalogue; allowed are: ${listCodes(codesOfKind)}` }]
  })
}

/** What a person mends in one go; a message that lists a whole catalogue would not be read. */
const MAX_PROBLEMS = 100
const MAX_LISTED = 50

function listCodes(codes: readonly string[]): string {
  if (codes.length === 0) return 'none yet'
  const more = codes.length > MAX_LISTED ? ` and ${codes.length - MAX_LISTED} more` : ''
  return codes.slice(0, MAX_LISTED).join(', ') + more
}

/** The codes that may not have joined the catalogue yet; the caller inserts them with its own writes. */
export function unseenEntries(
  db: Queryable,
  institute: Institute,
  codes: readonly CatalogueEntry[],
): CatalogueEntry[] {
  const known = knownCodes.get(db)
  return inLockOrder(codes).filter(({ kind, code }) => known?.has(`${institute.id} ${kind} ${code}`) !== true)
}

/** Once each and always in the same order, so that two requests with the same new codes cannot deadlock. */
function inLockOrder(codes: readonly CatalogueEntry[]): CatalogueEntry[] {
  const entries = new Map(codes.map(({ kind, code }) => [`${kind} ${code}`, { kind, code }]))
  return [...entries.keys()].sort().flatMap(id => entries.get(id) ?? [])
}

/** Call it after the commit that inserted them: a rollback must not leave them in memory. */
export function rememberEntries(
  db: Queryable,
  institute: Institute,
  entries: readonly CatalogueEntry[],
): void {
  let known = knownCodes.get(db)
  if (known === undefined || known.size > MAX_KNOWN) {
    known = new Set()
    knownCodes.set(db, known)
  }
  for (const { kind, code } of entries) known.add(`${institute.id} ${kind} ${code}`)
}

/** Lets new codes join the catalogue inside a transaction of the caller's, before it locks anything else. */
export async function joinCatalogue(
  tx: Queryable,
  institute: Pick<Institute, 'id'>,
  codes: readonly CatalogueEntry[],
): Promise<void> {
  if (codes.length > 0) await store.insertEntries(tx, institute.id, inLockOrder(codes))
}

export async function gradeName(db: Queryable, institute: Institute, code: string): Promise<string> {
  return (await store.findGradeName(db, institute.id, code)) ?? code
}

/** The components that are held for families and given back, such as caution money. */
export async function readDeposits(db: Queryable, instituteId: number): Promise<string[]> {
  return store.listDeposits(db, instituteId)
}

export type MarkedDeposits = { before: readonly string[]; after: readonly string[] }

/** Says which components are deposits; all others are fees. */
export async function setDeposits(
  { db }: Pick<Context, 'db'>,
  command: Command<MarkedDeposits>,
  institute: Institute,
  after: readonly string[],
): Promise<MarkedDeposits> {
  const entries = after.map((code, index): CodeInUse => {
    return { kind: 'component', code, key: `component_types.${index}` }
  })
  return transact(db, command, async tx => {
    await checkCatalogue(tx, institute, entries)
    await joinCatalogue(tx, institute, entries)
    const before = await store.listDeposits(tx, institute.id)
    await store.markDeposits(tx, institute.id, after)
    return { before, after }
  })
}

/** Every code of one kind, with its name. */
export async function listEntries(
  { db }: { db: Queryable },
  institute: Pick<Institute, 'id'>,
  kind: CatalogueEntry['kind'],
): Promise<{ code: string; name: string }[]> {
  return (await store.listCatalogue(db, institute.id)).filter(entry => entry.kind === kind)
}

export async function addToCatalogue(
  ctx: Context,
  instituteCode: string,
  entry: CatalogueEntry & { name: string },
): Promise<void> {
  const institute = await getInstitute(ctx, instituteCode)
  await store.nameEntry(ctx.db, institute.id, entry)
}

export async function listCatalogue(ctx: Context, instituteCode: string) {
  const institute = await getInstitute(ctx, instituteCode)
  return store.listCatalogue(ctx.db, institute.id)
}
