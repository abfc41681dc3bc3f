import { catalogueProblems, joinCatalogue } from '../../../institutes/catalogue.service.ts'
import { branchFor, type Institute } from '../../../institutes/institutes.rules.ts'
import { getInstitutesById } from '../../../institutes/institutes.service.ts'
import { internationalNumber } from '../../../messages/messages.rules.ts'
import { queueMessages } from '../../../messages/messages.service.ts'
import { openOrders } from '../../../orders/order-payments.service.ts'
import { unpaidOrder, type Order } from '../../../orders/orders.rules.ts'
import type { Transaction } from '../../../platform/db/database.ts'
import type { Context } from '../../../platform/context.ts'
import { newId } from '../../../platform/ids.ts'
import { repeatsAfter, STEP_ROWS } from './bulk.rules.ts'
import type { LinkRow } from './bulk-rows.schemas.ts'
import { codesOf, hasReference } from './bulk.service.ts'
import * as store from './bulk.store.ts'
import * as steps from './bulk-steps.store.ts'
import { checkoutUrl } from '../orders.service.ts'
import { linkMessages } from '../orders.texts.ts'

/** Makes the next links of the batch that has waited longest; answers whether there was one. */
export async function makeLinks(ctx: Context): Promise<number> {
  return ctx.db.transaction(async tx => {
    const key = await steps.claimRunning(tx)
    if (key === null) return 0
    const batch = await store.findBatch(tx, key)
    const [institute] = await getInstitutesById(ctx, [key.instituteId])
    if (batch === null || institute === undefined) throw new Error(`the batch ${key.id} lost its institute`)
    await step(ctx, tx, { key, batch, institute })
    return 1
  })
}

/** So that a worker goes on at once; a batch is due from the moment it was started. */
export async function nextLinksDue({ db }: Context): Promise<Date | null> {
  return steps.oldestRunning(db)
}

type Work = { key: store.BatchKey; batch: store.LinkBatch; institute: Institute }

async function step(ctx: Context, tx: Transaction, { key, batch, institute }: Work): Promise<void> {
  const now = ctx.clock.now()
  const rows = await steps.readRows(tx, key, { lastRow: batch.lastRow, limit: STEP_ROWS })
  const last = rows.at(-1)
  if (last === undefined) return steps.updateBatch(tx, key, { state: 'done', finishedAt: now })
  const problems = await turnedBad(tx, institute, rows, now)
  const bad = new Set(problems.map(problem => problem.rowNo))
  const good = rows.filter(row => !bad.has(row.rowNo))
  await joinCatalogue(
    tx,
    institute,
    good.flatMap(({ row }) => codesOf(row)),
  )
  const links = good.map(row => ({ ...row, order: orderOf(row.row, institute, now) }))
  const { made, repeated } = await takeKeys(tx, key.instituteId, links, now)
  await openOrders(
    tx,
    made.map(({ order }) => ({ instituteId: institute.id, order, studentId: null })),
  )
  await tell(ctx, tx, { institute, batch, orders: made.map(({ order }) => order), now })
  await store.insertProblems(tx, key, problems)
  await steps.finishRows(tx, key, [
    ...made.map(({ rowNo, order }) => ({ rowNo, orderId: order.id, isRepeated: false })),
    ...repeated.map(({ rowNo, orderId }) => ({ rowNo, orderId, isRepeated: true })),
    ...[...bad].map(rowNo => ({ rowNo, orderId: null, isRepeated: false })),
  ])
  await steps.updateBatch(tx, key, {
    madeRows: batch.madeRows + made.length,
    repeatedRows: batch.repeatedRows + repeated.length,
    failedRows: batch.failedRows + bad.size,
    lastRow: last.rowNo,
    ...(rows.length < STEP_ROWS ? { state: 'done', finishedAt: now } : {}),
  })
}

/** Rows that were good when the file was checked and are not any more. */
async function turnedBad(
  tx: Transaction,
  institute: Institute,
  rows: readonly store.StagedLink[],
  now: Date,
): Promise<store.RowProblem[]> {
  const expired = rows
    .filter(({ row }) => row.expiresAt !== null && new Date(row.expiresAt) <= now)
    .map(({ rowNo }) => ({ rowNo, column: 'expires_at', message: 'was over before the link could be made' }))
  const codes = rows.flatMap(({ rowNo, row }) =>
    codesOf(row).map(code => ({ ...code, key: `${rowNo} ${code.key}` })),
  )
  const outside = (await catalogueProblems(tx, institute, codes)).map(({ key, message }) => {
    const [rowNo, column = ''] = key.split(' ')
    return { rowNo: Number(rowNo), column, message }
  })
  return [...expired, ...outside]
}

function orderOf(row: LinkRow, institute: Institute, now: Date): Order {
  return unpaidOrder({
    ...row,
    id: newId('order'),
    kind: 'link',
    collectorCode: branchFor(institute, row.collectorCode),
    expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt),
    createdAt: now,
  })
}

type Planned = store.StagedLink & { order: Order }

async function takeKeys(
  tx: Transaction,
  instituteId: number,
  links: readonly Planned[],
  now: Date,
): Promise<{ made: Planned[]; repeated: { rowNo: number; orderId: string }[] }> {
  const wanted = links.map(({ key, row, order }) => ({
    key,
    orderId: order.id,
    isForEver: hasReference(row),
  }))
  const taken = await steps.takeKeys(tx, instituteId, wanted, { now, freeBefore: repeatsAfter(now) })
  const isTaken = ({ key }: Planned): boolean => taken.has(key.toString('hex'))
  const others = links.filter(link => !isTaken(link))
  const known = await steps.findKeys(
    tx,
    instituteId,
    others.map(link => link.key),
  )
  const repeated = others.map(({ rowNo, key }) => {
    const link = known.get(key.toString('hex'))
    if (link === undefined) throw new Error(`row ${rowNo} is somebody's and nobody's`)
    return { rowNo, orderId: link.orderId }
  })
  return { made: links.filter(isTaken), repeated }
}

/** Who cannot be reached by SMS is told by e-mail alone; the link is there all the same. */
async function tell(
  ctx: Context,
  tx: Transaction,
  {
    institute,
    batch,
    orders,
    now,
  }: { institute: Institute; batch: store.LinkBatch; orders: Order[]; now: Date },
): Promise<void> {
  const { channels, language } = batch
  const to = { instituteId: institute.id, institute: institute.name, language, at: now }
  const messages = orders.flatMap(order => {
    const reachable = channels.filter(
      channel => channel === 'email' || internationalNumber(order.phone) !== null,
    )
    const url = checkoutUrl(ctx, institute, order) ?? ''
    return linkMessages(order, { ...to, url }, reachable)
  })
  await queueMessages(tx, messages)
}

const KEPT_DAYS = 7
const MS_PER_DAY = 86_400_000

/** Files that were checked and never started. */
export async function purgeLinkFiles({ db, clock }: Context, limit: number): Promise<number> {
  return steps.purgeUnstarted(db, new Date(clock.now().getTime() - KEPT_DAYS * MS_PER_DAY), limit)
}
