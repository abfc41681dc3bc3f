import { chosenOf, proposedOf } from '../../dues/choice.rules.ts'
import { withoutTaken } from '../../dues/dues.rules.ts'
import type { Dues } from '../../dues/dues.service.ts'
import { minPaise, sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import { isAutomatic } from './child-parts.ts'
import type { Child } from './home-page.ts'

/** A child whose fees can be paid now, and the account that its branch's money goes to. */
export type Payable = { studentId: string; dues: Dues; accountId: string }

/** By student: the components that the parent picked. */
export type Choice = ReadonlyMap<string, readonly string[]>

/** Everything of a child, where the school takes fees in one sum only. */
export const ALL_FEES = '*'

/** Null when nothing of the child can be paid: nothing is due, or a payment of it is pending at the bank. */
export function payableOf({ dues, onTheWay }: Child, accountId: string | null): Payable | null {
  const left = withoutTaken(dues, onTheWay)
  const isWaiting = onTheWay.some(payment => !isAutomatic(payment))
  if (accountId === null || isWaiting || left.totalPaise === 0) return null
  return { studentId: dues.context.student.id, dues: left, accountId }
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

/** What is ticked at first: see proposedOf; of children whose money goes elsewhere than the first's, nothing. */
export function proposedFor(children: readonly Payable[], until: string | undefined): Choice {
  const [first] = children
  const own = children.filter(child => child.accountId === first?.accountId)
  return new Map(
    own.flatMap(({ studentId, dues }) => {
      const types = proposedOf(dues.lines, dues.today, until)
      const isWhole = dues.partPayment.isAllowed || until !== undefined
      const all = dues.lines.map(line => line.componentType)
      return types.length === 0 ? [] : [[studentId, isWhole ? types : all] as const]
    }),
  )
}

/** What the ticked fees of a child come to, late fees included. */
export function chosenPaise({ studentId, dues }: Payable, choice: Choice): Paise {
  const types = choice.get(studentId) ?? []
  const isDue = dues.lines.some(line => line.owedPaise > 0 && types.includes(line.componentType))
  return isDue ? chosenOf(dues, types).totalPaise : ZERO
}

export function totalPaise(children: readonly Payable[], choice: Choice): Paise {
  return sumPaise(children.map(child => chosenPaise(child, choice)))
}

export type ChoiceProblem = 'none' | 'accounts' | 'changed' | 'whole' | 'tooLittle'

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
export function termsOf(children: readonly Payable[]): { until: string; isOverdue: boolean }[] {
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
