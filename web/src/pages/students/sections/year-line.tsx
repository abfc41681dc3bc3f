import { useElementSize } from '@mantine/hooks'
import { useSession } from '../../../api/session.ts'
import { Chart, type Series, type Tone } from '../../../ui/chart/chart.tsx'
import { formatRupees, formatShortRupees, sumRupees } from '../../../ui/money.tsx'
import { formatDay, yearName } from '../../../ui/when.tsx'
import { dayInIndia } from '../texts.ts'
import { usePayments, usePlans, type Student } from '../use-student.ts'
import { givenBack, paidRows, type Happened } from './payments.tsx'
import { comingDebits } from './plan.tsx'

type Mark = {
  day: string
  amount: number
  what: string
  tone: Tone
  /** Beside the mark, where that is not all of it. */
  short?: string
}

const SERIES: readonly Series[] = [
  { label: 'Due, paid', tone: 'good' },
  { label: 'Due, not paid yet', tone: 'rest' },
  { label: 'Overdue', tone: 'waiting' },
  { label: 'Paid', tone: 'ink' },
  { label: 'Given back', tone: 'plain' },
]

/** A school year on one line: above it what fell due on which day, below it what was paid, and given back. */
export function YearLine({ student }: { student: Student }) {
  const payments = usePayments(student.service_student_id)
  const today = dayInIndia(useSession()?.now)
  const { academic_year_start: start, academic_year_end: end } = student
  const first = `${start}-04-01`
  const last = `${end > start ? end : start + 1}-03-31`
  const isOfYear = ({ day }: Mark): boolean => day >= first && day <= last
  const plans = usePlans(student.service_student_id)
  const due = [...dueMarks(student), ...debitMarks(comingDebits(plans.data))].filter(isOfYear)
  const paid = byDay(payments.data && paidRows(payments.data), 1, 'ink').filter(isOfYear)
  const back = byDay(payments.data && givenBack(payments.data), -1, 'plain').filter(isOfYear)
  if (due.length === 0) return null
  const marks = [...due, ...paid, ...back]
  return (
    <Chart
      title={`Due and paid in ${yearName(start, end)}`}
      series={SERIES.filter(({ tone }) => marks.some(mark => mark.tone === tone))}
      table={() => <Table marks={marks} />}
    >
      <Line first={first} last={last} today={today} due={due} paid={paid} back={back} />
    </Chart>
  )
}

/** Fees of one day are one mark; it is late as long as any of them is. What a plan will take stands on the days of its debits. */
function dueMarks({ dues: { components } }: Student): Mark[] {
  const days = Map.groupBy(
    components.filter(one => one.due_date !== undefined && one.fee_amount > one.discount_amount),
    one => one.due_date ?? '',
  )
  return [...days].map(([day, fees]) => {
    const amount = sumRupees(fees.map(one => one.fee_amount - one.discount_amount))
    const byPlan = sumRupees(fees.map(one => one.instalments_amount))
    const owed = sumRupees([...fees.map(one => one.outstanding_amount), -byPlan])
    if (owed === 0) {
      const what = byPlan > 0 ? `Due, ${formatRupees(byPlan)} of it by instalments` : 'Due, paid'
      return { day, amount, what, tone: byPlan > 0 ? 'rest' : 'good' }
    }
    const isLate = fees.some(one => one.is_late)
    return {
      day,
      amount,
      what: `${isLate ? 'Overdue' : 'Due'}, ${formatRupees(owed)} left`,
      tone: isLate ? 'waiting' : 'rest',
      ...(owed < amount ? { short: `${formatShortRupees(owed)} left` } : {}),
    }
  })
}

function debitMarks(debits: ReturnType<typeof comingDebits>): Mark[] {
  return debits.map(({ present_on: day, amount }) => ({
    day,
    amount,
    what: 'Instalment to be debited',
    tone: 'rest',
  }))
}

/** What came in, or went back, on one day is one mark. */
function byDay(rows: readonly Happened[] | undefined, sign: 1 | -1, tone: Tone): Mark[] {
  return [...Map.groupBy(rows ?? [], ({ at }) => dayInIndia(at))].map(([day, own]) => ({
    day,
    amount: sign * sumRupees(own.map(({ amount }) => amount)),
    what: [...new Set(own.map(({ how }) => how))].join('; '),
    tone,
  }))
}

const HEIGHT = 140
const MIDDLE = 70
const ROW = 44
const SIDE = 26
const ROOM_FOR_TEXT = 58
const ROOM_FOR_LEFT = 84
const DAY_MS = 86_400_000
const MONTHS = ['Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec', 'Jan', 'Feb', 'Mar']

function Line({
  first,
  last,
  today,
  due,
  paid,
  back,
}: {
  first: string
  last: string
  today: string
  due: readonly Mark[]
  paid: readonly Mark[]
  back: readonly Mark[]
}) {
  const { ref, width } = useElementSize()
  const height = HEIGHT + (back.length > 0 ? ROW : 0)
  const begin = Date.parse(first)
  const whole = Date.parse(last) - begin + DAY_MS
  const at = (day: string): number =>
    SIDE + ((Date.parse(day) - begin) / whole) * Math.max(width - 2 * SIDE, 0)
  const year = Number(first.slice(0, 4))
  const months = MONTHS.map((name, no) => ({
    name,
    day: new Date(Date.UTC(year, no + 3, 1)).toISOString().slice(0, 10),
  }))
  const isNarrow = width < 480
  return (
    <div ref={ref}>
      <svg width="100%" height={height} className="chart" aria-hidden>
        <rect
          x={at(first)}
          width={Math.max(at(last) - at(first), 0)}
          y={MIDDLE - 1}
          height={2}
          className="tone-rest"
        />
        {months.map(({ name, day }, no) => (
          <g key={name}>
            <line x1={at(day)} x2={at(day)} y1={MIDDLE - 4} y2={MIDDLE + 4} />
            {(!isNarrow || no % 3 === 0) && (
              <text x={at(day) + 2} y={height - 4}>
                {name}
              </text>
            )}
          </g>
        ))}
        {today >= first && today <= last && (
          <g>
            <line x1={at(today)} x2={at(today)} y1={16} y2={MIDDLE + 4} className="today" />
            <text x={at(today)} y={12} textAnchor="middle" className="name">
              Today
            </text>
          </g>
        )}
        <Marks marks={due} at={at} y={MIDDLE - 12} textY={MIDDLE - 26} line={at(today)} />
        <Marks marks={paid} at={at} y={MIDDLE + 12} textY={MIDDLE + 34} />
        <Marks marks={back} at={at} y={MIDDLE + 12 + ROW} textY={MIDDLE + 34 + ROW} />
      </svg>
    </div>
  )
}

function Marks({
  marks,
  at,
  y,
  textY,
  line,
}: {
  marks: readonly Mark[]
  at: (day: string) => number
  y: number
  textY: number
  /** Where a line crosses the texts: they stand on one side of it. */
  line?: number
}) {
  const inOrder = marks.toSorted((one, other) => one.day.localeCompare(other.day))
  let free = 0
  return inOrder.map(({ day, amount, what, tone, short }) => {
    const x = at(day)
    const room = short === undefined ? ROOM_FOR_TEXT : ROOM_FOR_LEFT
    const { left, anchor, textX } = placeOf(x, room, line)
    const hasText = left >= free
    if (hasText) free = left + room
    return (
      <g key={`${day} ${tone}`}>
        <circle cx={x} cy={y} r={7} className={`tone-${tone}`}>
          <title>{`${formatDay(day)}: ${formatRupees(amount)}. ${what}`}</title>
        </circle>
        {hasText && (
          <text x={textX} y={textY} textAnchor={anchor} className="name">
            {short ?? formatShortRupees(amount)}
          </text>
        )}
      </g>
    )
  })
}

function placeOf(x: number, room: number, line: number | undefined) {
  const isCrossed = line !== undefined && Math.abs(x - line) < room / 2
  if (!isCrossed) return { left: x - room / 2, anchor: 'middle' as const, textX: x }
  if (x < line) return { left: line - 6 - room, anchor: 'end' as const, textX: line - 6 }
  return { left: line + 6, anchor: 'start' as const, textX: line + 6 }
}

function Table({ marks }: { marks: readonly Mark[] }) {
  return (
    <table className="data-table">
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">What</th>
          <th scope="col" className="right">
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {marks
          .toSorted((one, other) => one.day.localeCompare(other.day))
          .map(({ day, what, amount, tone }) => (
            <tr key={`${day} ${tone}`}>
              <td className="nowrap">{formatDay(day)}</td>
              <td>{tone === 'ink' ? `Paid: ${what}` : tone === 'plain' ? `Given back: ${what}` : what}</td>
              <td className="right">{formatRupees(amount)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}
