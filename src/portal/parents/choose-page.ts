import type { DueLine, Dues } from '../../dues/dues.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { formatRupees, minPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { readTypedRupees } from '../../platform/typed/amount.rules.ts'
import { fill, type Language } from '../../platform/languages.ts'
import { pathOfStudent } from '../sign-in/sign-in.rules.ts'
import { feeName } from '../../messages/texts/texts.ts'
import { localDay } from '../plan/page-parts.ts'
import type { ParentsTexts } from '../texts/texts.ts'
import { askedOf, classOf, isAutomatic, type Child } from './children.ts'
import { chosenOf, proposedOf } from '../../dues/allocation.rules.ts'
import { addDays } from '../../platform/calendar.ts'

export const PAY = '/parents/pay'

/** The page on which fees are picked, of one child or of all. */
export function addressOf(only: string | null): string {
  return only === null ? PAY : `${pathOfStudent(only)}/choose`
}

/** Everything the page depends on on which a parent picks fees of one or all children; describing it is pure. */
type ChoosePageData = {
  institute: Institute
  children: readonly Payable[]
  choice: Choice
  /** The child whose page it was opened from. */
  only: string | null
  problem: { kind: ChoiceProblem; child?: Payable } | null
  language: Language
}

export function describeChoose(
  pageData: ChoosePageData,
  texts: ParentsTexts,
): { title: string; data: Record<string, unknown> } {
  const { institute, children, choice, only } = pageData
  const { choose: t } = texts
  const chosenInAll = totalPaise(children, choice)
  const hasAccounts = new Set(children.map(child => child.accountId)).size > 1
  const data = {
    heading: t.heading,
    say: children.length === 0 ? t.nothing : t.say,
    oneAfterOther: hasAccounts ? t.accounts : undefined,
    terms: termLinks(pageData, texts),
    children: children.map(child => ({
      name: child.dues.context.student.fullname,
      about: classOf(child.dues, institute, texts),
      boxes: boxGroupsOf(child, pageData, texts),
      sum: fill(t.sum, { amount: formatRupees(chosenPaise(child, choice)) }),
    })),
    total: fill(t.total, { amount: formatRupees(chosenInAll) }),
    sum: chosenInAll,
    button: chosenInAll > 0 ? fill(texts.student.payAll, { amount: formatRupees(chosenInAll) }) : t.button,
    only,
    problem: problemText(pageData, texts),
    action: PAY,
  }
  return { title: fill(t.title, { where: institute.name }), data }
}

function boxGroupsOf(child: Payable, { choice, institute, language }: ChoosePageData, texts: ParentsTexts) {
  const { studentId, dues } = child
  const { choose: t } = texts
  const chosen = choice.get(studentId) ?? []
  if (!dues.partPayment.isAllowed)
    return [
      {
        value: boxOf(studentId, ALL_FEES),
        label: t.all,
        hints: [fill(texts.student.wholeOnly, { where: institute.name })],
        amount: formatRupees(dues.totalPaise),
        paise: dues.totalPaise,
        late: undefined,
        isChosen: chosen.length > 0,
      },
    ]
  return dues.lines
    .filter(line => line.owedPaise > 0)
    .map(line => ({
      value: boxOf(studentId, line.componentType),
      label: feeName(line.componentType, language),
      hints: hintsOf(line, child, language, texts),
      amount: formatRupees(line.owedPaise),
      paise: line.owedPaise,
      late: lateFeeOf(line, child),
      isChosen: chosen.includes(line.componentType),
    }))
}

function hintsOf(line: DueLine, child: Payable, language: Language, texts: ParentsTexts): string[] {
  const { student: t } = texts
  const late = lateFeeOf(line, child)
  const day = line.dueOn === null ? null : localDay(line.dueOn, language)
  return [
    ...(day === null ? [] : [fill(line.isLate ? t.wasDue : t.dueBy, { day })]),
    ...(late === undefined ? [] : [fill(texts.choose.lateFee, { amount: formatRupees(late.amountPaise) })]),
  ]
}

function lateFeeOf({ lateRuleId }: DueLine, { dues }: Payable) {
  return dues.lateFees.find(fee => fee.ruleId === lateRuleId && fee.amountPaise > 0)
}

const MOST_TERMS = 6

/** Each ticks all that is due by its day; the last everything. They are links, which need no script. */
function termLinks({ children, only, language }: ChoosePageData, { choose: t }: ParentsTexts) {
  const terms = termsOf(children)
  if (children.length === 0 || terms.length === 0) return []
  const urlOf = (until: string): string => `${addressOf(only)}?until=${until}`
  return [
    ...terms.slice(0, MOST_TERMS).map(({ until, isOverdue }) => ({
      url: urlOf(until),
      text: isOverdue ? t.overdue : fill(t.dueBy, { day: localDay(until, language) }),
    })),
    { url: urlOf('9999-12-31'), text: t.everything },
  ]
}

function problemText(
  { problem, institute, children, choice }: ChoosePageData,
  { choose: t, problems }: ParentsTexts,
): string | undefined {
  if (problem === null) return undefined
  const { kind, child } = problem
  if (kind === 'none') return t.none
  if (kind === 'accounts') return t.accounts
  if (kind === 'sum') return fill(t.otherSum, { amount: formatRupees(totalPaise(children, choice)) })
  const totalOfChild = child?.dues.totalPaise
  const least =
    child === undefined ? undefined : minPaise(child.dues.partPayment.leastPaise, child.dues.totalPaise)
  const words = fill(problems[kind], {
    where: institute.name,
    most: totalOfChild === undefined ? '' : formatRupees(totalOfChild),
    least: least === undefined ? '' : formatRupees(least),
  })
  return child === undefined ? words : `${child.dues.context.student.fullname}: ${words}`
}

/** A child whose fees can be paid now, and the account that its branch's money goes to. */
export type Payable = { studentId: string; dues: Dues; accountId: string }

/** Components that the parent picked, by student. */
export type Choice = ReadonlyMap<string, readonly string[]>

/** Everything of a child, where the school takes fees in one sum only. */
export const ALL_FEES = '*'

/** Null when nothing of the child is to be paid by hand, or a payment of it is pending at the bank. */
export function payableOf(child: Child, accountId: string | null): Payable | null {
  const left = askedOf(child)
  const isWaiting = child.onTheWay.some(payment => !isAutomatic(payment))
  if (accountId === null || isWaiting || left.totalPaise === 0) return null
  return { studentId: left.context.student.id, dues: left, accountId }
}

/** A box of the form: `student_…:TUITION_FEE`. */
export function boxOf(studentId: string, componentType: string): string {
  return `${studentId}:${componentType}`
}

/** All that are ticked. */
export function boxesOf(choice: Choice): string[] {
  return [...choice].flatMap(([studentId, types]) => types.map(type => boxOf(studentId, type)))
}

/** The same in an address, where none is one too. */
export function queryOf(boxes: readonly string[]): string {
  return new URLSearchParams(boxes.length === 0 ? { fee: '' } : boxes.map(box => ['fee', box])).toString()
}

/** The boxes that were ticked; those of children who are not among these are kept, for the caller to refuse. */
export function readBoxes(boxes: readonly string[], children: readonly Payable[]): Choice {
  const choice = new Map<string, string[]>()
  for (const box of boxes) {
    const at = box.indexOf(':')
    const studentId = at < 0 ? box : box.slice(0, at)
    const componentType = at < 0 ? '' : box.slice(at + 1)
    const child = children.find(one => one.studentId === studentId)
    const types =
      componentType === ALL_FEES ? (child?.dues.lines ?? []).map(line => line.componentType) : [componentType]
    choice.set(studentId, [...(choice.get(studentId) ?? []), ...types])
  }
  return choice
}

/**
 * The fees that are ticked at first (`proposedOf`): what is overdue of any child, and only where nothing is what each pays next. None of
 * children whose money goes to another account than the first's.
 */
export function proposedFor(children: readonly Payable[], until: string | undefined): Choice {
  const [first] = children
  const own = children.filter(child => child.accountId === first?.accountId)
  const isOverdue = own.some(({ dues }) => dues.lines.some(line => line.isLate))
  const overdueUntil = first !== undefined && isOverdue ? addDays(first.dues.today, -1) : undefined
  return new Map(
    own.flatMap(({ studentId, dues }) => {
      const types = proposedOf(dues.lines, dues.today, until ?? overdueUntil)
      const isWhole = dues.partPayment.isAllowed || until !== undefined
      const all = dues.lines.map(line => line.componentType)
      return types.length === 0 ? [] : [[studentId, isWhole ? types : all] as const]
    }),
  )
}

/** What the ticked fees of a child come to, late fees included. */
function chosenPaise({ studentId, dues }: Payable, choice: Choice): Paise {
  const types = choice.get(studentId) ?? []
  const isDue = dues.lines.some(line => line.owedPaise > 0 && types.includes(line.componentType))
  return isDue ? chosenOf(dues, types).totalPaise : ZERO
}

export function totalPaise(children: readonly Payable[], choice: Choice): Paise {
  return sumPaise(children.map(child => chosenPaise(child, choice)))
}

type ChoiceProblem = 'none' | 'accounts' | 'changed' | 'whole' | 'tooLittle' | 'sum'

/** Why this cannot be paid at once; null when it can. */
export function problemOf(
  children: readonly Payable[],
  choice: Choice,
): { kind: ChoiceProblem; child?: Payable } | null {
  const chosen = children.filter(child => choice.has(child.studentId))
  if (chosen.length === 0) return { kind: choice.size === 0 ? 'none' : 'changed' }
  if (chosen.length < choice.size) return { kind: 'changed' }
  if (new Set(chosen.map(child => child.accountId)).size > 1) return { kind: 'accounts' }
  for (const child of chosen) {
    const { partPayment, totalPaise: whole } = child.dues
    const amount = chosenPaise(child, choice)
    if (amount === 0) return { kind: 'changed' }
    if (amount < whole && !partPayment.isAllowed) return { kind: 'whole', child }
    if (amount < minPaise(partPayment.leastPaise, whole)) return { kind: 'tooLittle', child }
  }
  return null
}

/** The last day of each term that is owed: what is overdue is one, however many days it was due on. */
function termsOf(children: readonly Payable[]): { until: string; isOverdue: boolean }[] {
  const open = children.flatMap(({ dues }) =>
    dues.lines.flatMap(line =>
      line.owedPaise > line.plannedPaise && line.dueOn !== null
        ? [{ on: line.dueOn, today: dues.today }]
        : [],
    ),
  )
  const days = [...new Set(open.map(one => one.on))].toSorted()
  const today = open[0]?.today ?? ''
  const overdue = days.findLast(day => day < today)
  return [
    ...(overdue === undefined ? [] : [{ until: overdue, isOverdue: true }]),
    ...days.filter(day => day >= today).map(until => ({ until, isOverdue: false })),
  ]
}

/** Reads the amount of a part payment as the parent typed it. */
export type PayProblem = 'amount' | 'tooMuch' | 'tooLittle' | 'whole' | 'nothingDue' | 'changed'

type AmountDecision = { kind: 'pay'; amountPaise: Paise } | { kind: 'problem'; problem: PayProblem }

export function decideAmount(
  text: string,
  due: { totalPaise: Paise; partPayment: { isAllowed: boolean; leastPaise: Paise } },
): AmountDecision {
  const { totalPaise, partPayment } = due
  const amountPaise = readTypedRupees(text)
  if (totalPaise === 0) return problem('nothingDue')
  if (amountPaise === null || amountPaise === 0) return problem('amount')
  if (amountPaise > totalPaise) return problem('tooMuch')
  if (amountPaise < totalPaise && !partPayment.isAllowed) return problem('whole')
  if (amountPaise < minPaise(partPayment.leastPaise, totalPaise)) return problem('tooLittle')
  return { kind: 'pay', amountPaise }
}

function problem(kind: PayProblem): AmountDecision {
  return { kind: 'problem', problem: kind }
}
