import { catalogueProblems } from '../../../institutes/catalogue.service.ts'
import { branchFor, type CatalogueEntry } from '../../../institutes/institutes.rules.ts'
import { findTakenOfEach } from '../../../dues/on-the-way.service.ts'
import { sendLinks } from '../../../orders/link-messages.service.ts'
import { openOrders } from '../../../orders/order-payments.service.ts'
import { unpaidOrder, type Order } from '../../../orders/orders.rules.ts'
import { alreadyOnTheWay } from '../../../payments/on-the-way.rules.ts'
import type { Queryable, Transaction } from '../../../platform/db/database.ts'
import { BursarError } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { ROW_FILES } from '../../../platform/limits.rules.ts'
import { findNamedStudents } from '../../../students/students.service.ts'
import type { ImportContext, ImportKindDefinition, Outcome } from '../kind.ts'
import {
  isRead,
  problemsOf,
  type RowGroup,
  type PlacedRow,
  type Problem,
  type RowProblem,
} from '../merge.rules.ts'
import { linkRows, keyOf, referenceOf, type LinkRow } from './link-rows.schemas.ts'
import { repeatsAfter } from './links.rules.ts'
import * as store from './links.store.ts'
import { addAll } from '../../../platform/lists.ts'

type PlacedLink = PlacedRow<LinkRow>

/** A link with the student whose dues it pays, if it names one. */
type NamedLink = PlacedLink & { studentId: string | null }

/** A file of payment links: each row does what creating a link does. */
export const linkImport: ImportKindDefinition<LinkRow> = {
  rows: linkRows,
  limits: ROW_FILES.links,
  // Few enough that a step takes well below a second: stopping a file waits for it.
  stepRows: 500,
  keysOf: (_raw, _branch, row) => ({ group: row === null ? '' : keyOf(row).toString('hex'), unit: '' }),
  rowProblems(institute, row) {
    try {
      branchFor(institute, row.collectorCode)
      return []
    } catch (error) {
      if (!(error instanceof BursarError)) throw error
      return (error.problems ?? []).map(({ key, message }) => ({ column: key, message }))
    }
  },
  codesOf,
  async judge(db, context, groups, { isLocked }) {
    const { links, problems } = takeFirst(groups, context.now, { isLocked })
    const outside = isLocked ? await outsideCatalogue(db, context, links) : []
    const named = await nameStudents(db, context, links)
    const bad = new Set([...outside, ...named.problems].map(problem => problem.rowNo))
    const nameable = named.links.filter(link => !bad.has(link.rowNo))
    const known = await findKnown(db, context, nameable)
    const twice = await askedTwice(db, context, nameable, known)
    const refused = new Set(twice.map(problem => problem.rowNo))
    const good = nameable.filter(link => !refused.has(link.rowNo))
    return {
      problems: [...problems, ...outside, ...named.problems, ...twice],
      settlingRows: good.filter(link => link.studentId !== null).length,
      knownRows: isLocked ? 0 : known.size,
      apply: tx => apply(tx, context, good),
    }
  },
}

function codesOf(row: LinkRow): (CatalogueEntry & { column: string })[] {
  const components = row.lines.map(({ componentType: code }, index) => ({
    kind: 'component' as const,
    code,
    column: index === 0 ? 'component_type' : `component_type_${index + 1}`,
  }))
  return row.grade === null
    ? components
    : [...components, { kind: 'grade', code: row.grade, column: 'grade' }]
}

/** Rows of one group say the same: the first of them is the link. */
function takeFirst(
  groups: readonly RowGroup<LinkRow>[],
  now: Date,
  { isLocked }: { isLocked: boolean },
): { links: PlacedLink[]; problems: RowProblem[] } {
  const links: PlacedLink[] = []
  const problems: RowProblem[] = []
  const over = isLocked ? 'was over before the link could be made' : 'must be in the future'
  for (const group of groups) {
    const rows = group.filter(isRead)
    const [first, ...others] = rows
    if (first === undefined) continue
    const { expiresAt } = first.row
    if (expiresAt !== null && new Date(expiresAt) <= now) {
      addAll(problems, problemsOf(rows, { column: 'expires_at', message: over }))
    } else {
      links.push(first)
      addAll(problems, problemsOf(others, sameRowProblem(first)))
    }
  }
  return { links, problems }
}

function sameRowProblem({ rowNo, row }: PlacedLink): Problem {
  return referenceOf(row) === null
    ? { column: '', message: `says the same as row ${rowNo}; give both a reference if two links are wanted` }
    : { column: 'reference', message: `is that of row ${rowNo}; each row needs one of its own` }
}

/** The institute may have closed its catalogue since the file was checked. */
async function outsideCatalogue(
  db: Queryable,
  { institute }: ImportContext,
  links: readonly PlacedLink[],
): Promise<RowProblem[]> {
  const codes = links.flatMap(({ rowNo, row }) =>
    codesOf(row).map(code => ({ ...code, key: `${rowNo} ${code.column}` })),
  )
  const problems = await catalogueProblems(db, institute, codes)
  return problems.map(({ key, message }) => {
    const [rowNo, column = ''] = key.split(' ')
    return { rowNo: Number(rowNo), column, message }
  })
}

async function nameStudents(
  db: Queryable,
  { institute }: ImportContext,
  links: readonly PlacedLink[],
): Promise<{ links: NamedLink[]; problems: RowProblem[] }> {
  const picked = await findNamedStudents(
    { db },
    institute.id,
    links.map(({ row }) => row),
  )
  return {
    links: links.map((link, index) => ({ ...link, studentId: picked[index]?.studentId ?? null })),
    problems: links.flatMap(({ rowNo }, index) => {
      const problem = picked[index]?.problem
      return problem ? [{ rowNo, column: problem.key, message: problem.message }] : []
    }),
  }
}

/** Refuses links for fees that are being paid already; a link that was made before asks for nothing new. */
async function askedTwice(
  db: Queryable,
  { institute, now }: ImportContext,
  links: readonly NamedLink[],
  known: ReadonlySet<number>,
): Promise<RowProblem[]> {
  const asked = links.flatMap(({ rowNo, row: { lines }, studentId }) =>
    studentId === null || known.has(rowNo) ? [] : [{ rowNo, studentId, lines }],
  )
  const taken = await findTakenOfEach(db, institute.id, asked, { now })
  return asked.flatMap(({ rowNo }, index) => {
    const own = taken[index] ?? []
    return own.length === 0 ? [] : [{ rowNo, column: 'amount', message: alreadyOnTheWay(own).message }]
  })
}

/** The rows whose links were made before. */
async function findKnown(
  db: Queryable,
  { institute, now }: ImportContext,
  links: readonly PlacedLink[],
): Promise<Set<number>> {
  const keyed = links.map(({ rowNo, row }) => ({ rowNo, row, key: keyOf(row) }))
  const known = await store.findKeys(
    db,
    institute.id,
    keyed.map(({ key }) => key),
  )
  const freeBefore = repeatsAfter(now)
  const rows = keyed.filter(({ key, row }) => {
    const link = known.get(key.toString('hex'))
    return link !== undefined && (referenceOf(row) !== null || link.madeAt >= freeBefore)
  })
  return new Set(rows.map(({ rowNo }) => rowNo))
}

async function apply(tx: Transaction, context: ImportContext, links: readonly NamedLink[]): Promise<Outcome> {
  const { institute, importId } = context
  const planned = links.map(link => ({
    rowNo: link.rowNo,
    row: link.row,
    key: keyOf(link.row),
    order: orderOf(link, context),
  }))
  const { made, repeated } = await takeKeys(tx, context, planned)
  await openOrders(
    tx,
    made.map(({ order }) => ({ instituteId: institute.id, order })),
  )
  const { now: at, publicUrl, options } = context
  await sendLinks(
    tx,
    { institute, publicUrl, at },
    made.map(({ order }) => order),
    options ?? { channels: [], language: 'en' },
  )
  const common = { instituteId: institute.id, importId }
  await store.insertLinks(tx, [
    ...made.map(({ rowNo, order }) => ({ ...common, rowNo, orderId: order.id, isRepeated: false })),
    ...repeated.map(link => ({ ...common, ...link, isRepeated: true })),
  ])
  return { appliedRows: made.length, unchangedRows: repeated.length }
}

function orderOf({ row, studentId }: NamedLink, { institute, now }: ImportContext): Order {
  const { settleDues: _settleDues, ...asked } = row
  return unpaidOrder({
    ...asked,
    studentId,
    id: newId('order'),
    kind: 'link',
    collectorCode: branchFor(institute, row.collectorCode),
    expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt),
    createdAt: now,
  })
}

type PlannedLink = { rowNo: number; row: LinkRow; key: Buffer; order: Order }

async function takeKeys(
  tx: Transaction,
  { institute, now }: ImportContext,
  links: readonly PlannedLink[],
): Promise<{ made: PlannedLink[]; repeated: { rowNo: number; orderId: string }[] }> {
  const wanted = links.map(({ key, row, order }) => ({
    key,
    orderId: order.id,
    isForEver: referenceOf(row) !== null,
  }))
  const taken = await store.takeKeys(tx, institute.id, wanted, { now, freeBefore: repeatsAfter(now) })
  const isTaken = ({ key }: PlannedLink): boolean => taken.has(key.toString('hex'))
  const others = links.filter(link => !isTaken(link))
  const known = await store.findKeys(
    tx,
    institute.id,
    others.map(link => link.key),
  )
  const repeated = others.map(({ rowNo, key }) => {
    const link = known.get(key.toString('hex'))
    if (link === undefined) throw new Error(`the key of row ${rowNo} is taken and has no link`)
    return { rowNo, orderId: link.orderId }
  })
  return { made: links.filter(isTaken), repeated }
}
