import type pg from 'pg'

export type Body = {
  name: string
  phone: string
  email: string
  details: { component_type: string; amount: number }[]
}

/**
 * The rows that one payment leaves behind, each written once as it ends up: an INSERT for each table, awaited one
 * after the other as a handler would. Keep it in step with what Bursar writes, or the ratio compares nothing.
 */
export async function insertPayment(client: pg.PoolClient, id: string, body: Body): Promise<void> {
  const { name, phone, email } = body
  const lines = body.details.map(line => ({ ...line, paise: Math.round(line.amount * 100) }))
  const amount = lines.reduce((sum, line) => sum + line.paise, 0)
  const now = new Date()
  const insert = async (table: string, text: string, values: unknown[]): Promise<pg.QueryResult> =>
    client.query({ name: `pay_${table}`, text: `insert into ${table} ${text}`, values })
  await insert(
    'orders',
    `(institute_id, id, kind, collector_code, state, name, phone, email, new_admission, notes, created_at, transaction_id, paid_at)
     values (1, $1, 'order', 'MAIN', 'paid', $2, $3, $4, false, '[]', $5, $1, $5)`,
    [id, name, phone, email, now],
  )
  await insert(
    'order_lines',
    `(institute_id, order_id, line_no, component_type, amount_paise)
     select 1, $1, l.no, l.code, l.paise from unnest($2::text[], $3::bigint[]) with ordinality as l (code, paise, no)`,
    [id, lines.map(line => line.component_type), lines.map(line => line.paise)],
  )
  await insert(
    'payments',
    `(institute_id, id, order_id, provider, account_id, state, amount_paise, mode, provider_ref, redirect_url, transaction_id, created_at,
       captured_at, settle_due_on)
     values (1, $1, $1, 'sandbox', 'sandbox', 'captured', $2, 'upi', $1, $3, $1, $4, $4, $5)`,
    [id, amount, `http://127.0.0.1/sandbox/bank/1/${id}`, now, now],
  )
  await insert(
    'bank_payments',
    `(institute_id, ref, payment_id, collector_code, amount_paise, state, mode, transaction_id, return_url, captured_at)
     values (1, $1, $1, 'MAIN', $2, 'captured', 'upi', $1, $3, $4)`,
    [id, amount, `http://127.0.0.1/pay/demo/${id}/return`, now],
  )
  const posting = await insert(
    'ledger_postings',
    `(institute_id, kind, reference, occurred_at) values (1, 'payment_captured', $1, $2) returning id`,
    [id, now],
  )
  await insert(
    'ledger_transfers',
    `(institute_id, posting_id, line_no, source, destination, amount_paise)
     values (1, $1, 1, 'institute_payable', 'provider_receivable', $2)`,
    [(posting.rows[0] as { id: string }).id, amount],
  )
  await client.query({
    name: 'pay_receipts',
    text: `with counter as (
        insert into receipt_counters as c (institute_id, financial_year, last_number) values (1, '2000-01', 1)
        on conflict (institute_id, financial_year) do update set last_number = c.last_number + 1 returning last_number
      )
      insert into receipts (institute_id, financial_year, number, payment_id, issued_at)
      select 1, '2000-01', last_number, $1, $2 from counter`,
    values: [id, now],
  })
  await insert(
    'events',
    `(institute_id, id, event_code, collector_code, resource_id, occurred_at, payload)
     values (1, $1 || '_1', 'pay.payment.debited', 'MAIN', $1, $2, $3),
       (1, $1 || '_2', 'order.payment.debited', 'MAIN', $1, $2, $3)`,
    [id, now, payloadOf(id, amount, body, now)],
  )
}

/** As large as Bursar's own. */
function payloadOf(id: string, amount: number, { details, ...payer }: Body, now: Date): string {
  const at = now.toISOString()
  return JSON.stringify({
    order_id: id,
    order: { id, status: 'paid', created_at: at, paid_at: at, amount: amount / 100, details, ...payer },
    payment: {
      id,
      amount: amount / 100,
      product: 'pay',
      mode: 'upi',
      transaction_id: id,
      paid_at: at,
      details,
    },
  })
}
