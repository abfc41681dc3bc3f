import { randomInt } from 'node:crypto'
import { dayOf } from '../platform/calendar.ts'
import { newId } from '../platform/ids.ts'
import type { OrderBlock, PaymentBlock } from './blocks.ts'
import type { PayloadOf } from './payloads.ts'

/**
 * What made-up events are put together from: people, fees and references as a school in India has them. Nobody is
 * real; ids are new each time, so they meet no order or student that exists.
 */
export type FixtureData = {
  now: Date
  collectorCode: string
  family: Family
}

type Family = (typeof FAMILIES)[number]
export type Line = { component_type: string; amount: number }

const FAMILIES = [
  { child: 'Kabir Rao', parent: 'Asha Rao', grade: { code: '5', name: 'Class V' }, number: 1042 },
  { child: 'Ananya Iyer', parent: 'Meera Iyer', grade: { code: '8', name: 'Class VIII' }, number: 1187 },
  { child: 'Zoya Shaikh', parent: 'Imran Shaikh', grade: { code: '11', name: 'Class XI' }, number: 1305 },
  { child: 'Arjun Singh', parent: 'Gurpreet Kaur', grade: { code: 'UKG', name: 'Upper KG' }, number: 1411 },
] as const

export function setScene(context: { now: Date; collectorCode: string }): FixtureData {
  return { ...context, family: FAMILIES[randomInt(FAMILIES.length)] ?? FAMILIES[0] }
}

/** A quarter's fees of a student. */
export const QUARTER: readonly Line[] = [
  { component_type: 'TUITION_FEE', amount: 18_500 },
  { component_type: 'TRANSPORT_FEE', amount: 4_200 },
  { component_type: 'LAB_FEE', amount: 1_300 },
]

export function totalOf(lines: readonly { amount: number }[]): number {
  return lines.reduce((sum, line) => sum + line.amount, 0)
}

/** An ISO moment so many hours before. */
export function hoursBefore({ now }: FixtureData, hours: number): string {
  return new Date(now.getTime() - hours * 3_600_000).toISOString()
}

/** A day in India, counted from today. */
export function dayFrom(
  { now }: FixtureData,
  { months = 0, days = 0 }: { months?: number; days?: number },
): string {
  return Temporal.PlainDate.from(dayOf(now)).add({ months }).add({ days }).toString()
}

/** NEFT's sixteen characters: bank, N, year and day of the year, number. */
export function newUtr({ now }: FixtureData): string {
  const { year, dayOfYear } = Temporal.PlainDate.from(dayOf(now))
  return `HDFCN${year % 100}${String(dayOfYear).padStart(3, '0')}${newDigits(6)}`
}

/** A UMRN has twenty characters: bank and sixteen digits. */
export function newUmrn(): string {
  return `HDFC${newDigits(16)}`
}

function newDigits(count: number): string {
  return Array.from({ length: count }, () => randomInt(10)).join('')
}

/** A student and the ids beside it. The school year begins in April. */
export function ofStudent({
  now,
  collectorCode,
  family,
}: FixtureData): PayloadOf<'masterdata.student.registered'> {
  const { year, month } = Temporal.PlainDate.from(dayOf(now))
  const start = month < 4 ? year - 1 : year
  return {
    service_student_id: newId('student'),
    registration_id: `parent-${family.number}`,
    student: {
      identifier: `ADM-${family.number}`,
      collector_code: collectorCode,
      fullname: family.child,
      grade: family.grade,
      academic_year_start: start,
      academic_year_end: start + 1,
      primary_contact_name: family.parent,
      primary_contact_number: phoneOf(family),
      primary_contact_email: emailOf(family),
    },
  }
}

type Paying = {
  product: PaymentBlock['product']
  mode: string
  lines: readonly Line[]
  /** Settled ones were paid the day before. */
  isSettled?: boolean
  notes?: string
}

const REFERENCES: Record<string, string> = { cash: 'RCPT', cheque: 'CHQ', enach: 'NACH' }

export function paymentOf(data: FixtureData, { product, mode, lines, isSettled = false, notes }: Paying) {
  const settled = isSettled ? { settlement_utr: newUtr(data) } : {}
  const settledAt = isSettled ? { settled_at: data.now.toISOString() } : {}
  return {
    id: newId('pay'),
    amount: totalOf(lines),
    product,
    mode,
    transaction_id: `${REFERENCES[mode] ?? ''}${newDigits(12)}`,
    paid_at: hoursBefore(data, isSettled ? 24 : 0),
    ...settled,
    ...(notes === undefined ? {} : { notes }),
    details: lines.map(line => ({ ...line, ...settled, ...settledAt })),
  } satisfies PaymentBlock
}

/** A payment by UPI, and the order or link that it paid, which both show the same. */
export function paidOrder(
  data: FixtureData,
  { kind, isSettled = false }: { kind: 'order' | 'link'; isSettled?: boolean },
) {
  const payment = paymentOf(data, { product: 'pay', mode: 'upi', lines: QUARTER, isSettled })
  const { transaction_id, paid_at, details } = payment
  return { ...orderOf(data, kind, { status: 'paid', transaction_id, paid_at, details }), payment }
}

/** A link that took no payment. */
export function unpaidLink(data: FixtureData, status: 'expired' | 'cancelled') {
  return orderOf(data, 'link', { status, details: QUARTER })
}

function orderOf(
  data: FixtureData,
  kind: 'order' | 'link',
  state: Record<string, unknown>,
): { order_id: string; order: OrderBlock } {
  const { student } = ofStudent(data)
  const id = newId('order')
  const expiry = hoursBefore(data, state['status'] === 'expired' ? 0 : -72)
  const order = {
    id,
    name: student.primary_contact_name,
    phone: student.primary_contact_number,
    email: student.primary_contact_email,
    identifier: student.identifier,
    student_name: student.fullname,
    grade: student.grade.code,
    academic_year_start: student.academic_year_start,
    academic_year_end: student.academic_year_end,
    new_admission: false,
    ...state,
    notes: [{ key: 'term', value: 'Quarter 1' }],
    ...(kind === 'link' ? { expires_at: expiry } : {}),
  }
  return { order_id: id, order }
}

/** Running digits, plainly an example's. */
function phoneOf(family: Family): string {
  return `+91 98765 4321${FAMILIES.indexOf(family)}`
}

function emailOf({ parent }: Family): string {
  return `${parent.toLowerCase().replace(' ', '.')}@example.in`
}
