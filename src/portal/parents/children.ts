import { readDues, type Dues } from '../../dues/dues.service.ts'
import { studentUpiLink } from '../../dues/virtual-accounts/student-upi.ts'
import type { OpenVirtualAccount } from '../../dues/virtual-accounts/virtual-accounts.service.ts'
import type { FlexContext } from '../../flex/context.ts'
import { readPlansOf } from '../../flex/plans/plans.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { listOnTheWay, type OnTheWay } from '../../payments/student-payments.service.ts'
import { listCarriedDues, type CarriedDues } from '../../students/users/users.service.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import { timingOf, withoutClosed, withoutPlanned, withoutTaken } from '../../dues/dues.rules.ts'
import { readClosed } from '../../payments/parts/parts.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { formatRupees, sumPaise, type Paise } from '../../platform/money.ts'
import { qrImage } from '../../providers/upi.ts'
import { yearName } from '../../students/students.rules.ts'
import { fill, type Language } from '../../platform/languages.ts'
import type { ParentsTexts } from '../texts/texts.ts'
import { localMoment } from '../../messages/texts/texts.ts'
import { localDay } from '../plan/page-parts.ts'

export type ParentContext = FlexContext & LoanContext

export type Child = {
  dues: Dues
  plan: LoadedPlan | null
  onTheWay: readonly OnTheWay[]
  carried: readonly CarriedDues[]
  /** Whether what is owed of a component cannot be paid online. */
  isClosed: (componentType: string) => boolean
}

/** Keeps the order of the ids; the number of queries does not depend on the number of children. */
export async function readChildren(
  ctx: FlexContext,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Child[]> {
  const keys = studentIds.map(studentId => ({ instituteId, studentId }))
  const [dues, plans, onTheWay, carried] = await Promise.all([
    readDues(ctx, keys),
    readPlansOf(ctx, instituteId, studentIds),
    listOnTheWay(ctx.db, instituteId, studentIds),
    listCarriedDues(ctx, instituteId, studentIds),
  ])
  const branches = [...dues.values()].map(({ context }) => context.student.collectorCode)
  const isClosed = await readClosed(ctx, instituteId, branches)
  return studentIds.flatMap(id => {
    const own = dues.get(id)
    if (own === undefined) return []
    const { collectorCode } = own.context.student
    return [
      {
        dues: own,
        isClosed: componentType => isClosed(collectorCode, componentType),
        plan: plans.get(id) ?? null,
        onTheWay: onTheWay.filter(one => one.studentId === id),
        carried: carried.filter(one => one.studentId === id),
      },
    ]
  })
}

export function classOf({ context }: Dues, institute: Institute, texts: ParentsTexts): string {
  const { student, gradeName } = context
  const name = gradeName || student.grade
  // "Class 5", but not "Class Grade 5" or "Class Nursery".
  const grade = /^(\d+|[IVX]+)$/.test(name) ? fill(texts.class, { grade: name }) : name
  const section = student.section === null ? '' : ` ${student.section}`
  const years = yearName(student.academicYearStart, student.academicYearEnd)
  const branch = institute.branches.find(one => one.collectorCode === student.collectorCode)
  const where = institute.branches.length > 1 ? [branch?.name] : []
  const house = student.house === null ? [] : [student.house]
  return [`${grade}${section}`, years, ...where, ...house].join(' · ')
}

type Coming = Pick<Child, 'dues' | 'onTheWay'>

/** What a family is asked to pay online today: neither what is on the way nor what instalments take in their own time. */
export function askedOf({ dues, onTheWay, isClosed }: Coming & Pick<Child, 'isClosed'>): Dues {
  return withoutPlanned(withoutClosed(withoutTaken(dues, onTheWay), isClosed))
}

/** What banks and lenders are bringing for these children: part of what is owed until it has come, and never paid again. */
export function onTheWayPaise(children: readonly Coming[]): Paise {
  return sumPaise(children.flatMap(({ onTheWay }) => onTheWay.map(one => one.amountPaise)))
}

/** Overdue, due by a day, on the way, what instalments take, and what was paid too much; nothing of it when all that is owed has no day. */
export function timingLines(
  child: Coming,
  { timing: t }: ParentsTexts,
  language: Language,
): { text: string; tone: string }[] {
  const { dues, onTheWay } = child
  const { overduePaise, nextDue } = timingOf(dues)
  const { plannedPaise } = timingOf(withoutTaken(dues, onTheWay))
  const comingPaise = onTheWayPaise([child])
  const amount = formatRupees
  return [
    ...(overduePaise > 0
      ? [{ text: fill(t.overdue, { amount: amount(overduePaise) }), tone: 'failed' }]
      : []),
    ...(nextDue === null
      ? []
      : [
          {
            text: fill(t.dueBy, {
              amount: amount(nextDue.amountPaise),
              day: localDay(nextDue.on, language),
            }),
            tone: 'unpaid',
          },
        ]),
    ...(comingPaise > 0 ? [{ text: fill(t.onTheWay, { amount: amount(comingPaise) }), tone: 'paid' }] : []),
    ...(plannedPaise > 0 ? [{ text: fill(t.planned, { amount: amount(plannedPaise) }), tone: 'paid' }] : []),
    ...(dues.advancePaise > 0
      ? [{ text: fill(t.advance, { amount: amount(dues.advancePaise) }), tone: 'paid' }]
      : []),
  ]
}

/** The number that the family of a child can transfer to; null when it has none that takes money. */
export function transferOf(
  account: OpenVirtualAccount | null,
  { who, school }: { who: string; school: string },
  { student: { transfer: t } }: ParentsTexts,
) {
  if (account?.state !== 'active') return null
  const link = studentUpiLink(account, { who, school })
  return {
    heading: t.heading,
    say: fill(t.say, { who }),
    facts: [
      { label: t.accountNumber, value: account.accountNumber },
      { label: t.ifsc, value: account.ifsc },
      ...(account.upiId === null ? [] : [{ label: t.upiId, value: account.upiId }]),
    ],
    upi: link === null ? null : { link, open: t.openApp, code: qrImage(link), scan: t.scan },
  }
}

export type WaitingNote = {
  heading: string
  say: string
  help: string | undefined
  checkUrl: string | undefined
  reference: string
}

/** Initiated without the parent: an instalment debit or a lender's transfer. */
export function isAutomatic({ orderKind }: Pick<OnTheWay, 'orderKind'>): boolean {
  return orderKind === 'instalment' || orderKind === 'loan'
}

/** Pending payments. Checkout payments come with advice, because those are the ones people pay twice. */
export function waitingOf(
  onTheWay: readonly OnTheWay[],
  { institute, texts, language }: { institute: Institute; texts: ParentsTexts; language: Language },
): WaitingNote[] {
  const { pending } = texts
  return onTheWay.map(payment => {
    const isDebit = isAutomatic(payment)
    const debitSay = payment.orderKind === 'loan' ? pending.loanSay : pending.debitSay
    return {
      heading: fill(pending.heading, { amount: formatRupees(payment.amountPaise) }),
      say: isDebit ? debitSay : fill(pending.say, { when: localMoment(payment.createdAt, language) }),
      help: isDebit ? undefined : fill(pending.help, { where: institute.name }),
      checkUrl: isDebit ? undefined : `/pay/${institute.code}/${payment.orderId}`,
      reference: payment.orderId,
    }
  })
}
