import assert from 'node:assert/strict'
import type { Rail } from '../../../src/flex/rules/rails.rules.ts'
import { codesOf } from '../../../src/flex/rules/returns.rules.ts'
import { instalmentsOf } from './acts.ts'
import { doLater, send } from './acts-support.ts'
import type { Pupil } from './erp.ts'
import type { Town } from './town.ts'
import type { TownBank } from './town.ts'

const SANDBOX = '/api/v1/sandbox'

// 98 is no decision, and the sandbox's bank has an amount for it.
const any = (rail: Rail): string[] => [...codesOf(rail).filter(code => code !== '98'), '99', 'XX']
const array = (of: readonly string[]): string => `array[${of.map(code => `'${code}'`).join(',')}]`

/** Some debits bounce, by any code, and some are taken back days after they were paid: drawn by seed, amount and day. */
async function trainBank(sql: (text: string) => Promise<unknown>, seed: number): Promise<void> {
  const codes = {
    enach: [
      ...Array.from({ length: 40 }, (_, n) => ['04', '05', '59', '73'][n % 4] ?? '04'),
      ...any('enach'),
    ],
    upi_autopay: [
      ...Array.from({ length: 20 }, (_, n) => ['Z9', 'U30'][n % 2] ?? 'Z9'),
      ...any('upi_autopay'),
    ],
  }
  await sql(`
    create function train_bank() returns trigger language plpgsql as $$
    declare
      lot bigint := abs(hashtextextended(new.amount_paise || ' ' || new.mode || ' ' ||
        coalesce(old.captured_at, new.decide_at, new.captured_at)::date, ${seed}) % 1000000000);
      codes text[] := case new.mode when 'enach' then ${array(codes.enach)} else ${array(codes.upi_autopay)} end;
    begin
      if new.mandate_ref is null then return new; end if;
      if tg_op = 'INSERT' and lot % 100 < 22 then
        new.scripted_code := codes[1 + (lot / 100) % array_length(codes, 1)];
      elsif tg_op = 'UPDATE' and new.state = 'captured' and old.state <> 'captured' and new.decide_at is null
        and lot % 100 > 95 then
        new.decide_at := new.captured_at + (1 + lot % 9) * interval '1 day';
        new.scripted_code := case new.mode when 'enach' then '04' else 'Z9' end;
      end if;
      return new;
    end $$`)
  await sql(
    'create trigger train_bank before insert or update on bank_payments for each row execute function train_bank()',
  )
}

/** Somebody at the bank's counter decides about what is out, or takes back what was paid. */
async function decideAtBank(town: Town, pupil: Pupil): Promise<string> {
  const { random } = town
  const refunded = new Set(
    (
      await town.sql<{ id: string }>(
        `select i.id from flex_instalments i join refunds r on r.institute_id = i.institute_id and r.order_id = i.order_id`,
      )
    ).map(({ id }) => id),
  )
  const all = (await instalmentsOf(town, pupil, 'presented debited settled')).filter(
    ({ id }) => !refunded.has(id),
  )
  const one =
    all.find(({ state }) => state === 'presented') ?? (random.chance(0.3) ? random.pick(all) : undefined)
  if (one === undefined) return 'nothing'
  const codes = codesOf(one.rail === 'upi_autopay' ? 'upi_autopay' : 'enach').filter(code => code !== '98')
  const isPaid = one.state === 'presented' && random.chance(0.3)
  const body = isPaid ? { outcome: 'debited' } : { outcome: 'bounced', code: random.pick(codes) ?? '04' }
  const path = `${SANDBOX}/flex/instalments/${one.id}/outcome`
  const { status, text } = await send(town, pupil, ['POST', path, body])
  assert.ok(status === 200 || status === 409, text)
  return `${one.id} ${one.state} ${JSON.stringify(body)}: ${status}`
}

async function revokeAtBank(town: Town, pupil: Pupil): Promise<string> {
  const [mandate] = await town.sql<{ institute_id: number; ref: string }>(
    `select m.institute_id, m.provider_ref as ref from flex_mandates m
     where m.plan_id = $1 and m.state in ('active', 'pending') and m.provider_ref is not null`,
    [pupil.planId],
  )
  if (mandate === undefined) return 'nothing'
  const page = `mandates/${mandate.institute_id}/${mandate.ref}`
  return `${mandate.ref}: ${await atBank(town, pupil, page, 'act=revoke')}`
}

async function pauseMandate(town: Town, pupil: Pupil): Promise<string> {
  const [mandate] = await town.sql<{ id: string }>(
    `select id from flex_mandates where plan_id = $1 and state = 'active'`,
    [pupil.planId],
  )
  if (mandate === undefined) return 'nothing'
  const at = `${SANDBOX}/flex/mandates/${mandate.id}`
  const { status } = await send(town, pupil, ['POST', `${at}/pause`])
  doLater(town, town.random.between(1, 6), async () => {
    await send(town, pupil, ['POST', `${at}/resume`])
  })
  return `${mandate.id}: ${status}`
}

/** One that has ended already stays as it is. */
async function answer(town: Town, pupil: Pupil, paymentId: string, verb: 'capture' | 'fail'): Promise<void> {
  await send(town, pupil, ['POST', `${SANDBOX}/payments/${paymentId}/${verb}`])
}

/** Presses a button on one of the bank's own pages. */
async function atBank(town: Town, pupil: Pupil, page: string, form: string): Promise<number> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, text } = await town.as(pupil).send('POST', `/sandbox/bank/${page}`, form, type)
  assert.ok(status < 500, text)
  return status
}

/** The sandbox's own bank, which decides by itself when its time comes. */
export const sandboxBank: TownBank = {
  env: {},
  acts: [
    { name: 'bank', weight: 6, run: decideAtBank },
    { name: 'revoke', weight: 2, run: revokeAtBank },
    { name: 'mandate paused', weight: 2, run: pauseMandate },
  ],
  prepare: town => trainBank(town.sql, town.seed),
  payer: {
    pay: (town, pupil, paymentId) => answer(town, pupil, paymentId, 'capture'),
    fail: (town, pupil, paymentId) => answer(town, pupil, paymentId, 'fail'),
    async leavePending(town, pupil, paymentId) {
      const [row] = await town.sql<{ institute: number; ref: string }>(
        'select institute_id as institute, provider_ref as ref from payments where id = $1 and provider_ref is not null',
        [paymentId],
      )
      if (row !== undefined) await atBank(town, pupil, `${row.institute}/${row.ref}`, 'outcome=pending')
    },
  },
  async transfer(town, pupil, { paise, utr }) {
    const path = `${SANDBOX}/pay/students/${pupil.studentId}/virtual_account/transfers`
    const { status, text } = await send(town, pupil, ['POST', path, { amount: paise / 100, utr }])
    assert.equal(status, 200, text)
  },
  async authorise(town, pupil) {
    const { status, text } = await town.as(pupil).post(`${SANDBOX}/flex/plans/${pupil.planId}/authorise`)
    assert.equal(status, 200, text)
  },
  async isGoingBack(town, orderId) {
    const [row] = await town.sql(
      `select from payments p join bank_payments b on b.institute_id = p.institute_id and b.payment_id = p.id
       where p.order_id = $1 and b.decide_at is not null`,
      [orderId],
    )
    return row !== undefined
  },
}
