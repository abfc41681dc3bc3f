import { dayAfter, daysBetween } from '../../platform/calendar.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import { paiseOf, subtractPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { nameKey } from '../../platform/names.ts'
import { componentOf, type Year } from '../structures/structure.rules.ts'

export const OPTIONAL_KINDS = ['transport', 'hostel', 'meals', 'club', 'fine', 'deposit', 'other'] as const
type OptionalKind = (typeof OPTIONAL_KINDS)[number]

/** How often it is charged; `once`: when a child gets it, whole. */
export const RHYTHMS = ['once', 'month', 'term', 'year'] as const

/**
 * What a child pays that begins or ends within a period: by days; by calendar months, where one that has begun counts
 * whole; or all of it.
 */
export const PRORATINGS = ['days', 'months', 'none'] as const

/** What an amount is for; a day belongs to at most one. */
export type Period = { name: string; firstDay: string; lastDay: string; dueOn: string }

export type Option = {
  id: string
  /** A route, a kind of room, a club. */
  name: string
  stop: string | null
  /** What a period costs; where the fee is charged once, all of it. */
  amountPaise: Paise
  /** How many can have options of this name, so all its stops say the same; null: as many as come. */
  places: number | null
}

/** A fee that a child pays because it was chosen, beside those of its class, for one academic year. */
export type OptionalFee = Year & {
  id: string
  /** Null: children of every branch. */
  collectorCode: string | null
  kind: OptionalKind
  name: string
  componentType: string
  rhythm: (typeof RHYTHMS)[number]
  /** None of a fee that is charged once. */
  periods: readonly Period[]
  /** When a fee that is charged once is due; null: at no day. */
  dueOn: string | null
  prorating: (typeof PRORATINGS)[number]
  /** Parts are rounded to whole rupees; otherwise to paise. */
  isRoundedToRupees: boolean
  /** Concessions by rule in per cent, and by hand. */
  takesConcessions: boolean
  options: readonly Option[]
}

/** One option for a time: days are both within it. One that was taken back ends before it begins. */
export type Share = { firstDay: string; lastDay: string; amountPaise: Paise }

/** The components that it is charged as, with their due days. */
export function componentsOf(
  fee: Pick<OptionalFee, 'componentType' | 'periods' | 'dueOn'>,
): { componentType: string; dueOn: string | null }[] {
  if (fee.periods.length === 0) return [{ componentType: fee.componentType, dueOn: fee.dueOn }]
  return fee.periods.map(({ dueOn }, index) => ({ componentType: codeOf(fee, index), dueOn }))
}

/** As the terms of a structure are part of its components. */
function codeOf({ componentType, periods }: Pick<OptionalFee, 'componentType' | 'periods'>, index: number) {
  return componentOf({ terms: periods }, componentType, index + 1)
}

type Charged = Pick<OptionalFee, 'componentType' | 'periods' | 'prorating' | 'isRoundedToRupees'>

/** Says what a child pays for its shares of this fee, by component. Shares of different days do not overlap. */
export function chargerOf(fee: Charged): (shares: readonly Share[]) => Map<string, Paise> {
  const periods = fee.periods.map((period, index) => {
    return { componentType: codeOf(fee, index), units: unitsOf(period, fee.prorating) }
  })
  return shares => {
    const standing = shares
      .filter(share => share.firstDay <= share.lastDay)
      .toSorted((one, other) => one.firstDay.localeCompare(other.firstDay))
    if (periods.length === 0)
      return new Map([[fee.componentType, sumPaise(standing.map(share => share.amountPaise))]])
    return new Map(periods.map(({ componentType, units }) => [componentType, chargeOf(fee, units, standing)]))
  }
}

/**
 * Every part is the difference of two rounded sums that run from the beginning of the period, so that parts of one
 * amount add up to it, wherever they are split.
 */
function chargeOf({ isRoundedToRupees }: Charged, units: readonly Unit[], shares: readonly Share[]): Paise {
  const stepPaise = isRoundedToRupees ? 100 : 1
  const upTo = (amount: Paise, count: number): number =>
    Math.round((amount * count) / (units.length * stepPaise)) * stepPaise
  let taken = 0
  const parts = shares.map(({ firstDay, lastDay, amountPaise }) => {
    const isHeld = (unit: Unit): boolean => unit.firstDay <= lastDay && unit.lastDay >= firstDay
    // A unit belongs to the share that holds it first.
    const begin = Math.max(taken, units.findIndex(isHeld))
    const end = units.findLastIndex(isHeld) + 1
    if (end <= begin) return ZERO
    taken = end
    return paiseOf(upTo(amountPaise, end) - upTo(amountPaise, begin))
  })
  return sumPaise(parts)
}

type Unit = { firstDay: string; lastDay: string }

/** What a period is divided into: its days, its calendar months, or nothing. */
function unitsOf({ firstDay, lastDay }: Period, prorating: OptionalFee['prorating']): Unit[] {
  if (prorating === 'none') return [{ firstDay, lastDay }]
  const units: Unit[] = []
  for (let day = firstDay; day <= lastDay; day = dayAfter(day)) {
    const last = units.at(-1)
    if (prorating === 'months' && last?.firstDay.slice(0, 7) === day.slice(0, 7)) last.lastDay = day
    else units.push({ firstDay: day, lastDay: day })
  }
  return units
}

/** The first and the last day that it can be had; null: any. */
export function spanOf({ periods }: Pick<OptionalFee, 'periods'>): Unit | null {
  const [first, last] = [periods[0], periods.at(-1)]
  return first === undefined || last === undefined
    ? null
    : { firstDay: first.firstDay, lastDay: last.lastDay }
}

const LONGEST_CODE = 64
const LONGEST_PERIOD_DAYS = 400

/** What is wrong with a fee as sent, by field. */
export function optionalFeeProblems(fee: Omit<OptionalFee, 'id'>): FieldProblem[] {
  return [...periodProblems(fee), ...optionProblems(fee)]
}

function periodProblems({
  kind,
  componentType,
  rhythm,
  periods,
  dueOn,
}: Omit<OptionalFee, 'id'>): FieldProblem[] {
  if ((kind === 'fine' || kind === 'deposit') && rhythm !== 'once')
    return [{ key: 'rhythm', message: 'must be once for a fine or a deposit' }]
  if (dueOn !== null && rhythm !== 'once')
    return [{ key: 'due_date', message: 'stands in each period where there are periods' }]
  if (rhythm === 'once')
    return periods.length === 0 ? [] : [{ key: 'periods', message: 'are for fees that are not charged once' }]
  if (periods.length === 0) return [{ key: 'periods', message: 'are needed: what is an amount for?' }]
  if (rhythm === 'year' && periods.length > 1)
    return [{ key: 'periods', message: 'are one for a fee of the whole year' }]
  const codes = periods.map((_, index) => codeOf({ componentType, periods }, index))
  return periods.flatMap(({ firstDay, lastDay }, index) => {
    const at = (field: string, message: string): FieldProblem => ({
      key: `periods.${index}.${field}`,
      message,
    })
    const before = periods[index - 1]
    return [
      ...(before !== undefined && firstDay <= before.lastDay
        ? [at('first_day', 'must be after the period before')]
        : []),
      ...(lastDay < firstDay || daysBetween(firstDay, lastDay) > LONGEST_PERIOD_DAYS
        ? [at('last_day', 'must be on or after the first day, within a year')]
        : []),
      ...(codes.indexOf(codes[index] ?? '') === index ? [] : [at('name', 'stands twice')]),
      ...((codes[index] ?? '').length > LONGEST_CODE
        ? [at('name', 'is too long together with the fee')]
        : []),
    ]
  })
}

function optionProblems({ options, isRoundedToRupees }: Omit<OptionalFee, 'id'>): FieldProblem[] {
  const keys = options.map(({ name, stop }) => `${nameKey(name)}\n${nameKey(stop ?? '')}`)
  return options.flatMap(({ name, amountPaise, places }, index) => {
    const at = (field: string, message: string): FieldProblem => ({
      key: `options.${index}.${field}`,
      message,
    })
    const first = options.find(one => nameKey(one.name) === nameKey(name))
    return [
      ...(keys.indexOf(keys[index] ?? '') === index ? [] : [at('name', 'stands twice')]),
      ...(isRoundedToRupees && amountPaise % 100 !== 0
        ? [at('amount', 'must be whole rupees where parts are rounded to rupees')]
        : []),
      ...(first?.places === places ? [] : [at('places', `must be the same for all of ${name}`)]),
    ]
  })
}

/** What children who have it pay by; it stays as it is while there are any. */
export function isChargedAlike(one: OptionalFee, other: Omit<OptionalFee, 'id'>): boolean {
  const basis = ({
    collectorCode,
    kind,
    componentType,
    rhythm,
    periods,
    dueOn,
    prorating,
    isRoundedToRupees,
    takesConcessions,
  }: Omit<OptionalFee, 'id'>): string =>
    JSON.stringify([
      collectorCode,
      kind,
      componentType,
      rhythm,
      periods.map(({ name, firstDay, lastDay, dueOn: on }) => [name, firstDay, lastDay, on]),
      dueOn,
      prorating,
      isRoundedToRupees,
      takesConcessions,
    ])
  return basis(one) === basis(other)
}

/** Such as Route 4, Gandhi Chowk. */
export function optionName({ name, stop }: Pick<Option, 'name' | 'stop'>): string {
  return stop === null ? name : `${name}, ${stop}`
}

/** The fee after what was charged by earlier choices became what is charged now; by hand it may have been lowered since. */
export function feeAfter(
  fee: Paise,
  { chargedPaise, wantedPaise }: { chargedPaise: Paise; wantedPaise: Paise },
) {
  return paiseOf(Math.max(subtractPaise(paiseOf(fee + wantedPaise), chargedPaise), 0))
}
