import { readDues, type Dues } from '../dues/dues.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { languageOfFamily } from '../messages/messages.service.ts'
import { paperText, paperWords, receiptWords } from '../messages/texts/texts.ts'
import { listOnTheWay } from '../payments/student-payments.service.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { formatDayIn, type Language } from '../platform/languages.ts'
import { conflict } from '../platform/errors.ts'
import { formatRupees, sumPaise } from '../platform/money.ts'
import type { DocumentBlock } from '../receipts/document-pdf.ts'
import { readLetterhead } from '../receipts/letterhead.service.ts'
import { printDocument } from '../receipts/receipt-printer.ts'
import { yearName } from '../students/students.rules.ts'
import { getStudent } from '../students/students.service.ts'
import { findLeaving, type Leaving } from './leaving.store.ts'

type CertificateFile = { name: string; content: Buffer }

/** Says that a child owes the school nothing, in none of its years; while it does, or a bank has yet to answer, it says what is open. */
export async function printNoDues(
  ctx: Context,
  institute: Institute,
  studentId: string,
): Promise<CertificateFile> {
  const { otherYears } = await getStudent(ctx, institute, studentId)
  const ids = [studentId, ...otherYears.map(other => other.id)]
  const keys = ids.map(id => ({ instituteId: institute.id, studentId: id }))
  const [found, onTheWay, leaving, letterhead] = await Promise.all([
    readDues(ctx, keys),
    listOnTheWay(ctx.db, institute.id, ids),
    findLeaving(ctx.db, { instituteId: institute.id, studentId }),
    readLetterhead(ctx, institute.id),
  ])
  const records = ids.flatMap(id => found.get(id) ?? [])
  const owing = records.filter(one => one.totalPaise > 0)
  if (owing.length > 0) {
    const open = owing.map(one => `${formatRupees(one.totalPaise)} of ${yearOf(one)}`).join(' and ')
    throw conflict(`${open} is still owed. Collect it or settle the leaving first.`)
  }
  if (onTheWay.length > 0) {
    const coming = formatRupees(sumPaise(onTheWay.map(one => one.amountPaise)))
    throw conflict(`A bank has yet to answer for ${coming}. Print the certificate when it has.`)
  }
  const now = ctx.clock.now()
  const [own] = records
  const family = { instituteId: institute.id, phone: own?.context.student.contactNumber ?? '' }
  const language = await languageOfFamily(ctx.db, family)
  const content = await printDocument(
    {
      institute: institute.name,
      letterhead,
      branch: null,
      title: paperWords('noDues', language).title,
      madeAt: now,
      isSandbox: ctx.mode === 'sandbox',
      blocks: blocksOf(records, leaving, { institute, today: dayOf(now), language }),
    },
    { instituteId: institute.id },
  )
  return { name: `no-dues-${studentId}.pdf`, content }
}

function blocksOf(
  records: readonly Dues[],
  leaving: Leaving | null,
  { institute, today, language }: { institute: Institute; today: string; language: Language },
): DocumentBlock[] {
  const [own] = records
  if (own === undefined) return []
  const { student, gradeName } = own.context
  const words = paperWords('noDues', language)
  const of = receiptWords(language)
  return [
    {
      kind: 'pairs',
      left: {
        [of.student]: student.fullname,
        [of.studentId]: student.identifier,
        [of.grade]: gradeName,
      },
      right: {
        [words.years]: records.map(yearOf).toSorted().join(', '),
        [words.leftOn]: leaving === null ? null : formatDayIn(leaving.leftOn, language),
        [of.date]: formatDayIn(today, language),
      },
    },
    {
      kind: 'text',
      text: paperText(
        texts => texts.noDues.say,
        each => ({ day: formatDayIn(today, each), student: student.fullname, school: institute.name }),
        language,
      ),
    },
    { kind: 'signature', label: of.signature },
  ]
}

function yearOf({ context: { student } }: Dues): string {
  return yearName(student.academicYearStart, student.academicYearEnd)
}
