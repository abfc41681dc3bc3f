import { column, defineList, filter } from '../../http/lists/define-list.ts'
import { field } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { branchFor, type Institute } from '../../institutes/institutes.rules.ts'
import type { PageRange } from '../../platform/db/list.ts'
import { by } from '../../platform/db/sorted-list.ts'
import { toRupees } from '../../platform/money.ts'
import { providerTitle } from '../../providers/catalogue.ts'
import { itemsQuery, listItems, type SettlementItem } from './settlement-items.store.ts'
import { SETTLEMENT } from './settlements.store.ts'
import { settlementFields, settlementItemFields } from './settlement.schemas.ts'

const out = outputOf<{ provider: string; accountTitle: string | null }>()

/** What reached the bank, the newest first. */
export const settlementList = defineList({
  file: 'settlements',
  title: 'Settlements',
  noun: ['settlement', 'settlements'],
  key: 'id',
  columns: {
    settled_at: column(settlementFields.settled_at, { title: 'Settled on (IST)', sort: by.moment }),
    utr: column(settlementFields.utr, { title: 'UTR' }),
    collector_code: column(settlementFields.collector_code, { title: 'Branch' }),
    bank_account_id: settlementFields.bank_account_id,
    bank_account: column(settlementFields.bank_account, { title: 'Bank account', only: 'file' }),
    provider: column(settlementFields.provider, { title: 'Provider', only: 'file' }),
    account_id: settlementFields.account_id,
    account_name: out.text(
      "From which account, as the institute calls it; its provider's name, of one of the installation.",
      'Account of NORTH',
      row => row.accountTitle ?? providerTitle(row.provider),
    ),
    payment_count: column(settlementFields.payment_count, {
      title: 'Payments',
      sort: by.number('payments'),
      only: 'file',
    }),
    refund_count: settlementFields.refund_count,
    gross: column(settlementFields.gross, { title: 'Gross', sort: by.number }),
    charges: column(settlementFields.charges, { title: 'Charges' }),
    refunds: column(settlementFields.refunds, { title: 'Refunds' }),
    chargebacks: settlementFields.chargebacks,
    net: column(settlementFields.net, { title: 'Net', sort: by.number }),
    id: column(settlementFields.id, { title: 'Settlement id', only: 'file' }),
  },
  filters: {
    utr: filter(field.code('Whose UTR begins with this.', 'HDFCR5'), {
      label: 'UTR begins with',
      where: prefix => ['s.utr like $1', `${prefix.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`],
    }),
    from: filter(field.rangeStart('Settled at or after; a bare day begins at midnight in India.'), {
      label: 'Settled from',
      where: 's.settled_at >= $1',
    }),
    to: filter(
      field.rangeEnd('Settled before this moment, or up to the end of this day in India.').as('before'),
      { label: 'Settled up to', where: 's.settled_at < $1' },
    ),
    collector_code: filter(
      field.code('Only of this branch; not compared when the institute has one branch.', 'MAIN'),
      {
        label: 'Branch',
        choices: 'branches',
        where: (code, _now, institute: Institute) => ['s.collector_code = $1', branchFor(institute, code)],
      },
    ),
  },
  rows: {
    select: `${SETTLEMENT}, (select a.title from provider_accounts a
      where a.institute_id = s.institute_id and a.id = s.account_id) as "accountTitle"`,
    from: 'settlements s',
    scope: ({ id }) => [['s.institute_id = $1', id]],
    order: ['settled_at', 'id'],
    direction: 'desc',
  },
})
export type SettlementAnswer = Shown<typeof settlementList.output>

type OneSettlement = { instituteId: number; id: string; utr: string }
const {
  at,
  type,
  payer,
  student_name,
  identifier,
  mode,
  transaction_id,
  receipt_number,
  amount,
  order_id,
  id,
  ...others
} = settlementItemFields

/** What is in one settlement, the newest first. */
export const settlementItemList = defineList({
  // A UTR is a bank's text; what names a file is ours.
  file: ({ utr }: OneSettlement) => `settlement-${utr.replaceAll(/[^A-Za-z0-9-]/g, '')}`,
  title: 'Settlement',
  noun: ['payment or refund', 'payments and refunds'],
  key: 'id',
  columns: {
    at: column(at, { title: 'When (IST)', sort: by.moment }),
    type: column(type, { title: 'What', kind: 'text' }),
    payer: column(payer, { title: 'Payer', sort: by.name }),
    student_name: column(student_name, { title: 'Student', sort: by.name }),
    identifier: column(identifier, { title: 'Admission no.', only: 'file' }),
    mode: column(mode, { title: 'Mode' }),
    transaction_id: column(transaction_id, { title: 'Reference' }),
    receipt_number: column(receipt_number, { title: 'Receipt' }),
    amount: column(amount, {
      title: 'Amount',
      // What was given back is negative, so that the column adds up.
      sort: by.number(`case when type = 'payment' then "amountPaise" else -"amountPaise" end`),
      cell: (row: SettlementItem) => toRupees(row.amountPaise) * (row.type === 'payment' ? 1 : -1),
    }),
    order_id: column(order_id, { title: 'Order', only: 'file' }),
    id: column(id, { title: 'Id', only: 'file' }),
    ...others,
  },
  filters: {},
  rows: {
    page: ({ db }, { instituteId, id }: OneSettlement, _filters, range: PageRange) =>
      listItems(db, instituteId, id, range),
    all: (_ctx, { instituteId, id }: OneSettlement) => itemsQuery(instituteId, id),
  },
})
export type SettlementItemAnswer = Shown<typeof settlementItemList.output>
