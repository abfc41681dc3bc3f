import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { PageRange } from '../../platform/db/list.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import * as items from './settlement-items.store.ts'
import * as store from './settlements.store.ts'

export type { ComponentSum, SettlementItem } from './settlement-items.store.ts'
export type { Settlement } from './settlements.store.ts'

export type SettlementDetail = store.Settlement & {
  components: items.ComponentSum[]
  items: items.SettlementItem[]
}

/** One, by its id or UTR, with a page of what is in it. */
export async function readSettlement(
  ctx: Pick<Context, 'db'>,
  institute: Institute,
  idOrUtr: string,
  page: PageRange,
): Promise<{ settlement: SettlementDetail; nextCursor: string | undefined }> {
  const settlement = await findSettlement(ctx, institute, idOrUtr)
  const [components, { rows, nextCursor }] = await Promise.all([
    items.sumComponents(ctx.db, institute.id, settlement.id),
    items.listItems(ctx.db, institute.id, settlement.id, page),
  ])
  return { settlement: { ...settlement, components, items: rows }, nextCursor }
}

export async function findSettlement(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  idOrUtr: string,
): Promise<store.Settlement> {
  const [settlement, ...others] = await store.findSettlements(db, institute.id, idOrUtr)
  if (settlement === undefined) throw notFound('This settlement')
  // Answering with one of them would hide the money of the others.
  if (others.length > 0) throw conflict(ofSeveral(idOrUtr, [settlement, ...others]))
  return settlement
}

function ofSeveral(utr: string, settlements: readonly store.Settlement[]): string {
  const parts = settlements.map(({ id, collectorCode }) => `${id} (${collectorCode})`)
  return `${utr} is of ${settlements.length} settlements. Name one by its id: ${parts.join(', ')}.`
}
