import type { Account } from '../journal/ledger.rules.ts'

export type LedgerAccount = Account

/** In the order that money goes through them, with what a bursar would call them. */
export const ACCOUNTS: readonly { account: LedgerAccount; name: string; meaning: string }[] = [
  {
    account: 'provider_receivable',
    name: 'Held by the payment provider',
    meaning: 'Taken from payers and not yet paid out to the bank.',
  },
  {
    account: 'institute_payable',
    name: 'Owed to the institute',
    meaning: 'Collected for the institute and not yet settled. A credit is money to come.',
  },
  {
    account: 'payer_clearing',
    name: 'Owed back to payers',
    meaning: 'Second payments for something paid already, until they have been given back.',
  },
  { account: 'refunds', name: 'Refunds under way', meaning: 'Asked for and not yet made.' },
  { account: 'fees', name: 'Provider fees', meaning: 'What the provider kept of what it paid out.' },
  {
    account: 'settlement_bank',
    name: 'Paid out to the bank',
    meaning:
      'Goes in and out by the same amount with every settlement; its debits are what reached the bank.',
  },
]

export const ACCOUNT_CODES = [
  'provider_receivable',
  'institute_payable',
  'payer_clearing',
  'refunds',
  'fees',
  'settlement_bank',
] as const satisfies readonly LedgerAccount[]

const CURSOR = /^(\d{1,15})-(\d{1,6})$/

/** Which entry a page ended with; null when it is not such a cursor. */
export function parseLedgerCursor(text: string): { transactionId: number; lineNo: number } | null {
  const [, transactionId, lineNo] = CURSOR.exec(text) ?? []
  if (transactionId === undefined || lineNo === undefined) return null
  return { transactionId: Number(transactionId), lineNo: Number(lineNo) }
}

export function ledgerCursor(entry: { transactionId: number; lineNo: number }): string {
  return `${entry.transactionId}-${entry.lineNo}`
}

export const STATUSES = ['mismatched', 'expected', 'matched'] as const
export type ReconciliationStatus = (typeof STATUSES)[number]
