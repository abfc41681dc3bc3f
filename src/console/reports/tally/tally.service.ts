import { Readable } from 'node:stream'
import { readFeeHeads } from '../../../fees/fee-heads.service.ts'
import { listEntries, readDeposits } from '../../../institutes/catalogue.service.ts'
import type { Institute } from '../../../institutes/institutes.rules.ts'
import { readableComponent } from '../../../platform/names.ts'
import { listLinkedBankAccounts } from '../../../providers/settlement-accounts/settlement-accounts.service.ts'
import { badField } from '../../../platform/errors.ts'
import type { Context } from '../../../platform/context.ts'
import { transact, type Command } from '../../../platform/idempotency.ts'
import type { ExportedFile } from '../export.service.ts'
import { ledgerXml, MASTERS_HEAD, TALLY_TAIL, type Ledger, type LedgerNames } from './tally.rules.ts'
import * as store from './tally.store.ts'
import { MEDIA_TYPES } from '../reports.rules.ts'

/** What we call them until the institute says otherwise. */
const ACCOUNTS: Record<
  Exclude<keyof LedgerNames, 'component' | 'bankAccount'>,
  { usual: string; group: Ledger['group'] }
> = {
  clearing: { usual: 'Payment Gateway', group: 'Bank Accounts' },
  bank: { usual: 'Bank Account', group: 'Bank Accounts' },
  cash: { usual: 'Cash', group: 'Cash-in-hand' },
  direct: { usual: 'Fee Collection Account', group: 'Bank Accounts' },
  charges: { usual: 'Payment Gateway Charges', group: 'Indirect Expenses' },
}
const COMPONENT = 'component:'
const BANK = 'bank:'

export type TallyLedger = { subject: string; ledger: string; usual: string; group: Ledger['group'] }

export async function readLedgerNames(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
): Promise<LedgerNames> {
  const [own, headOf, banks] = await Promise.all([
    store.readLedgers(db, institute.id),
    readFeeHeads(db, institute.id),
    listLinkedBankAccounts(db, institute.id),
  ])
  const usual = new Map(banks.map(({ id, name }) => [id, name]))
  const nameOf = (subject: keyof typeof ACCOUNTS): string => own.get(subject) ?? ACCOUNTS[subject].usual
  return {
    clearing: nameOf('clearing'),
    bank: nameOf('bank'),
    cash: nameOf('cash'),
    direct: nameOf('direct'),
    charges: nameOf('charges'),
    bankAccount: id => own.get(BANK + id) ?? usual.get(id) ?? nameOf('bank'),
    component: type =>
      own.get(COMPONENT + type) ?? own.get(COMPONENT + headOf(type)) ?? readableComponent(headOf(type)),
  }
}

/**
 * The accounts, and a ledger for every fee of the institute: its terms, months and stops are one income. A part that was given
 * a name of its own keeps it.
 */
export async function listTallyLedgers(ctx: Context, institute: Institute): Promise<TallyLedger[]> {
  const [own, components, headOf, deposits, banks] = await Promise.all([
    store.readLedgers(ctx.db, institute.id),
    listEntries(ctx, institute, 'component'),
    readFeeHeads(ctx.db, institute.id),
    readDeposits(ctx.db, institute.id),
    listLinkedBankAccounts(ctx.db, institute.id),
  ])
  const accounts = [
    ...Object.entries(ACCOUNTS).map(([subject, account]) => ({ subject, ...account })),
    ...banks.map(({ id, name }) => ({ subject: BANK + id, usual: name, group: 'Bank Accounts' as const })),
  ]
  const codes = components.map(({ code }) => code)
  const named = codes.filter(code => own.has(COMPONENT + code))
  const fees = [...new Set([...codes.map(headOf), ...named])].toSorted().map(code => ({
    subject: COMPONENT + code,
    usual: readableComponent(headOf(code)),
    group: deposits.includes(code) ? ('Current Liabilities' as const) : ('Direct Incomes' as const),
  }))
  return [...accounts, ...fees].map(entry => ({ ...entry, ledger: own.get(entry.subject) ?? entry.usual }))
}

export type LedgersChanged = { before: Record<string, string>; after: Record<string, string> }

/** Replaces what the institute calls them; what is called as usual need not be kept. */
export async function setTallyLedgers(
  ctx: Context,
  command: Command<LedgersChanged>,
  institute: Institute,
  sent: readonly { subject: string; ledger: string }[],
): Promise<LedgersChanged> {
  const known = new Map((await listTallyLedgers(ctx, institute)).map(entry => [entry.subject, entry]))
  for (const [index, { subject }] of sent.entries()) {
    if (!known.has(subject)) throw badField(`ledgers.${index}.subject`, 'is none of this institute’s')
  }
  const own = new Map(
    sent
      .filter(({ subject, ledger }) => known.get(subject)?.usual !== ledger)
      .map(({ subject, ledger }) => [subject, ledger]),
  )
  return transact(ctx.db, command, async tx => {
    const before = await store.readLedgers(tx, institute.id)
    await store.writeLedgers(tx, institute.id, own)
    return { before: Object.fromEntries(before), after: Object.fromEntries(own) }
  })
}

/** The ledgers themselves, for a company in Tally that does not have them yet. */
export async function exportTallyLedgers(ctx: Context, institute: Institute): Promise<ExportedFile> {
  const ledgers = await listTallyLedgers(ctx, institute)
  const byName = new Map(ledgers.map(({ ledger, group }) => [ledger, { name: ledger, group }]))
  const xml = [MASTERS_HEAD, ...[...byName.values()].map(ledgerXml), TALLY_TAIL]
  return { name: 'tally-ledgers.xml', mediaType: MEDIA_TYPES.tally, content: Readable.from(xml) }
}
