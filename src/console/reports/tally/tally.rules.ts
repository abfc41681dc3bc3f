import { paiseOf, subtractPaise, sumPaise, toRupees, ZERO, type Paise } from '../../../platform/money.ts'

/**
 * Files that TallyPrime imports. A voucher's entries say by their sign what they are: debits are negative and "deemed
 * positive", credits are positive. docs/bursar/tally.md tells which of our things becomes which voucher and ledger.
 */
export type Voucher = {
  /** Ours; importing a voucher again changes it instead of making another. */
  id: string
  type: 'Receipt' | 'Payment' | 'Contra'
  /** YYYY-MM-DD */
  day: string
  number: string | null
  reference: string | null
  narration: string
  entries: readonly TallyEntry[]
}

/** Debits are positive, as in our own books. */
type TallyEntry = { ledger: string; amountPaise: Paise }

export type Ledger = {
  name: string
  group: 'Bank Accounts' | 'Cash-in-hand' | 'Indirect Expenses' | 'Direct Incomes' | 'Current Liabilities'
}

export const VOUCHERS_HEAD = head('Vouchers')
export const MASTERS_HEAD = head('All Masters')
export const TALLY_TAIL = '</REQUESTDATA>\n</IMPORTDATA>\n</BODY>\n</ENVELOPE>\n'

function head(report: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<ENVELOPE>
<HEADER>
<TALLYREQUEST>Import Data</TALLYREQUEST>
</HEADER>
<BODY>
<IMPORTDATA>
<REQUESTDESC>
<REPORTNAME>${report}</REPORTNAME>
</REQUESTDESC>
<REQUESTDATA>
`
}

export function voucherXml(voucher: Voucher): string {
  const sum = voucher.entries.reduce((total, entry) => total + entry.amountPaise, 0)
  if (sum !== 0) throw new Error(`the voucher ${voucher.id} does not balance`)
  return message(
    `<VOUCHER REMOTEID="${escape(`bursar-${voucher.id}`)}" VCHTYPE="${voucher.type}" ACTION="Create" OBJVIEW="Accounting Voucher View">
${tag('DATE', voucher.day.replaceAll('-', ''))}
${tag('EFFECTIVEDATE', voucher.day.replaceAll('-', ''))}
${tag('VOUCHERTYPENAME', voucher.type)}
${optional('VOUCHERNUMBER', voucher.number)}${optional('REFERENCE', voucher.reference)}${tag('NARRATION', voucher.narration)}
${tag('PARTYLEDGERNAME', voucher.entries[0]?.ledger ?? '')}
${tag('PERSISTEDVIEW', 'Accounting Voucher View')}
${voucher.entries.map(entryXml).join('\n')}
</VOUCHER>`,
  )
}

function entryXml({ ledger, amountPaise }: TallyEntry): string {
  return `<ALLLEDGERENTRIES.LIST>
${tag('LEDGERNAME', ledger)}
${tag('ISDEEMEDPOSITIVE', amountPaise > 0 ? 'Yes' : 'No')}
${tag('AMOUNT', toRupees(subtractPaise(ZERO, amountPaise)).toFixed(2))}
</ALLLEDGERENTRIES.LIST>`
}

export function ledgerXml({ name, group }: Ledger): string {
  return message(`<LEDGER NAME="${escape(name)}" ACTION="Create">
<NAME.LIST>
${tag('NAME', name)}
</NAME.LIST>
${tag('PARENT', group)}
</LEDGER>`)
}

function message(object: string): string {
  return `<TALLYMESSAGE xmlns:UDF="TallyUDF">\n${object}\n</TALLYMESSAGE>\n`
}

function tag(name: string, text: string): string {
  return `<${name}>${escape(text)}</${name}>`
}

function optional(name: string, text: string | null): string {
  return text === null ? '' : `${tag(name, text)}\n`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Characters that XML cannot hold at all are left out. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, '')
    .replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? '')
}

/** What each of our things is called in Tally. */
export type LedgerNames = {
  clearing: string
  bank: string
  cash: string
  direct: string
  charges: string
  component: (type: string) => string
  /** The ledger of a bank account in which single fees are settled. */
  bankAccount: (id: string) => string
}

type Line = { componentType: string; amountPaise: Paise }

/** Money that came in, or went back: its components against the account that it went through. */
export function moneyVoucher(
  money: Omit<Voucher, 'type' | 'entries'> & { amountPaise: Paise; lines: readonly Line[]; account: string },
  names: LedgerNames,
): Voucher {
  const { amountPaise, lines, account, ...voucher } = money
  const isIn = amountPaise > 0
  const byLedger = new Map<string, Paise>()
  for (const line of lines) {
    const ledger = names.component(line.componentType)
    byLedger.set(ledger, sumPaise([byLedger.get(ledger) ?? ZERO, line.amountPaise]))
  }
  const sign = isIn ? -1 : 1
  const entries = [...byLedger]
    .filter(([, amount]) => amount !== 0)
    .map(([ledger, amount]) => ({ ledger, amountPaise: paiseOf(sign * amount) }))
  return {
    ...voucher,
    type: isIn ? 'Receipt' : 'Payment',
    entries: [...entries, { ledger: account, amountPaise }],
  }
}

/** A pay-out: what reached the bank, and what the provider kept. Contra vouchers take no expense, so it is two. */
export function settlementVouchers(
  settlement: {
    id: string
    day: string
    utr: string
    netPaise: Paise
    feePaise: Paise
    bankAccountId: string | null
  },
  names: LedgerNames,
): Voucher[] {
  const { id, day, utr, netPaise, feePaise, bankAccountId } = settlement
  const bank = bankAccountId === null ? names.bank : names.bankAccount(bankAccountId)
  const shared = { day, number: null, reference: utr }
  const net: Voucher = {
    ...shared,
    id,
    type: 'Contra',
    narration: `Settlement ${utr} (${id})`,
    entries: [
      { ledger: names.clearing, amountPaise: subtractPaise(ZERO, netPaise) },
      { ledger: bank, amountPaise: netPaise },
    ],
  }
  const fee: Voucher = {
    ...shared,
    id: `${id}-charges`,
    type: 'Payment',
    narration: `Charges of settlement ${utr} (${id})`,
    entries: [
      { ledger: names.charges, amountPaise: feePaise },
      { ledger: names.clearing, amountPaise: subtractPaise(ZERO, feePaise) },
    ],
  }
  return [...(netPaise === 0 ? [] : [net]), ...(feePaise === 0 ? [] : [fee])]
}
