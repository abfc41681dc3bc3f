import { parseDay } from '../../platform/calendar.ts'
import { unavailable } from '../../platform/errors.ts'
import { type Call, RECON_PAGE } from '../http.ts'
import type { SettlementReport } from '../port.ts'
import { ProviderRefused } from '../refused.ts'
import { findDisputed, findRefunded } from './disputes.client.ts'
import { groupByPayout, type NamedItem } from './pay-outs.ts'
import { refundOnce } from './refunds.client.ts'
import * as shapes from './shapes.ts'

const MAX_PAGES = 4_000

/** Read whole before the first report: a pay-out's items stand on any page. */
export async function* readSettlements(begin: () => Call, day: string): AsyncGenerator<SettlementReport> {
  if (parseDay(day) === null) throw new Error(`${day} is not a day`)
  const [year = '', month = '', date = ''] = day.split('-')
  const items = new Map<string, shapes.ReconItem>()
  for (let page = 0; ; page++) {
    if (page === MAX_PAGES) throw unavailable('Razorpay lists too many settled items for one day.')
    const count = String(RECON_PAGE.items)
    const query = new URLSearchParams({
      year,
      month,
      day: date,
      count,
      skip: String(page * RECON_PAGE.items),
    })
    const listed = await begin()(
      'GET',
      `/v1/settlements/recon/combined?${query}`,
      answer => shapes.readItems(answer, shapes.readReconItem),
      { maxBytes: RECON_PAGE.bytes },
    )
    // Items that arrive meanwhile move others to the next page, where they are seen again.
    for (const item of listed) items.set(`${item.type} ${item.entityId} ${item.settlementId}`, item)
    if (listed.length < RECON_PAGE.items) break
  }
  const kept: NamedItem[] = []
  for (const item of items.values()) {
    if (await isGivenBack(begin(), item)) continue
    const refunded = await findRefunded(begin(), item)
    kept.push({ ...item, refunded, disputed: await findDisputed(begin(), item) })
  }
  yield* groupByPayout(kept)
}

/**
 * Whether it is the rupee of a UPI registration, or what gave it back. It is nobody's fee: it goes back to the payer as
 * soon as Razorpay has it, and the two stand in no book of ours. If it cannot go back, a person sees it.
 */
async function isGivenBack(
  call: Call,
  { type, entityId, amountPaise, notes }: shapes.ReconItem,
): Promise<boolean> {
  const { instituteId, mandateId } = notes
  if (instituteId === null || mandateId === null) return false
  if (type === 'refund') return true
  if (type !== 'payment') return false
  try {
    const ours = { institute_id: String(instituteId), mandate_id: mandateId }
    await refundOnce(call, entityId, { refundId: mandateId, amountPaise, notes: ours })
    return true
  } catch (error) {
    if (error instanceof ProviderRefused) return false
    throw error
  }
}
