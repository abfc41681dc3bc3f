import type { Dues } from '../../dues/dues.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { StudentPayment } from '../../payments/student-payments.service.ts'
import { formatRupees } from '../../platform/money.ts'
import type { ParentsWords } from './parents.texts.ts'
import { sayMoment } from '../language.ts'
import { fill, type Language } from '../checkout/checkout.texts.ts'

/** What several pages say of a child. */
export function classOf({ context }: Dues, institute: Institute, words: ParentsWords): string {
  const { student, identity } = context
  const { code, name } = identity.student.grade
  // "Class 5", but not "Class Grade 5" or "Class Nursery".
  const grade = /^(\d+|[IVX]+)$/.test(name || code)
    ? fill(words.class, { grade: name || code })
    : name || code
  const years = `${student.academicYearStart}-${String(student.academicYearEnd).slice(-2)}`
  const branch = institute.branches.find(one => one.collectorCode === student.collectorCode)
  return [grade, years, ...(institute.branches.length > 1 ? [branch?.name] : [])].join(' · ')
}

export type Waiting = {
  heading: string
  say: string
  help: string | undefined
  checkUrl: string | undefined
  reference: string
}

/** Comes without the parent: a debit of an instalment, or what a lender sends. */
export function isByItself({ orderKind }: StudentPayment): boolean {
  return orderKind === 'instalment' || orderKind === 'disbursement'
}

/** Payments that the bank has been asked for. Those at the checkout come with help: they are the ones people pay twice. */
export function waitingOf(
  onTheWay: readonly StudentPayment[],
  { institute, words, language }: { institute: Institute; words: ParentsWords; language: Language },
): Waiting[] {
  const { pending } = words
  return onTheWay.map(payment => {
    const isDebit = isByItself(payment)
    const debitSay = payment.orderKind === 'disbursement' ? pending.loanSay : pending.debitSay
    return {
      heading: fill(pending.heading, { amount: formatRupees(payment.amountPaise) }),
      say: isDebit ? debitSay : fill(pending.say, { when: sayMoment(payment.createdAt, language) }),
      help: isDebit ? undefined : fill(pending.help, { where: institute.name }),
      checkUrl: isDebit ? undefined : `/pay/${institute.code}/${payment.orderId}`,
      reference: payment.orderId,
    }
  })
}
