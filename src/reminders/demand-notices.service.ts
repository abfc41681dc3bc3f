import type { Dues } from '../dues/dues.service.ts'
import { upiLink } from './upi.rules.ts'
import { readDuesLeft } from '../dues/on-the-way.service.ts'
import { timingOf } from '../dues/dues.rules.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { getSchool } from '../institutes/school/school.service.ts'
import type { School } from '../institutes/school/school.rules.ts'
import { languagesOf } from '../messages/family-languages.service.ts'
import { messageTextsIn, feeName } from '../messages/texts/texts.ts'
import { classOf } from '../platform/names.ts'
import { rupeesInWords, formatRupees, minPaise, subtractPaise, type Paise } from '../platform/money.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { conflict } from '../platform/errors.ts'
import { fill, formatDayIn, type Language } from '../platform/languages.ts'
import type { DocumentBlock, DocumentPrint } from '../receipts/document-pdf.ts'
import { UPI_MOST } from '../providers/port.ts'
import { readLetterhead } from '../receipts/letterhead.service.ts'
import { printDocument } from '../receipts/receipt-printer.ts'

/** A class with room to spare: one file is made in one piece. */
export const MOST_NOTICES = 120

/** One page for each student that owes something by hand and is not paying it already, to be printed and given to the child. */
export async function demandNotices(
  ctx: Context,
  institute: Institute,
  studentIds: readonly string[],
): Promise<Buffer> {
  const dues = [...(await readDuesLeft(ctx, institute.id, studentIds)).values()].filter(
    one => subtractPaise(one.totalPaise, timingOf(one).plannedPaise) > 0,
  )
  if (dues.length === 0) throw conflict('Nobody of these owes anything: there is no notice to print.')
  const school = await getSchool(ctx, institute.id)
  const now = ctx.clock.now()
  const phones = dues.map(({ context }) => ({
    instituteId: institute.id,
    phone: context.student.contactNumber,
  }))
  const languages = await languagesOf(ctx.db, phones)
  const titles = languages.map(language => messageTextsIn(language).demandNotice.title)
  const print: DocumentPrint = {
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: null,
    title: titles[0] ?? '',
    madeAt: now,
    blocks: dues.flatMap((one, index) => [
      ...(index === 0 ? [] : [{ kind: 'next' as const, title: titles[index] ?? '' }]),
      ...noticeOf(one, { school, today: dayOf(now), language: languages[index] ?? 'en' }),
    ]),
    isSandbox: ctx.mode === 'sandbox',
  }
  return printDocument(print, { instituteId: institute.id })
}

type Notice = { school: School; today: string; language: Language }

/** A notice is in the language of the family. */
function noticeOf(dues: Dues, { school, today, language }: Notice): DocumentBlock[] {
  const t = messageTextsIn(language).demandNotice
  const { student, gradeName } = dues.context
  const rows = [
    ...dues.lines.flatMap(({ componentType, owedPaise, plannedPaise, dueOn }) => {
      const amount = subtractPaise(owedPaise, minPaise(owedPaise, plannedPaise))
      const due = dueOn === null ? '' : formatDayIn(dueOn, language)
      return amount > 0 ? [[feeName(componentType, language), due, formatRupees(amount)]] : []
    }),
    ...dues.lateFees
      .filter(fee => fee.amountPaise > 0)
      .map(fee => [t.lateFee, '', formatRupees(fee.amountPaise)]),
  ]
  const total = subtractPaise(dues.totalPaise, timingOf(dues).plannedPaise)
  return [
    {
      kind: 'pairs',
      left: {
        [t.student]: student.fullname,
        [t.studentId]: student.identifier,
        [t.grade]: classOf(gradeName, student.section),
      },
      right: { [t.parent]: student.contactName, [t.date]: formatDayIn(today, language) },
    },
    { kind: 'text', text: t.say },
    {
      kind: 'table',
      columns: [
        { title: t.forWhat, width: 5 },
        { title: t.dueOn, width: 3 },
        { title: t.amount, width: 3, isAmount: true },
      ],
      rows,
      total: [t.total, '', formatRupees(total)],
    },
    ...(language === 'en' ? [{ kind: 'text' as const, text: rupeesInWords(total) }] : []),
    ...school.bankAccounts.map(({ upiId, ...account }): DocumentBlock => {
      const { holder, number, ifsc, bank } = account
      const transfer = fill(t.transfer, { holder, number, ifsc, bank })
      return { kind: 'text', text: upiId === null ? transfer : `${transfer}, ${fill(t.upi, { upi: upiId })}` }
    }),
    ...upiCode(dues, school, { total, label: t.scan }),
    { kind: 'text', text: t.ignore },
    { kind: 'signature', label: t.signature },
  ]
}

/** The code names the exact amount and the admission number, by which the bank statement shows whose money it is. */
function upiCode(
  { context: { student } }: Dues,
  school: School,
  { total, label }: { total: Paise; label: string },
): DocumentBlock[] {
  const account = school.bankAccounts.find(one => one.upiId !== null)
  if (account?.upiId === undefined || account.upiId === null || total > UPI_MOST) return []
  const { upiId, holder } = account
  const code = upiLink({ upiId, holder, amountPaise: total, note: student.identifier })
  return [{ kind: 'qr', code, label: fill(label, { amount: formatRupees(total) }) }]
}
