import assert from 'node:assert/strict'
import type { Json } from '../harness/client.ts'
import type { Visitor } from './support.ts'

const FILE_COLUMNS = [
  'file_name',
  'state',
  'total_rows',
  'bad_rows',
  'applied_rows',
  'created_by',
  'created_at',
]

/** Every list that people sort, by its columns. */
export const LISTS: Record<string, readonly string[]> = {
  students: [
    'fullname',
    'identifier',
    'grade_name',
    'primary_contact_name',
    'paid_amount',
    'outstanding_amount',
  ],
  leavers: [
    'student_name',
    'identifier',
    'grade',
    'state',
    'on_the_way_amount',
    'advance',
    'owed',
    'left_on',
  ],
  orders: ['amount', 'name', 'student_name', 'created_at', 'paid_at'],
  'money/payments': ['at', 'student_name', 'receipt_number', 'amount'],
  'money/receipts': ['issued_at', 'number', 'payer', 'student_name', 'amount'],
  'money/defaulters': ['fullname', 'grade', 'days_late', 'last_paid_at', 'owed'],
  'money/deposits': ['student_name', 'identifier', 'grade', 'component_type', 'held_amount'],
  enrolments: [
    'student_name',
    'identifier',
    'grade',
    'fee_name',
    'option',
    'stop',
    'amount',
    'first_day',
    'last_day',
  ],
  'money/settlements': ['settled_at', 'gross', 'net', 'payment_count'],
  'money/disputes': ['respond_by', 'status', 'opened_at', 'amount', 'payer'],
  'money/ledger/transfers': ['occurred_at', 'kind', 'source', 'destination', 'amount'],
  'counter/cheques': ['number', 'bank', 'amount', 'student_name', 'state', 'taken_at'],
  'counter/post-dated-cheques': ['number', 'bank', 'deposit_on', 'amount', 'student_name', 'state'],
  'counter/deposits': ['slip_number', 'day', 'account_name', 'amount'],
  'bank/lines': ['day', 'amount', 'state', 'text'],
  loans: ['borrower', 'student', 'status', 'amount', 'created_at'],
  'flex/plans': ['student_name', 'status', 'total_amount', 'paid_amount', 'next_debit_on', 'instalments'],
  'reminder-runs': ['created_at', 'subject', 'families', 'made_by'],
  approvals: ['title', 'amount', 'asked_by', 'asked_at', 'status'],
  'link-batches': FILE_COLUMNS,
  'student-files': FILE_COLUMNS,
  'flex/debits': ['day', 'student_name', 'status', 'amount'],
  deliveries: ['created_at', 'event_code', 'status', 'attempts'],
  events: ['occurred_at', 'event', 'resource_id'],
  webhooks: ['event_code', 'url', 'collector_code', 'waiting', 'given_up', 'created_at'],
  keys: ['label', 'created_at', 'last_used_at', 'revoked_at'],
  'payment-pages': ['title', 'collector_code', 'paid_count', 'closes_at', 'created_at'],
  requests: ['at', 'route', 'status', 'error_code', 'ms', 'key_id'],
  messages: ['created_at', 'channel', 'recipient', 'subject', 'state'],
  'flex/erp/fetches': ['fetched_at', 'fullname', 'outcome', 'duration_ms'],
}

export async function readAll(viewer: Visitor, path: string, limit: number): Promise<Json[]> {
  const rows: Json[] = []
  let next = ''
  do {
    const { body, status, text } = await viewer.get(
      `${path}&limit=${limit}${next === '' ? '' : `&cursor=${encodeURIComponent(next)}`}`,
    )
    assert.equal(status, 200, text)
    rows.push(...body.data)
    next = body.next_cursor ?? ''
  } while (next !== '')
  return rows
}

const texts = (rows: Json[]): string[] => rows.map(row => JSON.stringify(row)).sort()

/** The same rows in any order and any size of page, and as many as the count says; answers them in the list's own order. */
export async function expectEveryOrder(
  viewer: Visitor,
  { path, query = '', small }: { path: string; query?: string; small: readonly [number, number] },
  columns: readonly string[],
): Promise<Json[]> {
  const own = await readAll(viewer, `${path}?${query}`, 200)
  const { body } = await viewer.get(`${path}/count?${query}`)
  assert.deepEqual(body.data, { count: own.length, is_more: false }, path)
  for (const column of columns) {
    const by = (sort: string, limit: number) => readAll(viewer, `${path}?${query}&sort=${sort}`, limit)
    const up = await by(column, 200)
    assert.deepEqual(texts(up), texts(own), `${path} by ${column}`)
    if (own.length === 0) continue
    const down = await by(`-${column}`, 200)
    assert.deepEqual(texts(down), texts(own), `${path} by ${column}, the largest first`)
    assert.deepEqual(await by(column, small[0]), up, `${path} by ${column} in pages`)
    assert.deepEqual(await by(`-${column}`, small[1]), down, `${path} by -${column} in pages`)
  }
  return own
}
