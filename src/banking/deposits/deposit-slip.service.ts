import type { Institute } from '../../institutes/institutes.rules.ts'
import { readStaffNames } from '../../institutes/institutes.service.ts'
import { rupeesInWords, formatRupees, paiseOf, sumPaise } from '../../platform/money.ts'
import { formatDay } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import type { DocumentBlock, DocumentPrint } from '../../receipts/document-pdf.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printDocument } from '../../receipts/receipt-printer.ts'
import { getDeposit, type DepositDetail } from './deposits.service.ts'

/** Prints the slip that is handed in at the bank. */
export async function printDepositSlip(
  ctx: Pick<Context, 'db' | 'mode'>,
  institute: Institute,
  id: string,
): Promise<{ name: string; content: Buffer }> {
  const [deposit, letterhead] = await Promise.all([
    getDeposit(ctx, institute, id),
    readLetterhead(ctx, institute.id),
  ])
  const nameOf = await readStaffNames(ctx, [deposit.madeBy])
  const print: DocumentPrint = {
    institute: institute.name,
    letterhead,
    branch: null,
    title: `Deposit slip ${deposit.slipNumber}`,
    madeAt: deposit.madeAt,
    isSandbox: ctx.mode === 'sandbox',
    blocks: blocksOf({ ...deposit, madeBy: nameOf(deposit.madeBy) }),
  }
  const content = await printDocument(print, { instituteId: institute.id })
  return { name: `deposit-slip-${deposit.slipNumber}.pdf`, content }
}

function blocksOf(deposit: DepositDetail): DocumentBlock[] {
  const { cancelReason, amountPaise } = deposit
  const cancelled: DocumentBlock = { kind: 'text', text: `CANCELLED: ${cancelReason}`, isStrong: true }
  return [
    ...(cancelReason === null ? [] : [cancelled]),
    {
      kind: 'pairs',
      left: { 'To account': deposit.accountName, Of: deposit.kind === 'cash' ? 'Cash' : 'Cheques' },
      right: { Date: formatDay(deposit.day), 'Made by': deposit.madeBy },
    },
    deposit.kind === 'cash' ? cashTable(deposit) : chequeTable(deposit),
    { kind: 'text', text: rupeesInWords(amountPaise) },
    { kind: 'signature', label: 'Deposited by' },
    { kind: 'signature', label: "Bank's stamp and signature" },
  ]
}

function cashTable({ denominations, amountPaise }: DepositDetail): DocumentBlock {
  return {
    kind: 'table',
    columns: [
      { title: 'Note or coin', width: 2 },
      { title: 'Count', width: 1, isAmount: true },
      { title: 'Amount', width: 2, isAmount: true },
    ],
    rows: (denominations ?? []).map(({ value, count }) => [
      `₹${value}`,
      String(count),
      formatRupees(paiseOf(value * count * 100)),
    ]),
    total: ['Total', '', formatRupees(amountPaise)],
  }
}

/** A cheque that pays for several children is one row: the bank counts paper. */
function chequeTable({ items, amountPaise }: DepositDetail): DocumentBlock {
  const cheques = [...Map.groupBy(items, one => one.chequeId).values()]
  return {
    kind: 'table',
    columns: [
      { title: 'Cheque', width: 2 },
      { title: 'Bank', width: 3 },
      { title: 'Date', width: 2 },
      { title: 'Student', width: 4 },
      { title: 'Amount', width: 3, isAmount: true },
    ],
    rows: cheques.flatMap(own => {
      const [first] = own
      if (first === undefined) return []
      return [
        [
          first.number,
          first.bank ?? '',
          first.date === null ? '' : formatDay(first.date),
          own.map(one => `${one.studentName}, ${one.identifier}`).join('; '),
          formatRupees(sumPaise(own.map(one => one.amountPaise))),
        ],
      ]
    }),
    total: [`${cheques.length} in all`, '', '', '', formatRupees(amountPaise)],
  }
}
