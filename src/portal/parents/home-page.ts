import { withoutPlanned, withoutTaken } from '../../dues/dues.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { formatRupees, sumPaise } from '../../platform/money.ts'
import { yearName } from '../../students/students.rules.ts'
import { classOf, isAutomatic, timingLines, type Child } from './children.ts'
import { pathOfStudent } from '../entry/entry.rules.ts'
import { fill, type Language } from '../../platform/languages.ts'
import type { ParentsTexts } from '../texts/texts.ts'

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

export function cardOf(child: Child, institute: Institute, texts: ParentsTexts, language: Language) {
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

export function marksOf(
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
