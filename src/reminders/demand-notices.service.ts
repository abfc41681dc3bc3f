import { readDues, type Dues } from '../dues/dues.service.ts'
import { timingOf } from '../dues/timing.rules.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { getSchool } from '../institutes/school/school.service.ts'
import type { School } from '../institutes/school/school.rules.ts'
import { rupeesInWords } from '../platform/amount-in-words.ts'
import { dayOf, formatDay } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { conflict } from '../platform/errors.ts'
import { formatRupees, subtractPaise } from '../platform/money.ts'
import { readableComponent } from '../platform/names.ts'
import type { DocumentBlock } from '../receipts/document-pdf.ts'
import { readLetterhead } from '../receipts/letterhead.service.ts'
import { printDocument } from '../receipts/receipt-printer.ts'

/** A class with room to spare: one file is made in one piece. */
export const MOST_NOTICES = 120

/** One page for each student that owes something by hand, to be printed and given to the child. */
export async function demandNotices(
  ctx: Context,
  institute: Institute,
  studentIds: readonly string[],
): Promise<Buffer> {
  const keys = studentIds.map(studentId => ({ instituteId: institute.id, studentId }))
  const dues = [...(await readDues(ctx, keys)).values()].filter(
    one => subtractPaise(one.totalPaise, timingOf(one).plannedPaise) > 0,
  )
  if (dues.length === 0) throw conflict('Nobody of these owes anything: there is no notice to print.')
  const school = await getSchool(ctx, institute.id)
  const now = ctx.clock.now()
  return printDocument({
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: null,
    title: 'Demand notice',
    madeAt: now,
    blocks: dues.flatMap((one, index) => [
      ...(index === 0 ? [] : [{ kind: 'next' as const }]),
      ...noticeOf(one, school, dayOf(now)),
    ]),
    isSandbox: ctx.mode === 'sandbox',
  })
}

function noticeOf(dues: Dues, school: School, today: string): DocumentBlock[] {
  const { student, gradeName } = dues.context
  const rows = [
    ...dues.lines.flatMap(({ componentType, owedPaise, plannedPaise, dueOn }) => {
      const amount = subtractPaise(owedPaise, plannedPaise)
      const due = dueOn === null ? '' : formatDay(dueOn)
      return amount > 0 ? [[readableComponent(componentType), due, formatRupees(amount)]] : []
    }),
    ...dues.lateFees
      .filter(fee => fee.amountPaise > 0)
      .map(fee => ['Late fee', '', formatRupees(fee.amountPaise)]),
  ]
  const total = subtractPaise(dues.totalPaise, timingOf(dues).plannedPaise)
  return [
    {
      kind: 'pairs',
      left: { Student: student.fullname, 'Student ID': student.identifier, Class: gradeName },
      right: { Parent: student.contactName, Date: formatDay(today) },
    },
    {
      kind: 'text',
      text: 'These fees are due. Please pay them by the day given, or at once where that day has passed.',
    },
    {
      kind: 'table',
      columns: [
        { title: 'For', width: 5 },
        { title: 'Due on', width: 3 },
        { title: 'Amount', width: 3, isAmount: true },
      ],
      rows,
      total: ['Total', '', formatRupees(total)],
    },
    { kind: 'text', text: rupeesInWords(total) },
    ...school.bankAccounts.map(({ holder, number, ifsc, bank, upiId }): DocumentBlock => ({
      kind: 'text',
      text: `By transfer: ${holder}, account ${number}, IFSC ${ifsc}, ${bank}${upiId === null ? '' : `, UPI ${upiId}`}`,
    })),
    { kind: 'text', text: 'If you have paid already, please ignore this notice.' },
  ]
}
