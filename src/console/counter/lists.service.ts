import { allCheques, type Cheque } from '../../banking/cheques/cheques.service.ts'
import { allDeposits, type ListedDeposit } from '../../banking/deposits/deposits.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { readableComponent } from '../../platform/names.ts'
import { by, type Sorting } from '../../platform/db/sorted-list.ts'
import type { Report } from '../reports/export.service.ts'
import { count, day, moment, money, text, type Column } from '../reports/reports.rules.ts'

export const CHEQUE_SORTING: Sorting = {
  key: 'id',
  columns: {
    number: by.text('number'),
    bank: by.name('bank'),
    amount: by.number('"amountPaise"'),
    student: by.name('"studentName"'),
    state: by.text('state'),
    taken: by.moment('"takenAt"'),
  },
}

const CHEQUE_COLUMNS: readonly Column<Cheque>[] = [
  text('Cheque', row => row.number),
  text('Bank', row => row.bank),
  day('Dated', row => row.date),
  money('Amount', row => row.amountPaise),
  text('Student', row => row.studentName),
  text('Admission no.', row => row.identifier),
  text('Status', row => readableComponent(row.state.toUpperCase())),
  day('Cleared or bounced on', row => row.decidedOn),
  text('Why bounced', row => row.bounceReason),
  count('Slip', row => row.slipNumber),
  moment('Taken (IST)', row => row.takenAt),
  text('Taken by', row => row.takenBy),
]

export function chequesReport(
  institute: Institute,
  filter: Parameters<typeof allCheques>[1],
): Report<Cheque> {
  return {
    name: 'cheques',
    title: 'Cheques',
    query: allCheques(institute.id, filter),
    columns: CHEQUE_COLUMNS,
  }
}

export const DEPOSIT_SORTING: Sorting = {
  key: 'id',
  columns: {
    slip: by.number('"slipNumber"'),
    day: by.day('day'),
    account: by.name('"accountName"'),
    amount: by.number('"amountPaise"'),
  },
}

const DEPOSIT_COLUMNS: readonly Column<ListedDeposit>[] = [
  count('Slip', row => row.slipNumber),
  day('Day', row => row.day),
  text('Bank account', row => row.accountName),
  text('Of', row => (row.kind === 'cash' ? 'Cash' : 'Cheques')),
  count('Cheques', row => row.cheques),
  count('Of which cleared', row => row.cleared),
  count('Of which bounced', row => row.bounced),
  money('Amount', row => row.amountPaise),
  day('On the statement of', row => row.receivedOn),
  text('Why cancelled', row => row.cancelReason),
  text('Made by', row => row.madeBy),
]

export function depositsReport(institute: Institute): Report<ListedDeposit> {
  return { name: 'deposits', title: 'Deposits', query: allDeposits(institute.id), columns: DEPOSIT_COLUMNS }
}
