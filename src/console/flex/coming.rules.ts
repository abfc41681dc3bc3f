import { paiseOf, ZERO, type Paise } from '../../platform/money.ts'
import { OBSTACLE_TEXTS, OBSTACLES, type Obstacle } from './flex.texts.ts'

type RailName = 'enach' | 'upi_autopay'
type Kind = Exclude<Obstacle, 'bank_holiday' | 'above_limit'> | 'announced' | 'clear'

/** So many instalments of one day and rail that the same can be said of; no day when it is past. */
export type ComingPart = {
  day: string | null
  rail: RailName | null
  kind: Kind
  count: number
  amountPaise: Paise
  aboveLimit: number
  abovePaise: Paise
}

export type Sum = { count: number; amountPaise: Paise }
export type InTheWay = Sum & { kind: Obstacle; title: string; text: string }

/** What is presented on one day by one rail, if nothing else comes in between. */
type Run = {
  rail: RailName
  askedFrom: Date
  toldBy: Date
  presentedAt: Date
  /** Told already; the amount is frozen. */
  announced: Sum
  /** The ERP is still to be asked, and may change the amount. */
  toAsk: Sum
}

type ComingDay = { day: string; isWorkingDay: boolean; runs: Run[]; inTheWay: InTheWay[] }

export type ComingDebits = {
  days: ComingDay[]
  /** Past its day. */
  waiting: InTheWay[]
}

type Calendar = {
  days: readonly string[]
  isWorkingDay(day: string): boolean
  momentsOf(day: string, rail: RailName): Pick<Run, 'askedFrom' | 'toldBy' | 'presentedAt'>
}

/** Working days, and others that something was planned for. */
export function comingOf(parts: readonly ComingPart[], calendar: Calendar): ComingDebits {
  const days = calendar.days.flatMap(day => {
    const ofDay = parts.filter(part => part.day === day)
    const isWorkingDay = calendar.isWorkingDay(day)
    if (!isWorkingDay && ofDay.length === 0) return []
    return [comingDay(day, ofDay, { ...calendar, isOpen: isWorkingDay })]
  })
  return { days, waiting: obstaclesOf(parts.filter(part => part.day === null)) }
}

function comingDay(
  day: string,
  parts: readonly ComingPart[],
  { momentsOf, isOpen }: Pick<Calendar, 'momentsOf'> & { isOpen: boolean },
): ComingDay {
  if (!isOpen) {
    const moved = parts.filter(isGoing).map(part => ({ ...part, kind: 'bank_holiday' as const }))
    const others = parts.filter(part => !isGoing(part))
    return { day, isWorkingDay: false, runs: [], inTheWay: [...sumUp(moved), ...obstaclesOf(others)] }
  }
  const going = parts.filter(isGoing)
  const rails = (['enach', 'upi_autopay'] as const).filter(rail => going.some(part => part.rail === rail))
  const runs = rails.map(rail => {
    const ofRail = going.filter(part => part.rail === rail)
    return {
      rail,
      ...momentsOf(day, rail),
      announced: sumOf(ofRail.filter(({ kind }) => kind === 'announced')),
      toAsk: sumOf(ofRail.filter(({ kind }) => kind !== 'announced')),
    }
  })
  return { day, isWorkingDay: true, runs, inTheWay: obstaclesOf(parts) }
}

/** Will be presented as things are; an ERP that is away now may answer yet. */
function isGoing({ kind }: ComingPart): boolean {
  return kind === 'announced' || kind === 'clear' || kind === 'erp_away'
}

function obstaclesOf(parts: readonly ComingPart[]): InTheWay[] {
  const named = parts.flatMap(part =>
    part.kind === 'announced' || part.kind === 'clear' ? [] : [{ ...part, kind: part.kind }],
  )
  const above = parts
    .filter(part => isGoing(part) && part.aboveLimit > 0)
    .map(part => ({ kind: 'above_limit' as const, count: part.aboveLimit, amountPaise: part.abovePaise }))
  return sumUp([...named, ...above])
}

function sumUp(some: readonly (Sum & { kind: Obstacle })[]): InTheWay[] {
  return OBSTACLES.flatMap(kind => {
    const sum = sumOf(some.filter(one => one.kind === kind))
    return sum.count === 0 ? [] : [{ kind, ...OBSTACLE_TEXTS[kind], ...sum }]
  })
}

function sumOf(some: readonly Sum[]): Sum {
  return some.reduce<Sum>(
    (total, { count, amountPaise }) => ({
      count: total.count + count,
      amountPaise: paiseOf(total.amountPaise + amountPaise),
    }),
    { count: 0, amountPaise: ZERO },
  )
}
