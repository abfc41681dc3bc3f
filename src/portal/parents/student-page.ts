import type { DueLine, Dues } from '../../dues/dues.service.ts'
import { withoutTaken } from '../../dues/dues.rules.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { StudentPayment } from '../../payments/student-payments.service.ts'
import { formatRupees, minPaise, subtractPaise } from '../../platform/money.ts'
import { classOf, isByItself, waitingOf } from './child-parts.ts'
import { pathOfStudent } from '../entry/entry.rules.ts'
import { sayDay } from '../plan/setup-parts.ts'
import { marksOf } from './home-page.ts'
import type { PayProblem } from './pay-amount.rules.ts'
import type { ParentsWords } from './parents.texts.ts'
import { sayFee } from '../language.ts'
import { fill, WORDS, type Language } from '../checkout/checkout.texts.ts'

/** What the page of a child shows, decided without touching anything. */
export type StudentScene = {
  institute: Institute
  dues: Dues
  plan: LoadedPlan | null
  onTheWay: readonly StudentPayment[]
  takesPayments: boolean
  hasLoans: boolean
  /** Of a form that was sent: what was written, and what is wrong with it. */
  problem: { kind: PayProblem; wrote: string } | null
  language: Language
}

export function describeStudent(
  scene: StudentScene,
  words: ParentsWords,
): { title: string; data: Record<string, unknown> } {
  const { institute, language } = scene
  // A debit that is out is left out of what is to be paid; a payment at the checkout stands beside it, with its own words.
  const dues = withoutTaken(
    scene.dues,
    scene.onTheWay.filter(payment => payment.orderKind === 'instalment'),
  )
  const { student } = dues.context
  const who = student.fullname
  const where = institute.name
  const isOnPlan = scene.plan?.plan.state === 'active' || scene.plan?.plan.state === 'setup'
  const hasAdvance = dues.advancePaise > 0
  const data = {
    heading: fill(words.student.heading, { who }),
    about: classOf(dues, institute, words),
    amount: formatRupees(dues.totalPaise),
    meaning: dues.totalPaise > 0 ? words.student.dueNow : undefined,
    marks: marksOf(scene, words),
    says: [
      ...(student.status === 'dropped' ? [fill(words.student.leftSay, { where, who })] : []),
      ...(dues.totalPaise === 0 && scene.onTheWay.length === 0 ? [words.student.nothingDue] : []),
      ...(isOnPlan && dues.totalPaise > 0 ? [words.student.planSay] : []),
      ...takenOf(scene, dues, words),
    ],
    waiting: waitingOf(scene.onTheWay, { institute, words, language }),
    lines: scene.dues.lines
      .filter(line => line.feePaise > 0 || line.paidPaise > 0)
      .map(line => lineOf(line, scene, words)),
    lateFees: lateFeesOf(scene.dues, language, words),
    total: formatRupees(scene.dues.totalPaise),
    advance: hasAdvance
      ? fill(words.student.advanceSay, { amount: formatRupees(dues.advancePaise), where })
      : undefined,
    pay: payOf(scene, dues, words),
    problem: sayProblem(scene, dues, words),
    away: scene.takesPayments || dues.totalPaise === 0 ? undefined : WORDS[language].awaySay,
    links: linksOf(scene, words),
  }
  return { title: fill(words.student.title, { who, where }), data }
}

function takenOf(scene: StudentScene, left: Dues, words: ParentsWords): string[] {
  const taken = subtractPaise(scene.dues.totalPaise, left.totalPaise)
  const isDebit = scene.onTheWay.some(payment => payment.orderKind === 'instalment')
  return taken > 0 && isDebit ? [fill(words.student.taken, { amount: formatRupees(taken) })] : []
}

/** The price, what is taken off it, what is paid, by when: whoever asks why it is so much reads it here. */
function lineOf(line: DueLine, { language }: StudentScene, { student: t }: ParentsWords) {
  const isPaid = line.owedPaise === 0
  const hasParts = line.discounts.length > 0 || line.paidPaise > 0
  const day = line.dueOn === null ? null : sayDay(line.dueOn, language)
  return {
    label: sayFee(line.componentType, language),
    parts: [
      ...(hasParts ? [fill(t.fee, { amount: formatRupees(line.feePaise) })] : []),
      ...line.discounts.map(({ discountType, valuePaise }) =>
        fill(t.off, { what: sayFee(discountType, language), amount: formatRupees(valuePaise) }),
      ),
      ...(line.paidPaise > 0 ? [fill(t.paid, { amount: formatRupees(line.paidPaise) })] : []),
    ],
    note: isPaid ? t.allPaid : day === null ? undefined : fill(line.isLate ? t.wasDue : t.dueBy, { day }),
    tone: isPaid ? 'paid' : line.isLate ? 'failed' : undefined,
    amount: formatRupees(line.owedPaise),
  }
}

function lateFeesOf({ lateFees }: Dues, language: Language, { student: t }: ParentsWords) {
  return lateFees.map(fee => {
    const what = fee.componentType === null ? t.lateAll : sayFee(fee.componentType, language)
    const why = fill(fee.daysLate === 1 ? t.lateWhyOne : t.lateWhy, {
      what,
      day: sayDay(fee.dueOn, language),
      days: String(fee.daysLate),
    })
    const letOff = fee.waivedPaise > 0 ? [fill(t.letOff, { amount: formatRupees(fee.waivedPaise) })] : []
    return { label: t.lateFee, parts: [why, ...letOff], amount: formatRupees(fee.amountPaise) }
  })
}

/** None while a payment is at the bank: whoever pays again then has paid twice. */
function payOf(scene: StudentScene, left: Dues, words: ParentsWords) {
  const isWaiting = scene.onTheWay.some(payment => !isByItself(payment))
  if (isWaiting || left.totalPaise === 0 || !scene.takesPayments) return null
  const { student: t } = words
  const { partPayment, totalPaise } = left
  const where = scene.institute.name
  const most = formatRupees(totalPaise)
  const least = formatRupees(minPaise(partPayment.leastPaise, totalPaise))
  const hasParts = partPayment.isAllowed && partPayment.leastPaise < totalPaise
  return {
    action: `${pathOfStudent(left.context.student.id)}/pay`,
    all: fill(t.payAll, { amount: most }),
    part: hasParts ? { hint: fill(t.partHint, { least, most }), rule: t.allocation[left.allocation] } : null,
    wholeOnly: partPayment.isAllowed ? undefined : fill(t.wholeOnly, { where }),
    wrote: scene.problem?.wrote ?? '',
    problem:
      scene.problem === null ? undefined : fill(words.problems[scene.problem.kind], { where, most, least }),
  }
}

function sayProblem(
  { problem, institute }: StudentScene,
  left: Dues,
  words: ParentsWords,
): string | undefined {
  if (problem === null) return undefined
  const { partPayment, totalPaise } = left
  return fill(words.problems[problem.kind], {
    where: institute.name,
    most: formatRupees(totalPaise),
    least: formatRupees(minPaise(partPayment.leastPaise, totalPaise)),
  })
}

function linksOf(
  { dues, plan, hasLoans }: StudentScene,
  { links }: ParentsWords,
): { url: string; text: string }[] {
  const { student } = dues.context
  const path = pathOfStudent(student.id)
  const isLive = plan !== null && plan.plan.state !== 'cancelled' && plan.plan.state !== 'draft'
  const canStart = student.status === 'active' && dues.owedPaise > 0
  return [
    ...(isLive || canStart ? [{ url: `${path}/plan`, text: isLive ? links.planOn : links.plan }] : []),
    ...(hasLoans ? [{ url: `${path}/cred`, text: links.cred }] : []),
    { url: '/parents/history', text: links.history },
  ]
}
