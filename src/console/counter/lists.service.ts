import { allDeposits, type ListedDeposit } from '../../banking/deposits/deposits.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { by, type Sorting } from '../../platform/db/sorted-list.ts'
import type { Report } from '../reports/export.service.ts'
import { count, day, money, text, type Column } from '../reports/reports.rules.ts'

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
