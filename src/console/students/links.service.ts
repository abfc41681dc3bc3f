import { openDueLinks, type WantedLinks } from '../../dues/due-links.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { totalOf } from '../../orders/orders.rules.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { Paise } from '../../platform/money.ts'
import type { Bulk } from '../lists/bulk.rules.ts'

type MadeLink = { studentId: string; orderId: string; amountPaise: Paise; isNew: boolean }
export type MadeLinks = Bulk & { links: MadeLink[] }

/** A payment link for each of the students, all of them or, if it fails, none. */
export async function makeLinks(
  ctx: PaymentContext,
  command: Command<MadeLinks>,
  target: { institute: Institute; studentIds: readonly string[] },
  wanted: WantedLinks,
): Promise<MadeLinks> {
  return transact(ctx.db, command, async tx => {
    const { links, leftOut } = await openDueLinks(tx, ctx, target, wanted)
    return {
      done: links.map(({ order }) => order.id),
      leftOut,
      links: links.map(({ studentId, order, isNew }) => {
        return { studentId, orderId: order.id, amountPaise: totalOf(order), isNew }
      }),
    }
  })
}
