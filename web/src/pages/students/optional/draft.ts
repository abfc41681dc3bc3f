import type { OptionalFeeAnswer } from '../../../../../src/students/enrolments/optional-fee.schemas.ts'
import { plainAmount } from '../../../ui/form/amount.ts'

export const KIND_LABELS = {
  transport: { label: 'Transport' },
  hostel: { label: 'Hostel' },
  meals: { label: 'Meals' },
  club: { label: 'Club' },
  fine: { label: 'Fine' },
  deposit: { label: 'Deposit' },
  other: { label: 'Other' },
} as const
export type Kind = keyof typeof KIND_LABELS

export const RHYTHM_TEXTS = { once: 'once', month: 'a month', term: 'a term', year: 'a year' } as const
export type Rhythm = keyof typeof RHYTHM_TEXTS

export const PRORATING_TEXTS = {
  days: 'by the days that the child has it',
  months: 'by calendar months that have begun',
  none: 'whole, once it has begun',
} as const
export type Prorating = keyof typeof PRORATING_TEXTS

export type PeriodDraft = { name: string; first_day: string; last_day: string; due_date: string }
type OptionDraft = { option_id?: string; name: string; stop: string; amount: string; places: string }

/** An optional fee as it is being edited: what people type, before it is checked. */
export type FeeDraft = {
  kind: Kind
  name: string
  component_type: string
  collector_code: string
  rhythm: Rhythm
  periods: PeriodDraft[]
  due_date: string
  prorating: Prorating
  rounded_to_rupees: boolean
  takes_concessions: boolean
  options: OptionDraft[]
}

const NO_OPTION: OptionDraft = { name: '', stop: '', amount: '', places: '' }

export function newDraft(year: number): FeeDraft {
  return {
    kind: 'transport',
    name: 'School bus',
    component_type: 'TRANSPORT_FEE',
    collector_code: '',
    rhythm: 'month',
    periods: monthsOf(`${year}-06-01`, `${year + 1}-03-31`, 10),
    due_date: '',
    prorating: 'days',
    rounded_to_rupees: true,
    takes_concessions: false,
    options: [NO_OPTION],
  }
}

export function toDraft(fee: OptionalFeeAnswer): FeeDraft {
  return {
    kind: fee.kind,
    name: fee.name,
    component_type: fee.component_type,
    collector_code: fee.collector_code ?? '',
    rhythm: fee.rhythm,
    periods: fee.periods,
    due_date: fee.due_date ?? '',
    prorating: fee.prorating,
    rounded_to_rupees: fee.rounded_to_rupees,
    takes_concessions: fee.takes_concessions,
    options: fee.options.map(one => ({
      option_id: one.option_id,
      name: one.name,
      stop: one.stop ?? '',
      amount: String(one.amount),
      places: one.places === undefined ? '' : String(one.places),
    })),
  }
}

const later = (day: string): string =>
  day === '' ? '' : `${Number(day.slice(0, 4)) + 1}${day.slice(4).replace('-02-29', '-02-28')}`

/** The same for the year after: days are a year later, and options are new ones of the same names. */
export function nextYearOf(fee: OptionalFeeAnswer): FeeDraft {
  const draft = toDraft(fee)
  return {
    ...draft,
    due_date: later(draft.due_date),
    periods: draft.periods.map(({ name, first_day, last_day, due_date }) => {
      return { name, first_day: later(first_day), last_day: later(last_day), due_date: later(due_date) }
    }),
    options: draft.options.map(({ option_id: _old, ...one }) => one),
  }
}

const MONTH = new Intl.DateTimeFormat('en-IN', { month: 'long', timeZone: 'UTC' })

/** A period for each calendar month between two days. */
export function monthsOf(first: string, last: string, dueDay: number): PeriodDraft[] {
  const periods: PeriodDraft[] = []
  const at = new Date(`${first.slice(0, 7)}-01T00:00:00Z`)
  while (at.toISOString().slice(0, 10) <= last && periods.length < 12) {
    const month = at.toISOString().slice(0, 7)
    const end = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).toISOString().slice(0, 10)
    periods.push({
      name: MONTH.format(at),
      first_day: periods.length === 0 ? first : `${month}-01`,
      last_day: end > last ? last : end,
      due_date: `${month}-${String(dueDay).padStart(2, '0')}`,
    })
    at.setUTCMonth(at.getUTCMonth() + 1)
  }
  return periods
}

export function toSent(draft: FeeDraft, year: number) {
  const isOnce = draft.rhythm === 'once'
  return {
    ...draft,
    academic_year_start: year,
    academic_year_end: year + 1,
    collector_code: draft.collector_code || undefined,
    component_type: draft.component_type.trim(),
    periods: isOnce ? [] : draft.periods,
    due_date: isOnce && draft.due_date !== '' ? draft.due_date : undefined,
    options: draft.options.map(({ option_id, name, stop, amount, places }) => ({
      ...(option_id === undefined ? {} : { option_id }),
      name,
      ...(stop.trim() === '' ? {} : { stop }),
      amount: plainAmount(amount),
      ...(places.trim() === '' ? {} : { places: Number(places) }),
    })),
  }
}
export type SentFee = ReturnType<typeof toSent>
