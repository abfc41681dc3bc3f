import type { FastifyRequest } from 'fastify'
import { withoutClosed, withoutPlanned, withoutTaken } from '../dues/dues.rules.ts'
import { readDues, type Dues } from '../dues/dues.service.ts'
import { openDuesOrder } from '../dues/pay-dues.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { feeName } from '../messages/texts/texts.ts'
import type { PaymentContext } from '../payments/context.ts'
import { readClosed } from '../payments/parts/parts.service.ts'
import { takesPayments } from '../payments/start/start-payment.service.ts'
import { listOnTheWay, type OnTheWay } from '../payments/student-payments.service.ts'
import { BursarError } from '../platform/errors.ts'
import { fill, formatDayIn, type Language } from '../platform/languages.ts'
import { formatRupees, minPaise, type Paise, paiseOf, subtractPaise, sumPaise } from '../platform/money.ts'
import { formField, formFields } from './layout.ts'
import { decideAmount, type PayProblem } from './parents/choose-page.ts'
import { textsIn } from './texts/texts.ts'

/** What is due for a child today and how it is paid: for whoever holds a code of the child's, or has named it. */
export type FeesSheet = {
  owed: Dues
  /** What is to be paid by hand today, and can be paid online. */
  due: Dues
  /** What of it cannot. */
  closedPaise: Paise
  left: Dues
  onTheWay: readonly OnTheWay[]
  /** Whether the branch has an account that payments go to. */
  mayPay: boolean
}

export type SheetProblem = { kind: PayProblem | 'none' | 'busy'; wrote: string }

/** Sheets of the students that are known, in the order of the ids. */
export async function readSheets(
  ctx: PaymentContext,
  institute: Institute,
  studentIds: readonly string[],
): Promise<FeesSheet[]> {
  const keys = studentIds.map(studentId => ({ instituteId: institute.id, studentId }))
  const [dues, onTheWay] = await Promise.all([
    readDues(ctx, keys),
    listOnTheWay(ctx.db, institute.id, studentIds),
  ])
  const known = studentIds.flatMap(id => dues.get(id) ?? [])
  const branches = known.map(({ context }) => context.student.collectorCode)
  const isClosed = await readClosed(ctx, institute.id, branches)
  return Promise.all(
    known.map(async owed => {
      const { id, collectorCode } = owed.context.student
      const own = onTheWay.filter(one => one.studentId === id)
      const left = withoutTaken(owed, own)
      const mayPay = await takesPayments(ctx, { instituteId: institute.id, collectorCode })
      const byHand = withoutPlanned(left)
      const due = withoutClosed(byHand, type => isClosed(collectorCode, type))
      const closedPaise = subtractPaise(byHand.totalPaise, due.totalPaise)
      return { owed, left, due, closedPaise, onTheWay: own, mayPay }
    }),
  )
}

/** Opens an order for all, for the fees that were ticked or for a part, or says what is wrong with what was sent. */
export async function paySheet(
  ctx: PaymentContext,
  institute: Institute,
  { owed, due }: FeesSheet,
  { request, callbackUrl }: { request: FastifyRequest; callbackUrl: string | null },
): Promise<{ orderId: string } | { problem: SheetProblem }> {
  const act = formField(request, 'act') ?? 'all'
  const wrote = act === 'part' ? (formField(request, 'amount') ?? '') : ''
  const amount = act === 'part' ? decideAmount(wrote, due) : null
  if (amount?.kind === 'problem') return { problem: { kind: amount.problem, wrote } }
  const fees = act === 'fees' ? formFields(request, 'fee') : null
  if (fees?.length === 0) return { problem: { kind: 'none', wrote } }
  const sum = formField(request, 'sum') ?? ''
  try {
    return await openDuesOrder(
      ctx,
      { institute, studentId: owed.context.student.id },
      {
        amountPaise: amount?.amountPaise ?? null,
        componentTypes: fees,
        shownPaise: act === 'all' && /^\d{1,15}$/.test(sum) ? paiseOf(Number(sum)) : null,
        callbackUrl,
        isByHand: true,
      },
    )
  } catch (error) {
    if (!(error instanceof BursarError)) throw error
    if (error.code === 'HUE00002') return { problem: { kind: 'busy', wrote } }
    if (error.code !== 'HUE00000') throw error
    return { problem: { kind: 'changed', wrote } }
  }
}

/** `action`: where its forms go. */
export function describeSheet(
  { owed, due, closedPaise, left, onTheWay, mayPay }: FeesSheet,
  {
    institute,
    action,
    problem,
    language,
  }: { institute: Institute; action: string; problem: SheetProblem | null; language: Language },
): Record<string, unknown> {
  const texts = textsIn(language).printedCode
  const isBusy = problem?.kind === 'busy'
  const isDue = due.totalPaise > 0
  const amount = formatRupees(due.totalPaise)
  const plannedPaise = subtractPaise(left.totalPaise, sumPaise([due.totalPaise, closedPaise]))
  const onTheWayPaise = sumPaise(onTheWay.map(one => one.amountPaise))
  const dayText = (day: string): string =>
    fill(day < owed.today ? texts.overdueSince : texts.dueOn, { day: formatDayIn(day, language) })
  const lines = [
    ...due.lines.map(line => ({
      label: feeName(line.componentType, language),
      day: line.dueOn,
      paise: line.owedPaise,
    })),
    ...due.lateFees.map(fee => ({ label: feeName('LATE_FEE', language), day: null, paise: fee.amountPaise })),
  ]
  return {
    total: isDue ? amount : null,
    says: [
      ...(isDue || closedPaise > 0 ? [] : [texts.nothing]),
      ...(isBusy ? [texts.busy] : []),
      ...((isDue && !mayPay) || closedPaise > 0 ? [texts.away] : []),
      ...(onTheWayPaise > 0 ? [fill(texts.onTheWay, { amount: formatRupees(onTheWayPaise) })] : []),
      ...(plannedPaise > 0 ? [fill(texts.planned, { amount: formatRupees(plannedPaise) })] : []),
    ],
    lines: lines
      .filter(line => line.paise > 0)
      .map(({ label, day, paise }) => ({
        label,
        note: day === null ? undefined : dayText(day),
        isLate: day !== null && day < owed.today,
        amount: formatRupees(paise),
      })),
    form:
      isDue && mayPay && !isBusy
        ? {
            action,
            sum: due.totalPaise,
            button: fill(texts.pay, { amount }),
            next: texts.next,
            ...partsOf(due, { institute, language }),
            ...problemOf(problem, due, { institute, language }),
          }
        : null,
  }
}

type Shown = { institute: Institute; language: Language }

/** The parts in which it may be paid, where the school takes parts. */
function partsOf(due: Dues, { institute, language }: Shown): Record<string, unknown> {
  const { student: t, choose } = textsIn(language).parents
  const { partPayment, totalPaise, allocation } = due
  const leastPaise = minPaise(partPayment.leastPaise, totalPaise)
  if (!partPayment.isAllowed) return { wholeOnly: fill(t.wholeOnly, { where: institute.name }) }
  if (leastPaise >= totalPaise) return {}
  const open = due.lines.filter(line => line.owedPaise > 0)
  const lateOf = (ruleId: string | null) =>
    due.lateFees.find(fee => fee.ruleId === ruleId && fee.amountPaise > 0)?.amountPaise
  return {
    fees:
      open.length < 2
        ? null
        : {
            summary: t.choose,
            say: choose.next,
            button: choose.button,
            boxes: open.map(({ componentType, owedPaise, lateRuleId }) => {
              const late = lateOf(lateRuleId)
              return {
                value: componentType,
                label: feeName(componentType, language),
                hint: late === undefined ? undefined : fill(choose.lateFee, { amount: formatRupees(late) }),
                amount: formatRupees(owedPaise),
              }
            }),
          },
    part: {
      summary: t.payPart,
      label: t.partLabel,
      hint: fill(t.partHint, { least: formatRupees(leastPaise), most: formatRupees(totalPaise) }),
      rule: t.allocation[allocation],
      button: t.partButton,
    },
  }
}

function problemOf(
  problem: SheetProblem | null,
  { totalPaise, partPayment }: Dues,
  { institute, language }: Shown,
): Record<string, unknown> {
  if (problem === null || problem.kind === 'busy') return { wrote: '' }
  const { problems, choose } = textsIn(language).parents
  if (problem.kind === 'none') return { wrote: '', feesProblem: choose.none }
  const text = fill(problems[problem.kind], {
    where: institute.name,
    most: formatRupees(totalPaise),
    least: formatRupees(minPaise(partPayment.leastPaise, totalPaise)),
  })
  return problem.kind === 'changed' || !partPayment.isAllowed
    ? { wrote: '', problem: text }
    : { wrote: problem.wrote, partProblem: text }
}
