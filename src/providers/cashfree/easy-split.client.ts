import { DAY_MS, dayOf, startOfDay } from '../../platform/calendar.ts'
import { unavailable } from '../../platform/errors.ts'
import { toRupees, ZERO } from '../../platform/money.ts'
import {
  type Call,
  isObject,
  type Fields,
  readList,
  readObject,
  readOptionalText,
  readText,
} from '../http.ts'
import {
  type LinkedPart,
  ProviderRefused,
  type SettlementItem,
  type SettlementReport,
  type SplitPort,
} from '../port.ts'
import { type Connection, find, readOurId } from './connection.ts'
import { readId, readMoney } from './shapes.ts'

/** Easy Split: other bank accounts of the school are vendors, and an order says what of it is theirs. */
export function createSplits({ begin }: Pick<Connection, 'begin'>): SplitPort {
  return {
    idLabel: 'Vendor id',
    idHelp:
      'In the merchant dashboard under Easy Split, Vendors. Cashfree has to switch Easy Split on for you first.',
    idPattern: /^[A-Za-z0-9_]{1,50}$/,
    async readLinked({ linkedId }) {
      const path = `/easy-split/vendors/${encodeURIComponent(linkedId)}`
      const vendor = await find(begin(), path, readVendor)
      if (vendor === null) throw new ProviderRefused('Cashfree knows no vendor with this id.')
      const { status, remarks } = vendor
      if (status === 'ACTIVE') return { isVerified: true }
      return { isVerified: false, problem: `Cashfree has this vendor as ${status}. ${remarks ?? ''}`.trim() }
    },
  }
}

/** What an order or refund says of its vendors; nothing where it has none. */
export function toVendorSplits<Key extends 'order_splits' | 'refund_splits'>(
  key: Key,
  parts: readonly LinkedPart[] = [],
): Partial<Record<Key, { vendor_id: string; amount: number }[]>> {
  if (parts.length === 0) return {}
  const splits = parts.map(({ linkedId, amountPaise }) => {
    return { vendor_id: linkedId, amount: toRupees(amountPaise) }
  })
  return { [key]: splits } as Partial<Record<Key, typeof splits>>
}

function readVendor(value: unknown): { status: string; remarks: string | null } {
  const vendor = readObject(value, 'vendor')
  return {
    status: readText(vendor, 'status', 'vendor'),
    remarks: readOptionalText(vendor, 'remarks', 'vendor'),
  }
}

type VendorRow = {
  entityId: string
  orderId: string | null
  isCredit: boolean
  amountPaise: SettlementItem['amountPaise']
  settlementId: string
  utr: string | null
  settledAt: Date
}

const ROWS = 100
const MAX_PAGES = 1_000
/** Whether the interval is that of the payment or of the settlement is not told: what was settled later is found so too. */
const LOOKS_BACK_MS = 10 * DAY_MS

/** What was settled to a vendor on a day, by its UTR. */
export async function* readVendorSettlements(
  { begin }: Pick<Connection, 'begin'>,
  day: string,
  vendorId: string,
): AsyncGenerator<SettlementReport> {
  const start = startOfDay(day).getTime()
  const filters = {
    merchant_vendor_id: vendorId,
    start_date: new Date(start - LOOKS_BACK_MS).toISOString(),
    end_date: new Date(start + DAY_MS - 1_000).toISOString(),
  }
  const rows = new Map<string, VendorRow>()
  let cursor: string | null = null
  for (let page = 0; ; page++) {
    if (page === MAX_PAGES) throw unavailable('Cashfree lists too many settled events of a vendor.')
    const body = { pagination: { limit: ROWS, cursor }, filters }
    const listed: ReturnType<typeof readPage> = await begin()('POST', '/recon/vendor', readPage, { body })
    for (const row of listed.rows) rows.set(`${row.entityId} ${row.isCredit} ${row.settlementId}`, row)
    if (listed.cursor === null || listed.rows.length === 0) break
    if (listed.cursor === cursor) throw unavailable('Cashfree gives the same page of a vendor again.')
    cursor = listed.cursor
  }
  const groups = new Map<string, SettlementReport & { items: SettlementItem[] }>()
  for (const row of rows.values()) {
    if (dayOf(row.settledAt) !== day) continue
    const { instituteId, ourId } = await ownerOf(begin(), row, vendorId)
    const utr = row.utr ?? row.settlementId
    const key = `${instituteId} ${utr}`
    const group = groups.get(key) ?? {
      instituteId,
      utr,
      settledAt: row.settledAt,
      linkedId: vendorId,
      items: [],
    }
    group.items.push({
      kind: row.isCredit ? 'payment' : 'refund',
      ourId,
      providerRef: `${vendorId} ${row.entityId}`,
      payOutId: row.settlementId,
      amountPaise: row.amountPaise,
      // The account that takes the payment bears the charges.
      feePaise: ZERO,
    })
    groups.set(key, group)
  }
  yield* groups.values()
}

const NOBODY = 0

/** The payment is named by its order; a refund by Cashfree's own number or, where that is another, by what the vendor bears. */
async function ownerOf(
  call: Call,
  { orderId, isCredit, entityId, amountPaise }: VendorRow,
  vendorId: string,
): Promise<{ instituteId: number; ourId: string }> {
  const paid = readOurId(orderId, 'pay')
  if (paid === null) return { instituteId: NOBODY, ourId: '' }
  const { instituteId } = paid
  if (isCredit) return { instituteId, ourId: paid.id }
  const refunds =
    (await find(call, `/orders/${encodeURIComponent(orderId ?? '')}/refunds`, readRefunds)) ?? []
  const bears = (refund: VendorRefund): boolean =>
    refund.splits.some(split => split.vendorId === vendorId && split.amountPaise === amountPaise)
  const fitting = refunds.filter(bears)
  const [found, ...others] = fitting.some(one => one.id === entityId)
    ? fitting.filter(one => one.id === entityId)
    : fitting
  const ours = found === undefined || others.length > 0 ? null : readOurId(found.refundId, 'rfd')
  return { instituteId, ourId: ours?.id ?? '' }
}

type VendorRefund = {
  id: string
  refundId: string
  splits: { vendorId: string | null; amountPaise: SettlementItem['amountPaise'] }[]
}

function readRefunds(value: unknown): VendorRefund[] {
  return (Array.isArray(value) ? value : []).map((one, index) => {
    const at = `refunds[${index}]`
    const refund = readObject(one, at)
    const splits: unknown = refund['refund_splits']
    return {
      id: readId(refund, 'cf_refund_id', at),
      refundId: readText(refund, 'refund_id', at),
      splits: (Array.isArray(splits) ? splits : []).filter(isObject).map(split => ({
        vendorId: readOptionalText(split, 'vendor_id', at),
        amountPaise: readMoney(split, 'amount', at),
      })),
    }
  })
}

/** What is not there yet is "NA". */
function textOf(row: Fields, key: string, at: string): string | null {
  const text = readOptionalText(row, key, at)
  return text === null || /^N\/?A$/i.test(text) ? null : text
}

function readPage(value: unknown): { rows: VendorRow[]; cursor: string | null } {
  const page = readObject(value, 'answer')
  return {
    cursor: readOptionalText(page, 'cursor', 'answer'),
    rows: readList(page, 'data', 'answer').flatMap((one, index) => {
      const at = `data[${index}]`
      const row = readObject(one, at)
      const settledAt = momentOf(textOf(row, 'settlement_time', at))
      // What is not settled yet is read when it is.
      if (row['settled'] !== true || settledAt === null) return []
      return [
        {
          entityId: readId(row, 'entity_id', at),
          orderId: textOf(row, 'merchant_order_id', at),
          isCredit: textOf(row, 'credit', at) !== null,
          amountPaise: readMoney(row, 'amount', at),
          settlementId: readId(row, 'settlement_id', at),
          utr: textOf(row, 'settlement_utr', at),
          settledAt,
        },
      ]
    }),
  }
}

/** Written as the clock shows it in India. */
function momentOf(text: string | null): Date | null {
  if (text === null || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return null
  return new Date(`${text.replace(' ', 'T')}+05:30`)
}
