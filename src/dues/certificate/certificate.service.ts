import { listPaidLines, type PaidLine } from './certificate.store.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { languageOfFamily } from '../../messages/messages.service.ts'
import { feeOnPaper, paperText, paperWords, receiptWords } from '../../messages/texts/texts.ts'
import { dayOf, startOfDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { formatRupees, type Paise, paiseOf, rupeesInWords, sumPaise } from '../../platform/money.ts'
import { formatDayIn, type Language } from '../../platform/languages.ts'
import type { DocumentBlock, DocumentPrint } from '../../receipts/document-pdf.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printDocument } from '../../receipts/receipt-printer.ts'
import { financialYear, receiptNumber } from '../../receipts/receipts.rules.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'
import { getStudent } from '../../students/students.service.ts'

type CertificateFile = { name: string; content: Buffer }

/** What was paid for a child in a financial year, whatever its academic years, for the parents' tax return. */
export async function printCertificate(
  ctx: Context,
  institute: Institute,
  {
    studentId,
    year = financialYear(dayOf(ctx.clock.now())),
  }: { studentId: string; year?: string | undefined },
): Promise<CertificateFile> {
  const span = spanOf(year)
  const { otherYears } = await getStudent(ctx, institute, studentId)
  const ids = [studentId, ...otherYears.map(other => other.id)]
  const key = { instituteId: institute.id, studentId }
  const [contexts, lines, letterhead] = await Promise.all([
    readStudentContexts(ctx.db, [key]),
    listPaidLines(ctx.db, institute.id, ids, {
      from: startOfDay(span.from),
      before: startOfDay(span.before),
    }),
    readLetterhead(ctx, institute.id),
  ])
  const context = contexts.get(studentId)
  if (context === undefined) throw notFound('This student')
  const family = { instituteId: institute.id, phone: context.student.contactNumber }
  const language = await languageOfFamily(ctx.db, family)
  const total = sumPaise(lines.map(line => line.amountPaise))
  if (total <= 0) throw conflict(nothingLeft(lines, year))
  const print: DocumentPrint = {
    institute: institute.name,
    letterhead,
    branch: null,
    title: `${paperWords('feeCertificate', language).title} ${year}`,
    // The same payments give the same certificate, on whatever day it is printed.
    madeAt: lines.at(-1)?.at ?? startOfDay(span.from),
    isSandbox: ctx.mode === 'sandbox',
    blocks: blocksOf(context, lines, { year, ...span, total, today: dayOf(ctx.clock.now()), language }),
  }
  const content = await printDocument(print, { instituteId: institute.id })
  return { name: `fee-certificate-${year}.pdf`, content }
}

function nothingLeft(lines: readonly PaidLine[], year: string): string {
  const paidPaise = sumPaise(lines.map(line => line.amountPaise).filter(paise => paise > 0))
  return paidPaise === 0
    ? `Nothing but deposits was paid for this student in the financial year ${year}, and those are no fees.`
    : `${formatRupees(paidPaise)} was paid for this student in the financial year ${year}, and as much or more went back.`
}

type Year = { year: string; from: string; total: Paise; today: string; language: Language }

/** The text stands in the family's language with English beside it, which the tax office reads. */
function blocksOf(
  { student, gradeName }: StudentContext,
  lines: readonly PaidLine[],
  { year, from, total, today, language }: Year,
): DocumentBlock[] {
  const words = paperWords('feeCertificate', language)
  const of = receiptWords(language)
  const last = `${Number(from.slice(0, 4)) + 1}-03-31`
  return [
    {
      kind: 'pairs',
      left: {
        [of.student]: student.fullname,
        [of.studentId]: student.identifier,
        [of.grade]: gradeName,
      },
      right: {
        [of.paidBy]: student.contactName,
        [words.financialYear]: year,
        [of.date]: formatDayIn(today, language),
      },
    },
    {
      kind: 'text',
      text: paperText(
        texts => texts.feeCertificate.say,
        each => ({ student: student.fullname, from: formatDayIn(from, each), to: formatDayIn(last, each) }),
        language,
      ),
    },
    {
      kind: 'table',
      columns: [
        { title: words.fee, width: 3 },
        { title: of.amount, width: 2, isAmount: true },
      ],
      rows: sumByFee(lines).map(line => [
        feeOnPaper(line.componentType, language),
        formatRupees(line.amountPaise),
      ]),
      total: [words.total, formatRupees(total)],
    },
    { kind: 'text', text: rupeesInWords(total), isStrong: true },
    paymentsTable(lines, language),
    { kind: 'text', text: words.tuition },
    { kind: 'signature', label: of.signature },
  ]
}

function paymentsTable(lines: readonly PaidLine[], language: Language): DocumentBlock {
  const words = paperWords('feeCertificate', language)
  const payments = [...Map.groupBy(lines, line => line.id).values()]
  return {
    kind: 'table',
    columns: [
      { title: words.day, width: 2 },
      { title: words.receipt, width: 2 },
      { title: receiptWords(language).amount, width: 2, isAmount: true },
    ],
    rows: payments.flatMap(own => {
      const [first] = own
      const amount = sumPaise(own.map(line => line.amountPaise))
      if (first === undefined) return []
      const isSetOff = first.id.startsWith('adv_')
      return [
        [
          formatDayIn(dayOf(first.at), language),
          isSetOff ? words.setOff : amount < 0 ? words.refund : numberOf(first),
          amount < 0 ? `-${formatRupees(paiseOf(0 - amount))}` : formatRupees(amount),
        ],
      ]
    }),
  }
}

function numberOf(line: PaidLine): string {
  if (line.financialYear === null || line.number === null) return ''
  return receiptNumber({ financialYear: line.financialYear, number: line.number })
}

/** 2026-27: from 1 April of the first year up to 31 March of the second. */
export function spanOf(financialYear: string): { from: string; before: string } {
  const start = Number(/^(\d{4})-\d{2}$/.exec(financialYear)?.[1])
  const isYear = start >= 2000 && financialYear.endsWith(String((start + 1) % 100).padStart(2, '0'))
  if (!isYear) throw badField('financial_year', 'must be a financial year such as 2026-27')
  return { from: `${start}-04-01`, before: `${start + 1}-04-01` }
}

type Line = { componentType: string; amountPaise: Paise }

/** Sums by fee, less refunds; a fee that was refunded whole is left out. */
export function sumByFee(lines: readonly Line[]): Line[] {
  return [...Map.groupBy(lines, line => line.componentType)]
    .map(([componentType, own]) => ({
      componentType,
      amountPaise: sumPaise(own.map(line => line.amountPaise)),
    }))
    .filter(line => line.amountPaise !== 0)
}
