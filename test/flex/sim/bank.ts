import type { Rail } from '../../../src/flex/rules/rails.rules.ts'
import { codesOf } from '../../../src/flex/rules/returns.rules.ts'

// 98 is no decision, and the sandbox's bank has an amount for it.
const any = (rail: Rail): string[] => [...codesOf(rail).filter(code => code !== '98'), '99', 'XX']
const array = (of: readonly string[]): string => `array[${of.map(code => `'${code}'`).join(',')}]`

/** Some debits bounce, by any code, and some are taken back days after they were paid: drawn by seed, amount and day. */
export async function trainBank(sql: (text: string) => Promise<unknown>, seed: number): Promise<void> {
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
