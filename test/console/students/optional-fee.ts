import { dataOf, type Json } from '../../harness/client.ts'
import type { Visitor } from '../support.ts'
import { SCHOOL } from './support.ts'

/** A bus of the school year 2026-27, paid by month; each month, such as 2026-11, is due on its tenth day. */
export function monthlyBus(months: readonly string[], options: readonly Json[]): Json {
  return {
    academic_year_start: 2026,
    academic_year_end: 2027,
    kind: 'transport',
    name: 'School bus',
    component_type: 'TRANSPORT_FEE',
    rhythm: 'month',
    periods: months.map(month => {
      const first = Temporal.PlainDate.from(`${month}-01`)
      return {
        name: first.toLocaleString('en', { month: 'long' }),
        first_day: `${month}-01`,
        last_day: first.with({ day: first.daysInMonth }).toString(),
        due_date: `${month}-10`,
      }
    }),
    options,
  }
}

export type MadeFee = { at: string; id: string; options: string[] }

/** Where an optional fee stands once it is made, and the ids of its options. */
export async function makeOptionalFee(office: Visitor, fee: Json): Promise<MadeFee> {
  const { optional_fee_id: id } = dataOf(await office.post(`${SCHOOL}/optional-fees`, fee))
  const at = `${SCHOOL}/optional-fees/${id}`
  const { options } = dataOf(await office.get(at))
  return { at, id, options: options.map((one: Json) => one.option_id) }
}
