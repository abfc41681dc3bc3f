import type { Dues } from '../../dues/dues.service.ts'
import type { LoadedPlan } from '../../flex/rules/plan.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { StudentPayment } from '../../payments/student-payments.service.ts'
import { formatRupees, sumPaise } from '../../platform/money.ts'
import { classOf, isByItself } from './child-parts.ts'
import { pathOfStudent } from '../entry/entry.rules.ts'
import type { ParentsWords } from './parents.texts.ts'
import { fill } from '../checkout/checkout.texts.ts'

export type Child = { dues: Dues; plan: LoadedPlan | null; onTheWay: readonly StudentPayment[] }

/** All children of a parent, and what each has to pay. */
export function describeHome(
  { institute, children }: { institute: Institute; children: readonly Child[] },
  words: ParentsWords,
): { title: string; data: Record<string, unknown> } {
  const { home } = words
  const total = sumPaise(children.map(({ dues }) => dues.totalPaise))
  const data = {
    heading: home.heading,
    amount: children.length > 1 ? formatRupees(total) : undefined,
    meaning: home.dueInAll,
    nobody: children.length === 0 ? fill(home.nobody, { where: institute.name }) : undefined,
    children: children.map(child => cardOf(child, institute, words)),
  }
  return { title: fill(home.title, { where: institute.name }), data }
}

function cardOf(child: Child, institute: Institute, words: ParentsWords) {
  const { dues } = child
  const { student } = dues.context
  return {
    url: pathOfStudent(student.id),
    name: student.fullname,
    about: classOf(dues, institute, words),
    due:
      dues.totalPaise === 0
        ? words.home.nothingDue
        : fill(words.home.due, { amount: formatRupees(dues.totalPaise) }),
    isDue: dues.totalPaise > 0,
    marks: marksOf(child, words),
  }
}

/** What a parent should know of a child at a glance. */
export function marksOf(
  { dues, plan, onTheWay }: Child,
  { marks }: ParentsWords,
): { text: string; tone: string }[] {
  const isOnPlan = plan?.plan.state === 'active' || plan?.plan.state === 'setup'
  const isWaiting = onTheWay.some(payment => !isByItself(payment))
  return [
    ...(dues.context.student.status === 'dropped' ? [{ text: marks.left, tone: 'cancelled' }] : []),
    ...(isWaiting ? [{ text: marks.onTheWay, tone: 'unpaid' }] : []),
    ...(isOnPlan ? [{ text: marks.instalments, tone: 'paid' }] : []),
    ...(dues.lines.some(line => line.isLate) ? [{ text: marks.late, tone: 'failed' }] : []),
  ]
}
