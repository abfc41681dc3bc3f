import type pg from 'pg'
import type { Check } from '../checks.ts'

const ID = "lpad(n::text, 26, '0')"
const TUITION = '(400000 + n % 50 * 100)::bigint'
const TRANSPORT = '65050::bigint'
const LINES = `jsonb_build_array(jsonb_build_object('componentType', 'TUITION_FEE', 'amountPaise', ${TUITION}),
  jsonb_build_object('componentType', 'TRANSPORT_FEE', 'amountPaise', ${TRANSPORT}))`
const LONG_AGO = "now() - interval '90 days'"

/** Students whose fees are one instalment each, to be debited on one day ($2) by mandates that are long active. */
const SEED = [
  `insert into users (institute_id, registration_id, id, name, phone, email, created_at)
   select 1, 'reg_' || ${ID}, 'user_' || ${ID}, 'Asha Rao', '+91 98765 43210', 'asha@example.in', ${LONG_AGO}
   from generate_series(1, $1::int) n`,
  `insert into students (institute_id, id, collector_code, identifier, grade, academic_year_start, academic_year_end, fullname,
     new_admission, primary_contact_name, primary_contact_number, primary_contact_email, created_at, updated_at)
   select 1, 'student_' || ${ID}, 'MAIN', 'ADM-' || n, '5', 2026, 2027, 'Student ' || n, false, 'Asha Rao',
     '+91 98765 43210', 'asha@example.in', ${LONG_AGO}, ${LONG_AGO}
   from generate_series(1, $1::int) n`,
  `insert into student_users (institute_id, student_id, registration_id, linked_at)
   select 1, 'student_' || ${ID}, 'reg_' || ${ID}, ${LONG_AGO} from generate_series(1, $1::int) n`,
  `insert into fee_components (institute_id, student_id, component_type, position, fee_paise)
   select 1, 'student_' || ${ID}, f.code, f.no, case f.no when 1 then ${TUITION} else ${TRANSPORT} end
   from generate_series(1, $1::int) n, (values (1, 'TUITION_FEE'), (2, 'TRANSPORT_FEE')) as f (no, code)`,
  `insert into flex_plans (institute_id, id, student_id, collector_code, state, product_name, is_custom, created_at, set_up_at,
     fitted_to, fitted_at)
   select 1, 'plan_' || ${ID}, 'student_' || ${ID}, 'MAIN', 'active', 'Fee instalments', false, ${LONG_AGO}, ${LONG_AGO},
     ${LINES}, ${LONG_AGO}
   from generate_series(1, $1::int) n`,
  `insert into flex_mandates (institute_id, id, plan_id, provider, account_id, provider_ref, rail, state, umrn, cap_paise, start_on, end_on,
     created_at, authorised_at)
   select 1, 'mandate_' || ${ID}, 'plan_' || ${ID}, 'sandbox', 'sandbox', 'bank_' || ${ID}, 'enach', 'active',
     'SBX' || lpad(n::text, 17, '0'), 10000000, current_date - 90, current_date + 900, ${LONG_AGO}, ${LONG_AGO}
   from generate_series(1, $1::int) n`,
  `insert into bank_mandates (institute_id, ref, mandate_id, rail, state, cap_paise, start_on, end_on, description, umrn, return_url)
   select 1, 'bank_' || ${ID}, 'mandate_' || ${ID}, 'enach', 'active', 10000000, current_date - 90, current_date + 900, 'Fees',
     'SBX' || lpad(n::text, 17, '0'), 'http://127.0.0.1/'
   from generate_series(1, $1::int) n`,
  `insert into flex_instalments (institute_id, plan_id, id, number, due_on, present_on, lines, planned, next_step_at)
   select 1, 'plan_' || ${ID}, 'inst_' || ${ID}, 1, $2::date, $2::date, ${LINES}, ${LINES}, now()
   from generate_series(1, $1::int) n`,
]

export type Erp = { url: string; maxCalls: number }

/** Sets the sandbox's clock to where the window for asking ERPs has just opened for all of them. */
export async function seedDue(client: pg.Client, total: number, erp: Erp): Promise<void> {
  const { presentOn, at } = nextWindow()
  await client.query('begin')
  await client.query(
    `insert into erp_settings (institute_id, fetch_url, auth_kind, lookup, custom_schedule, max_calls)
     values (1, $1, 'none', array['identifier', 'grade'], false, $2)`,
    [erp.url, erp.maxCalls],
  )
  await client.query(`insert into instance_settings (key, value) values ('clock_offset_ms', $1)`, [
    String(at - Date.now()),
  ])
  for (const text of SEED) {
    const values = text.includes('$2') ? [total, presentOn] : [total]
    await client.query(text, values)
  }
  await client.query('commit')
  await client.query('vacuum analyze')
}

/** A Wednesday's debits are asked for on the Tuesday from 02:30 in India. */
export function nextWindow(): { presentOn: string; at: number } {
  const today = Temporal.Now.plainDateISO('Asia/Kolkata')
  const tuesday = today.add({ days: 1 + ((8 - today.dayOfWeek) % 7) })
  const at = tuesday.toZonedDateTime({ timeZone: 'Asia/Kolkata', plainTime: '03:00' }).epochMilliseconds
  return { presentOn: tuesday.add({ days: 1 }).toString(), at }
}

/** Once all are announced. */
export const CHECKS: Check[] = [
  [
    'instalments confirmed',
    `select count(*) from flex_instalments where state = 'confirmed' and notified_at is not null and held_until is null
       and next_step_at > notified_at + interval '24 hours'`,
    total => total,
  ],
  ['fetches', 'select count(*) from erp_fetches', total => total],
  [
    'students found by one fetch',
    `select count(distinct student_id) from erp_fetches where outcome = 'found' and reason = 'presentation'`,
    total => total,
  ],
  ['messages', 'select count(*) from messages', total => total * 2],
  ...['email', 'sms'].map((channel): Check => [
    `plans told by ${channel}`,
    `select count(distinct about) from messages where channel = '${channel}'`,
    total => total,
  ]),
  ['decisions', 'select count(*) from flex_decisions', total => total],
  ['fee changes', 'select count(*) from fee_changes', () => 0],
]

/** How long the ERP's answers took, as we saw it. */
export async function meanCall(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    'select avg(duration_ms)::float8 as ms from erp_fetches',
  )
  return rows[0]?.ms ?? 0
}
