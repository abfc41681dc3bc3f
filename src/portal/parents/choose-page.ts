import type { DueLine } from '../../dues/dues.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { formatRupees, minPaise } from '../../platform/money.ts'
import { fill, type Language } from '../../platform/languages.ts'
import { pathOfStudent } from '../entry/entry.rules.ts'
import { feeName } from '../../messages/words.ts'
import { localDay } from '../plan/setup/page-parts.ts'
import type { ParentsTexts } from '../texts/texts.ts'
import { classOf } from './child-parts.ts'
import {
  ALL_FEES,
  boxOf,
  chosenPaise,
  termsOf,
  totalPaise,
  type Choice,
  type ChoiceProblem,
  type Payable,
} from './choice.ts'

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
  const hasAccounts = new Set(children.map(child => child.accountId)).size > 1
  const data = {
    heading: t.heading,
    say: children.length === 0 ? t.nothing : t.say,
    oneAfterOther: hasAccounts ? t.accounts : undefined,
    terms: termLinks(pageData, texts),
    children: children.map(child => ({
      name: child.dues.context.student.fullname,
      about: classOf(child.dues, institute, texts),
      boxes: boxesOf(child, pageData, texts),
      sum: fill(t.sum, { amount: formatRupees(chosenPaise(child, choice)) }),
    })),
    total: fill(t.total, { amount: formatRupees(totalPaise(children, choice)) }),
    only,
    problem: problemText(pageData, texts),
    action: PAY,
  }
  return { title: fill(t.title, { where: institute.name }), data }
}

function boxesOf(child: Payable, { choice, institute, language }: ChoosePageData, texts: ParentsTexts) {
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
      isChosen: chosen.includes(line.componentType),
    }))
}

function hintsOf(line: DueLine, { dues }: Payable, language: Language, texts: ParentsTexts): string[] {
  const { student: t } = texts
  const late = dues.lateFees.find(fee => fee.ruleId === line.lateRuleId && fee.amountPaise > 0)
  const day = line.dueOn === null ? null : localDay(line.dueOn, language)
  const isPlanned = line.plannedPaise >= line.owedPaise
  return [
    ...(isPlanned
      ? [t.byInstalments]
      : day === null
        ? []
        : [fill(line.isLate ? t.wasDue : t.dueBy, { day })]),
    ...(late === undefined ? [] : [fill(texts.choose.lateFee, { amount: formatRupees(late.amountPaise) })]),
  ]
}

const MOST_TERMS = 6

/** Each ticks all that is due by its day; the last everything. They are links, since the page has no script. */
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
  { problem, institute }: ChoosePageData,
  { choose: t, problems }: ParentsTexts,
): string | undefined {
  if (problem === null) return undefined
  const { kind, child } = problem
  if (kind === 'none') return t.none
  if (kind === 'accounts') return t.accounts
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
