import type { DueLine, Dues } from '../../dues/dues.service.ts'
import { shareFor, type LinkScope, linesOf } from '../../dues/due-links.rules.ts'
import { timingOf, withoutTaken } from '../../dues/dues.rules.ts'
import type { OpenVirtualAccount } from '../../dues/virtual-accounts/virtual-accounts.service.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { OnTheWay, StudentPayment } from '../../payments/student-payments.service.ts'
import { formatRupees, minPaise, type Paise, subtractPaise, sumPaise, ZERO } from '../../platform/money.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { yearName } from '../../students/students.rules.ts'
import type { CarriedDues } from '../../students/users/users.service.ts'
import {
  askedOf,
  classOf,
  isAutomatic,
  onTheWayPaise,
  timingLines,
  transferOf,
  waitingOf,
  type Child,
} from './children.ts'
import { pathOfStudent } from '../sign-in/sign-in.rules.ts'
import { localDay } from '../plan/page-parts.ts'
import { PAY, proposedFor, totalPaise, type Payable, type PayProblem } from './choose-page.ts'
import { fill, plural, type Language } from '../../platform/languages.ts'
import { type ParentsTexts, textsIn } from '../texts/texts.ts'
import { feeName } from '../../messages/texts/texts.ts'

/** Everything a child's page depends on; describing it is pure. */
export type StudentPageData = {
  institute: Institute
  dues: Dues
  plan: LoadedPlan | null
  onTheWay: readonly OnTheWay[]
  carried: readonly CarriedDues[]
  /** Whether what is owed of a component cannot be paid online. */
  isClosed: Child['isClosed']
  /** The same child's records of other academic years: shown beside this one, never added to it. */
  otherYears: readonly Child[]
  takesPayments: boolean
  /** The payment that the parent has just made. */
  received: StudentPayment | null
  hasLoans: boolean
  /** The number that its family can transfer to; null when it has none. */
  account: OpenVirtualAccount | null
  /** The rejected input of a submitted form. */
  problem: { kind: PayProblem; wrote: string } | null
  language: Language
}

export function describeStudent(
  pageData: StudentPageData,
  texts: ParentsTexts,
): { title: string; data: Record<string, unknown> } {
  const { institute, language } = pageData
  const { dues } = pageData
  const left = withoutTaken(dues, pageData.onTheWay)
  const asked = askedOf(pageData)
  const pay = payOf(pageData, asked, texts)
  const { student } = dues.context
  const who = student.fullname
  const where = institute.name
  const isOnPlan = pageData.plan?.plan.state === 'active' || pageData.plan?.plan.state === 'setup'
  const hasAdvance = dues.advancePaise > 0
  const data = {
    heading: fill(texts.student.heading, { who }),
    about: classOf(dues, institute, texts),
    received: receivedOf(pageData, left, texts),
    amount: formatRupees(dues.totalPaise),
    meaning: dues.totalPaise > 0 ? texts.student.totalOfYear : undefined,
    timing: timingLines(pageData, texts, language),
    marks: marksOf(pageData, texts),
    says: [
      ...(student.status === 'dropped' ? [fill(texts.student.leftSay, { where, who })] : []),
      ...(dues.totalPaise === 0 && pageData.onTheWay.length === 0 ? [texts.student.nothingDue] : []),
      ...(isOnPlan && left.totalPaise > 0 ? [texts.student.planSay] : []),
    ],
    waiting: waitingOf(pageData.onTheWay, { institute, texts, language }),
    lines: dues.lines
      .filter(line => line.feePaise > 0 || line.paidPaise > 0)
      .map(line => lineOf(line, pageData, texts)),
    lateFees: lateFeesOf(dues, language, texts),
    total: formatRupees(dues.totalPaise),
    advance: hasAdvance ? advanceOf(pageData, left, texts) : null,
    pay,
    ...problemOf(pageData, { left: asked, hasParts: (pay?.part ?? null) !== null }, texts),
    transfer: transferOf(pageData.account, { who, school: where }, texts),
    away: pageData.takesPayments || left.totalPaise === 0 ? undefined : textsIn(language).checkout.awaySay,
    otherYears: pageData.otherYears.map(child => cardOf(child, institute, texts, language)),
    links: linksOf(pageData, texts),
  }
  return { title: fill(texts.student.title, { who, where }), data }
}

/** The message after a payment: the amount, its receipt, and what is left by when. */
function receivedOf({ received, language }: StudentPageData, dues: Dues, texts: ParentsTexts) {
  if (received === null) return null
  const { student: t, history } = texts
  const left = formatRupees(dues.totalPaise)
  const { overduePaise, nextDue } = timingOf(dues)
  const by = overduePaise > 0 || nextDue === null ? null : localDay(nextDue.on, language)
  return {
    heading: fill(t.received, { amount: formatRupees(received.amountPaise) }),
    left:
      dues.totalPaise === 0
        ? t.nothingLeft
        : by === null
          ? fill(t.left, { amount: left })
          : fill(t.leftBy, { amount: left, due: formatRupees(nextDue?.amountPaise ?? ZERO), day: by }),
    receipt:
      received.receipt === null
        ? null
        : {
            url: `/parents/history/${received.orderId}`,
            text: fill(history.receipt, { number: receiptNumber(received.receipt) }),
          },
  }
}

/** Offered where it can pay something that is open; otherwise the school decides. */
function advanceOf({ institute }: StudentPageData, left: Dues, { student: t }: ParentsTexts) {
  const amount = formatRupees(left.advancePaise)
  const usable = minPaise(left.advancePaise, left.totalPaise)
  if (usable === 0) return { say: fill(t.advanceSay, { amount, where: institute.name }), form: null }
  return {
    say: fill(t.advanceOpen, { amount }),
    form: {
      action: `${pathOfStudent(left.context.student.id)}/advance`,
      button: fill(t.advanceUse, { amount: formatRupees(usable) }),
    },
  }
}

/** Price, concessions, payments and due date, so that parents can see how the amount comes about. */
function lineOf(
  line: DueLine,
  { language, carried, isClosed }: StudentPageData,
  { student: t }: ParentsTexts,
) {
  const went = carried.filter(one => one.componentType === line.componentType)
  const paid = subtractPaise(line.paidPaise, sumPaise(went.map(one => one.amountPaise)))
  const isSettled = line.owedPaise === 0
  const isPaid = isSettled && went.length === 0
  const hasParts = line.discounts.length > 0 || line.paidPaise > 0
  const day = line.dueOn === null ? null : localDay(line.dueOn, language)
  return {
    label: feeName(line.componentType, language),
    parts: [
      ...(hasParts ? [fill(t.fee, { amount: formatRupees(line.feePaise) })] : []),
      ...line.discounts.map(({ discountType, valuePaise }) =>
        fill(t.off, { what: feeName(discountType, language), amount: formatRupees(valuePaise) }),
      ),
      ...(paid > 0 ? [fill(t.paid, { amount: formatRupees(paid) })] : []),
      ...(!isSettled && isClosed(line.componentType) ? [t.notOnline] : []),
      ...went.map(one =>
        fill(t.carried, {
          amount: formatRupees(one.amountPaise),
          year: yearName(one.yearStart, one.yearEnd),
        }),
      ),
    ],
    note: isPaid ? t.allPaid : isSettled ? undefined : dueNote(line, day, t),
    tone: isPaid ? 'paid' : line.isLate ? 'failed' : undefined,
    amount: formatRupees(line.owedPaise),
  }
}

/** A fee that a plan takes in its own time shows no due day. */
function dueNote(line: DueLine, day: string | null, t: ParentsTexts['student']): string | undefined {
  if (line.plannedPaise >= line.owedPaise) return t.byInstalments
  return day === null ? undefined : fill(line.isLate ? t.wasDue : t.dueBy, { day })
}

function lateFeesOf({ lateFees }: Dues, language: Language, { student: t }: ParentsTexts) {
  return lateFees.map(fee => {
    const what = fee.componentType === null ? t.lateAll : feeName(fee.componentType, language)
    const why = fill(plural(t.lateWhy, fee.daysLate, language), {
      what,
      day: localDay(fee.dueOn, language),
      days: String(fee.daysLate),
    })
    const letOff = fee.waivedPaise > 0 ? [fill(t.letOff, { amount: formatRupees(fee.waivedPaise) })] : []
    return { label: t.lateFee, parts: [why, ...letOff], amount: formatRupees(fee.amountPaise) }
  })
}

/** No form while a payment is pending at the bank, to prevent double payments. */
function payOf(pageData: StudentPageData, left: Dues, texts: ParentsTexts) {
  const isWaiting = pageData.onTheWay.some(payment => !isAutomatic(payment))
  if (isWaiting || left.totalPaise === 0 || !pageData.takesPayments) return null
  const { student: t } = texts
  const { partPayment, totalPaise: wholePaise } = left
  const where = pageData.institute.name
  const most = formatRupees(wholePaise)
  const least = formatRupees(minPaise(partPayment.leastPaise, wholePaise))
  const hasParts = partPayment.isAllowed && partPayment.leastPaise < wholePaise
  const { action, main } = payFirst({ dues: left }, texts, pageData.language)
  return {
    action,
    main,
    all: main.sum === wholePaise ? null : buttonOf(t.payEverything, wholePaise),
    part: hasParts ? { hint: fill(t.partHint, { least, most }), rule: t.allocation[left.allocation] } : null,
    choose:
      hasParts && left.lines.filter(line => line.owedPaise > 0).length > 1
        ? { url: `${pathOfStudent(left.context.student.id)}/choose`, text: t.choose }
        : null,
    wholeOnly: partPayment.isAllowed ? undefined : fill(t.wholeOnly, { where }),
    wrote: pageData.problem?.wrote ?? '',
  }
}

/** The one button of a page, on the child's own and where only one child has something to pay. */
function payFirst({ dues }: Pick<Payable, 'dues'>, texts: ParentsTexts, language: Language) {
  const action = `${pathOfStudent(dues.context.student.id)}/pay`
  return { action, main: mainOffer(dues, texts, language) }
}

/** What a family pays first: what is overdue, else what falls due next, else all. The checkout asks for the same sum. */
function mainOffer(left: Dues, { student: t }: ParentsTexts, language: Language) {
  const { overduePaise, nextDue } = timingOf(left)
  const first: { asked: string; by: LinkScope; duePaise: Paise; text: string } | null =
    overduePaise > 0
      ? { asked: 'overdue', by: { scope: 'overdue' }, duePaise: overduePaise, text: t.payOverdue }
      : nextDue && {
          asked: nextDue.on,
          by: { scope: 'due_by', until: nextDue.on },
          duePaise: nextDue.amountPaise,
          text: t.payDueBy,
        }
  const share = first && shareFor(left, first.by).share
  if (first === null || share === null) return { asked: null, ...buttonOf(t.payAll, left.totalPaise) }
  const sum = sumPaise(linesOf(share).map(line => line.amountPaise))
  // Where the school takes no parts as small as this, the rest stands in it too.
  const text = sum === first.duePaise ? first.text : t.payAll
  const day = nextDue === null ? '' : localDay(nextDue.on, language)
  return { asked: first.asked, ...buttonOf(text, sum, day) }
}

function buttonOf(text: string, sum: Paise, day = ''): { text: string; sum: Paise } {
  return { text: fill(text, { amount: formatRupees(sum), day }), sum }
}

/** Beside the field for a part of it, unless it is about another button. */
function problemOf(
  { problem, institute }: StudentPageData,
  { left, hasParts }: { left: Dues; hasParts: boolean },
  texts: ParentsTexts,
) {
  if (problem === null) return {}
  const { partPayment, totalPaise: wholePaise } = left
  const text = fill(texts.problems[problem.kind], {
    where: institute.name,
    most: formatRupees(wholePaise),
    least: formatRupees(minPaise(partPayment.leastPaise, wholePaise)),
  })
  return hasParts && problem.kind !== 'changed' ? { partProblem: text } : { problem: text }
}

function linksOf(
  { dues, plan, onTheWay, hasLoans }: StudentPageData,
  { links }: ParentsTexts,
): { url: string; text: string }[] {
  const { student } = dues.context
  const path = pathOfStudent(student.id)
  const isLive = plan !== null && plan.plan.state !== 'cancelled' && plan.plan.state !== 'draft'
  // A plan takes all that is owed, so none is begun while a part of that is on the way.
  const canStart = student.status === 'active' && dues.owedPaise > 0 && onTheWay.length === 0
  return [
    ...(isLive || canStart ? [{ url: `${path}/plan`, text: isLive ? links.planOn : links.plan }] : []),
    ...(hasLoans ? [{ url: `${path}/cred`, text: links.loan }] : []),
    { url: '/parents/history', text: links.history },
  ]
}

type HomePageData = {
  institute: Institute
  children: readonly Child[]
  /** The children whose fees can be paid now. */
  payable: readonly Payable[]
  language: Language
}

/** A parent's children and what is due for each. */
export function describeHome(
  { institute, children, payable, language }: HomePageData,
  texts: ParentsTexts,
): { title: string; data: Record<string, unknown> } {
  const { home } = texts
  const [only, ...others] = payable
  const total = sumPaise(children.map(({ dues }) => dues.totalPaise))
  const data = {
    heading: home.heading,
    amount: children.length > 1 ? formatRupees(total) : undefined,
    meaning: home.dueInAll,
    timing: familyTiming(children, texts),
    nobody: children.length === 0 ? fill(home.nobody, { where: institute.name }) : undefined,
    children: children.map(child => cardOf(child, institute, texts, language)),
    together: payable.length > 1 ? togetherOf(payable, texts) : null,
    pay: only !== undefined && others.length === 0 ? payFirst(only, texts, language) : null,
  }
  return { title: fill(home.title, { where: institute.name }), data }
}

/** What of the family's sum is overdue, and what is on the way. */
function familyTiming(children: readonly Child[], { timing: t }: ParentsTexts) {
  const overdue = sumPaise(children.map(({ dues }) => timingOf(dues).overduePaise))
  const coming = onTheWayPaise(children)
  return [
    ...(overdue > 0 ? [{ text: fill(t.overdue, { amount: formatRupees(overdue) }), tone: 'failed' }] : []),
    ...(coming > 0 ? [{ text: fill(t.onTheWay, { amount: formatRupees(coming) }), tone: 'paid' }] : []),
  ]
}

/** Leads to where fees are chosen, with the sum of those that are ticked there at first. */
function togetherOf(payable: readonly Payable[], { home }: ParentsTexts) {
  const amount = formatRupees(totalPaise(payable, proposedFor(payable, undefined)))
  return { url: PAY, text: fill(home.together, { amount }) }
}

function cardOf(child: Child, institute: Institute, texts: ParentsTexts, language: Language) {
  const { dues } = child
  const { student } = dues.context
  return {
    url: pathOfStudent(student.id),
    name: student.fullname,
    about: classOf(dues, institute, texts),
    due:
      dues.totalPaise === 0
        ? texts.home.nothingDue
        : fill(texts.home.due, { amount: formatRupees(dues.totalPaise) }),
    timing: timingLines(child, texts, language),
    isDue: dues.totalPaise > 0,
    marks: marksOf(child, texts),
  }
}

function marksOf(
  { dues, plan, carried }: Omit<Child, 'onTheWay'>,
  { marks }: ParentsTexts,
): { text: string; tone: string }[] {
  const isOnPlan = plan?.plan.state === 'active' || plan?.plan.state === 'setup'
  return [
    ...(dues.context.student.status === 'dropped' ? [{ text: marks.left, tone: 'cancelled' }] : []),
    ...(isOnPlan ? [{ text: marks.instalments, tone: 'paid' }] : []),
    ...[...new Set(carried.map(one => yearName(one.yearStart, one.yearEnd)))].map(year => ({
      text: fill(marks.carried, { year }),
      tone: 'unpaid',
    })),
  ]
}
