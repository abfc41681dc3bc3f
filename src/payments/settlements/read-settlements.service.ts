import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { PageRange } from '../../platform/db/list.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import * as store from './settlements.store.ts'

export type { ComponentSum, Settlement, SettlementItem } from './settlements.store.ts'

export type SettlementDetail = store.Settlement & {
  components: store.ComponentSum[]
  items: store.SettlementItem[]
}

/** One, by its id or UTR, with a page of what is in it. */
export async function readSettlement(
  ctx: Pick<Context, 'db'>,
  institute: Institute,
  idOrUtr: string,
  page: PageRange,
): Promise<{ settlement: SettlementDetail; nextCursor: string | undefined }> {
  const settlement = await findSettlement(ctx, institute, idOrUtr)
  const [components, { rows: items, nextCursor }] = await Promise.all([
    store.sumComponents(ctx.db, institute.id, settlement.id),
    store.listItems(ctx.db, institute.id, settlement.id, page),
  ])
  return { settlement: { ...settlement, components, items }, nextCursor }
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
