import type { FieldProblem } from '../../platform/errors.ts'
import { paiseOf } from '../../platform/money.ts'
import { STANDARD_RULES, type FlexRules, type Rail, type RailRules } from '../rules/rails.rules.ts'

/** The figures of debiting as an operator reads and sets them: one name and one text each. */
export type Figures = Readonly<Record<string, string>>

type Figure<Rules> = {
  write(rules: Rules): string
  /** Null when the text is none. */
  read(text: string, rules: Rules): Rules | null
}

const RAILS: readonly Rail[] = ['upi_autopay', 'enach']

const OF_RAIL: Record<string, Figure<RailRules>> = {
  limit: {
    write: ({ limitPaise }) => String(limitPaise / 100),
    read: (text, rail) =>
      /^[1-9]\d{0,10}$/.test(text) ? { ...rail, limitPaise: paiseOf(Number(text) * 100) } : null,
  },
  windows: {
    write: ({ windows }) => windows.map(({ from, to }) => `${timeOf(from)}-${timeOf(to)}`).join(','),
    read(text, rail) {
      const windows = text.split(',').map(part => {
        const [from, to, ...more] = part.split('-').map(minuteOf)
        return from === undefined || to === undefined || more.length > 0
          ? { from: NaN, to: NaN }
          : { from, to }
      })
      const isRight = windows.every(({ from, to }, n) => from < to && from >= (windows[n - 1]?.to ?? 0))
      return isRight ? { ...rail, windows } : null
    },
  },
  present_at: {
    write: ({ presentAtMinute }) => timeOf(presentAtMinute),
    read(text, rail) {
      const minute = minuteOf(text)
      return Number.isNaN(minute) ? null : { ...rail, presentAtMinute: minute }
    },
  },
  presentations: whole('presentations', [1, 10]),
  days_between: whole('daysBetween', [0, 30]),
  first_debit_after: {
    write: ({ firstDebitAfter: wait }) => ('days' in wait ? `${wait.days}d` : `${wait.workingDays}wd`),
    read(text, rail) {
      const [, count, unit] = /^(\d{1,2})(wd|d)$/.exec(text) ?? []
      if (count === undefined) return null
      const firstDebitAfter = unit === 'd' ? { days: Number(count) } : { workingDays: Number(count) }
      return { ...rail, firstDebitAfter }
    },
  },
  result_working_days: whole('resultWorkingDays', [1, 30]),
}

const OF_ALL: Record<string, Figure<FlexRules>> = {
  fetch_from_minutes: whole('fetchFromMinutes', [1, 14_400]),
  fetch_until_minutes: whole('fetchUntilMinutes', [1, 14_400]),
  notice_minutes: whole('noticeMinutes', [1, 14_400]),
  notice_lasts_minutes: whole('noticeLastsMinutes', [1, 14_400]),
  closed_for_good_days: whole('closedForGoodDays', [1, 365]),
  on_holiday: {
    write: ({ onHoliday }) => onHoliday,
    read: (text, rules) => (text === 'next' || text === 'previous' ? { ...rules, onHoliday: text } : null),
  },
  'bank_returns.times': {
    write: ({ bankReturns }) => String(bankReturns.times),
    read: (text, rules) => withReturns(rules, { times: numberIn(text, [0, 20]) }),
  },
  'bank_returns.days': {
    write: ({ bankReturns }) => String(bankReturns.days),
    read: (text, rules) => withReturns(rules, { days: numberIn(text, [1, 60]) }),
  },
}

/** Keys are names; figures of the rails come first. */
const FIGURES = new Map<string, Figure<FlexRules>>([
  ...RAILS.flatMap(rail =>
    Object.entries(OF_RAIL).map(([name, figure]): [string, Figure<FlexRules>] => [
      `${rail}.${name}`,
      {
        write: rules => figure.write(rules.rails[rail]),
        read(text, rules) {
          const read = figure.read(text, rules.rails[rail])
          return read === null ? null : { ...rules, rails: { ...rules.rails, [rail]: read } }
        },
      },
    ]),
  ),
  ...Object.entries(OF_ALL),
])

export function figuresOf(rules: FlexRules): Figures {
  return Object.fromEntries([...FIGURES].map(([name, figure]) => [name, figure.write(rules)]))
}

/** The standard with these figures in their places; or what is wrong with them. */
export function rulesWith(figures: Figures): { rules: FlexRules; problems: FieldProblem[] } {
  const problems: FieldProblem[] = []
  let rules = STANDARD_RULES
  for (const [key, text] of Object.entries(figures)) {
    const figure = FIGURES.get(key)
    const read = figure?.read(text, rules) ?? null
    if (read !== null) rules = read
    else if (figure === undefined) problems.push({ key, message: 'is not a figure: see bursar flex rules' })
    else problems.push({ key, message: `cannot be ${text}; it is ${figure.write(rules)} now` })
  }
  return { rules, problems: problems.length > 0 ? problems : sense(rules) }
}

/** Figures that contradict each other would leave no moment for a debit. */
function sense(rules: FlexRules): FieldProblem[] {
  const problems: FieldProblem[] = []
  const { fetchFromMinutes, fetchUntilMinutes, noticeMinutes, noticeLastsMinutes } = rules
  if (!(fetchFromMinutes > fetchUntilMinutes && fetchUntilMinutes >= noticeMinutes)) {
    const message = 'must be longer before the debit than fetch_until_minutes, and that not after the notice'
    problems.push({ key: 'fetch_from_minutes', message })
  }
  if (noticeLastsMinutes <= noticeMinutes)
    problems.push({ key: 'notice_lasts_minutes', message: 'must be longer than notice_minutes' })
  for (const rail of RAILS) {
    const { windows, presentAtMinute: at } = rules.rails[rail]
    if (!windows.some(({ from, to }) => at >= from && at < to))
      problems.push({ key: `${rail}.present_at`, message: 'must lie in a window' })
  }
  return problems
}

type WholeNames<Rules> = { [Name in keyof Rules]: Rules[Name] extends number ? Name : never }[keyof Rules]

function whole<Rules>(name: WholeNames<Rules>, range: readonly [number, number]): Figure<Rules> {
  return {
    write: rules => String(rules[name]),
    read(text, rules) {
      const number = numberIn(text, range)
      return number === null ? null : { ...rules, [name]: number }
    },
  }
}

function numberIn(text: string, [least, most]: readonly [number, number]): number | null {
  if (!/^\d{1,6}$/.test(text)) return null
  const number = Number(text)
  return number >= least && number <= most ? number : null
}

function withReturns(
  rules: FlexRules,
  change: { times?: number | null; days?: number | null },
): FlexRules | null {
  const { times = rules.bankReturns.times, days = rules.bankReturns.days } = change
  return times === null || days === null ? null : { ...rules, bankReturns: { times, days } }
}

function timeOf(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map(part => String(part).padStart(2, '0')).join(':')
}

/** NaN when it is no time of the day; 24:00 is its end. */
function minuteOf(text: string): number {
  const [, hour, minute] = /^(\d\d):(\d\d)$/.exec(text) ?? []
  const at = Number(hour) * 60 + Number(minute)
  return Number(minute) < 60 && at <= 24 * 60 ? at : NaN
}
