import type { DueLine, Dues } from '../../dues/dues.service.ts'
import { timingOf, withoutPlanned, withoutTaken } from '../../dues/dues.rules.ts'
import type { OpenVirtualAccount } from '../../dues/virtual-accounts/virtual-accounts.service.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { OnTheWay, StudentPayment } from '../../payments/student-payments.service.ts'
import { formatRupees, minPaise, subtractPaise, sumPaise, ZERO } from '../../platform/money.ts'
import { receiptNumber } from '../../receipts/receipts.rules.ts'
import { yearName } from '../../students/students.rules.ts'
import type { CarriedDues } from '../../students/users/users.service.ts'
import { classOf, isAutomatic, timingLines, waitingOf, type Child } from './children.ts'
import { pathOfStudent } from '../sign-in/sign-in.rules.ts'
import { localDay } from '../plan/page-parts.ts'
import type { PayProblem } from './choose-page.ts'
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
  // What comes by itself is deducted from what is due; a pending checkout payment is listed separately.
  const dues = withoutTaken(pageData.dues, pageData.onTheWay.filter(isAutomatic))
  const byHand = withoutPlanned(dues)
  const { student } = dues.context
  const who = student.fullname
  const where = institute.name
  const isOnPlan = pageData.plan?.plan.state === 'active' || pageData.plan?.plan.state === 'setup'
  const hasAdvance = dues.advancePaise > 0
  const data = {
    heading: fill(texts.student.heading, { who }),
    about: classOf(dues, institute, texts),
    received: receivedOf(pageData, texts),
    amount: formatRupees(dues.totalPaise),
    meaning: dues.totalPaise > 0 ? texts.student.totalOfYear : undefined,
    timing: timingLines(dues, texts, language),
    marks: marksOf(pageData, texts),
    says: [
      ...(student.status === 'dropped' ? [fill(texts.student.leftSay, { where, who })] : []),
      ...(dues.totalPaise === 0 && pageData.onTheWay.length === 0 ? [texts.student.nothingDue] : []),
      ...(isOnPlan && dues.totalPaise > 0 ? [texts.student.planSay] : []),
      ...takenOf(pageData, dues, texts),
    ],
    waiting: waitingOf(pageData.onTheWay, { institute, texts, language }),
    lines: pageData.dues.lines
      .filter(line => line.feePaise > 0 || line.paidPaise > 0)
      .map(line => lineOf(line, pageData, texts)),
    lateFees: lateFeesOf(pageData.dues, language, texts),
    total: formatRupees(pageData.dues.totalPaise),
    advance: hasAdvance ? advanceOf(pageData, dues, texts) : null,
    pay: payOf(pageData, byHand, texts),
    problem: problemText(pageData, byHand, texts),
    transfer: transferOf(pageData, texts),
    away: pageData.takesPayments || dues.totalPaise === 0 ? undefined : textsIn(language).checkout.awaySay,
    otherYears: pageData.otherYears.map(child => cardOf(child, institute, texts, language)),
    links: linksOf(pageData, texts),
  }
  return { title: fill(texts.student.title, { who, where }), data }
}

/** The message after a payment: the amount, its receipt, and what is left by when. */
function receivedOf({ received, dues, language }: StudentPageData, texts: ParentsTexts) {
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
function advanceOf({ institute, onTheWay }: StudentPageData, left: Dues, { student: t }: ParentsTexts) {
  const amount = formatRupees(left.advancePaise)
  const usable = minPaise(left.advancePaise, withoutTaken(left, onTheWay).totalPaise)
  if (usable === 0) return { say: fill(t.advanceSay, { amount, where: institute.name }), form: null }
  return {
    say: fill(t.advanceOpen, { amount }),
    form: {
      action: `${pathOfStudent(left.context.student.id)}/advance`,
      button: fill(t.advanceUse, { amount: formatRupees(usable) }),
    },
  }
}

function transferOf({ account, dues }: StudentPageData, { student: { transfer: t } }: ParentsTexts) {
  if (account?.state !== 'active') return null
  return {
    heading: t.heading,
    say: fill(t.say, { who: dues.context.student.fullname }),
    facts: [
      { label: t.accountNumber, value: account.accountNumber },
      { label: t.ifsc, value: account.ifsc },
      ...(account.upiId === null ? [] : [{ label: t.upiId, value: account.upiId }]),
    ],
  }
}

function takenOf(pageData: StudentPageData, left: Dues, texts: ParentsTexts): string[] {
  const taken = subtractPaise(pageData.dues.totalPaise, left.totalPaise)
  const isDebit = pageData.onTheWay.some(payment => payment.orderKind === 'instalment')
  return taken > 0 && isDebit ? [fill(texts.student.taken, { amount: formatRupees(taken) })] : []
}

/** Price, concessions, payments and due date, so that parents can see how the amount comes about. */
function lineOf(line: DueLine, { language, carried }: StudentPageData, { student: t }: ParentsTexts) {
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
  const { partPayment, totalPaise } = left
  const where = pageData.institute.name
  const most = formatRupees(totalPaise)
  const least = formatRupees(minPaise(partPayment.leastPaise, totalPaise))
  const hasParts = partPayment.isAllowed && partPayment.leastPaise < totalPaise
  return {
    action: `${pathOfStudent(left.context.student.id)}/pay`,
    all: fill(t.payAll, { amount: most }),
    part: hasParts ? { hint: fill(t.partHint, { least, most }), rule: t.allocation[left.allocation] } : null,
    choose:
      hasParts && left.lines.filter(line => line.owedPaise > 0).length > 1
        ? { url: `${pathOfStudent(left.context.student.id)}/choose`, text: t.choose }
        : null,
    wholeOnly: partPayment.isAllowed ? undefined : fill(t.wholeOnly, { where }),
    wrote: pageData.problem?.wrote ?? '',
    problem:
      pageData.problem === null
        ? undefined
        : fill(texts.problems[pageData.problem.kind], { where, most, least }),
  }
}

function problemText(
  { problem, institute }: StudentPageData,
  left: Dues,
  texts: ParentsTexts,
): string | undefined {
  if (problem === null) return undefined
  const { partPayment, totalPaise } = left
  return fill(texts.problems[problem.kind], {
    where: institute.name,
    most: formatRupees(totalPaise),
    least: formatRupees(minPaise(partPayment.leastPaise, totalPaise)),
  })
}

function linksOf(
  { dues, plan, hasLoans }: StudentPageData,
  { links }: ParentsTexts,
): { url: string; text: string }[] {
  const { student } = dues.context
  const path = pathOfStudent(student.id)
  const isLive = plan !== null && plan.plan.state !== 'cancelled' && plan.plan.state !== 'draft'
  const canStart = student.status === 'active' && dues.owedPaise > 0
  return [
    ...(isLive || canStart ? [{ url: `${path}/plan`, text: isLive ? links.planOn : links.plan }] : []),
    ...(hasLoans ? [{ url: `${path}/cred`, text: links.loan }] : []),
    { url: '/parents/history', text: links.history },
  ]
}

/** A parent's children and what is due for each. */
export function describeHome(
  { institute, children, language }: { institute: Institute; children: readonly Child[]; language: Language },
  texts: ParentsTexts,
): { title: string; data: Record<string, unknown> } {
  const { home } = texts
  const total = sumPaise(children.map(({ dues }) => dues.totalPaise))
  const data = {
    heading: home.heading,
    amount: children.length > 1 ? formatRupees(total) : undefined,
    meaning: home.dueInAll,
    nobody: children.length === 0 ? fill(home.nobody, { where: institute.name }) : undefined,
    children: children.map(child => cardOf(child, institute, texts, language)),
    together: children.filter(isPayable).length > 1 ? { url: '/parents/pay', text: home.together } : null,
  }
  return { title: fill(home.title, { where: institute.name }), data }
}

/** Instalments take theirs by themselves, and of a payment that is on its way only its end is worth waiting for. */
function isPayable({ dues, onTheWay }: Child): boolean {
  return withoutPlanned(withoutTaken(dues, onTheWay)).totalPaise > 0 && onTheWay.every(isAutomatic)
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
    timing: [...timingLines(dues, texts, language), ...onTheWayLine(child, texts)],
    isDue: dues.totalPaise > 0,
    marks: marksOf(child, texts),
  }
}

/** Tells what is on its way, so that nobody pays it again. */
function onTheWayLine({ onTheWay }: Child, { timing }: ParentsTexts): { text: string; tone: string }[] {
  const sum = sumPaise(onTheWay.map(one => one.amountPaise))
  return sum === 0 ? [] : [{ text: fill(timing.onTheWay, { amount: formatRupees(sum) }), tone: 'paid' }]
}

function marksOf(
  { dues, plan, onTheWay, carried }: Child,
  { marks }: ParentsTexts,
): { text: string; tone: string }[] {
  const isOnPlan = plan?.plan.state === 'active' || plan?.plan.state === 'setup'
  const isWaiting = onTheWay.some(payment => !isAutomatic(payment))
  return [
    ...(dues.context.student.status === 'dropped' ? [{ text: marks.left, tone: 'cancelled' }] : []),
    ...(isWaiting ? [{ text: marks.onTheWay, tone: 'unpaid' }] : []),
    ...(isOnPlan ? [{ text: marks.instalments, tone: 'paid' }] : []),
    ...[...new Set(carried.map(one => yearName(one.yearStart, one.yearEnd)))].map(year => ({
      text: fill(marks.carried, { year }),
      tone: 'unpaid',
    })),
  ]
}
