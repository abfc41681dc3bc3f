import type pg from 'pg'
import type { Check } from '../checks.ts'

const AMOUNT = '(100000 + n % 5000 * 100)::bigint'
const ID = "lpad(n::text, 26, '0')"

/** Orders of two lines, paid yesterday by three modes, in the books of both sides; none of them settled. */
const SEED = [
  `insert into orders (institute_id, id, kind, collector_code, state, name, phone, email, new_admission, notes,
     transaction_id, paid_at, created_at)
   select 1, 'order_' || ${ID}, 'order', 'MAIN', 'paid', 'Asha Rao', '+91 98765 43210', 'asha@example.in', false, '[]',
     'SBX' || n, now() - interval '1 day', now() - interval '1 day'
   from generate_series(1, $1::int) n`,
  `insert into order_lines (institute_id, order_id, line_no, component_type, amount_paise)
   select 1, 'order_' || ${ID}, l.no, l.code, case l.no when 1 then ${AMOUNT} - 30000 else 30000 end
   from generate_series(1, $1::int) n, (values (1, 'TUITION_FEE'), (2, 'TRANSPORT_FEE')) as l (no, code)`,
  `insert into payments (institute_id, id, order_id, provider, account_id, state, amount_paise, mode, provider_ref, transaction_id,
     created_at, captured_at, settle_due_on)
   select 1, 'pay_' || ${ID}, 'order_' || ${ID}, 'sandbox', 'sandbox', 'captured', ${AMOUNT},
     (array['upi', 'card', 'netbanking'])[1 + n % 3], 'bank_' || ${ID}, 'SBX' || n,
     now() - interval '1 day', now() - interval '1 day', current_date
   from generate_series(1, $1::int) n`,
  `insert into bank_payments (institute_id, ref, payment_id, collector_code, amount_paise, state, mode, transaction_id,
     return_url, captured_at)
   select 1, 'bank_' || ${ID}, 'pay_' || ${ID}, 'MAIN', ${AMOUNT}, 'captured',
     (array['upi', 'card', 'netbanking'])[1 + n % 3], 'SBX' || n, 'http://127.0.0.1/', now() - interval '1 day'
   from generate_series(1, $1::int) n`,
  `insert into ledger_postings (institute_id, kind, reference, occurred_at)
   select 1, 'payment_captured', 'pay_' || ${ID}, now() - interval '1 day' from generate_series(1, $1::int) n`,
  `insert into ledger_transfers (institute_id, posting_id, line_no, source, destination, amount_paise)
   select 1, p.id, 1, 'institute_payable', 'provider_receivable', ${AMOUNT}
   from generate_series(1, $1::int) n
   join ledger_postings p on p.institute_id = 1 and p.kind = 'payment_captured' and p.reference = 'pay_' || ${ID}`,
]

export async function seedCaptured(client: pg.Client, total: number): Promise<void> {
  await client.query('begin')
  for (const text of SEED) await client.query(text, [total])
  await client.query('commit')
  // A day's payments come in over a day, and the statistics with them.
  await client.query('vacuum analyze')
}

/** Once all is settled. */
export const CHECKS: Check[] = [
  ['payments settled', 'select count(*) from payments where settlement_id is not null', total => total],
  ['settlements', 'select count(*) from settlements', () => 1],
  [
    'settlements whose gross is not that of their payments',
    `select count(*) from settlements s where gross_paise is distinct from
       (select sum(p.amount_paise) from payments p where p.institute_id = s.institute_id and p.settlement_id = s.id)`,
    () => 0,
  ],
  [
    'lines with the UTR of their settlement',
    'select count(*) from order_lines l join settlements s on s.utr = l.settlement_utr and s.settled_at = l.settled_at',
    total => total * 2,
  ],
  ...['pay', 'order'].flatMap((prefix): Check[] => [
    [
      `${prefix}.payment.settled events`,
      `select count(*) from events where event_code = '${prefix}.payment.settled'`,
      total => total,
    ],
    [
      `orders with ${prefix}.payment.settled`,
      `select count(distinct resource_id) from events where event_code = '${prefix}.payment.settled'`,
      total => total,
    ],
  ]),
  ['exceptions', 'select count(*) from settlement_exceptions', () => 0],
  ...['provider_receivable', 'institute_payable'].map((account): Check => [
    `paise left in ${account}`,
    `select coalesce(sum(case when destination = '${account}' then amount_paise else -amount_paise end), 0) as count
     from ledger_transfers where '${account}' in (source, destination)`,
    () => 0,
  ]),
  [
    'paise posted as paid out, less those of the settlements',
    `select (select coalesce(sum(amount_paise), 0) from ledger_transfers where destination = 'settlement_bank')
      - (select coalesce(sum(net_paise), 0) from settlements) as count`,
    () => 0,
  ],
]
