import { randomInt } from 'node:crypto'
import { type EmulatorAnswer, type Fields, textOf } from '../server.ts'
import { type Books, emit, found, newId, newPayment, page, refuse } from './books.ts'
import type { Notes, Payment, Transfer, VirtualAccount } from './entities.ts'

/** Smart Collect: account numbers and UPI ids, and what payers' banks send to them. */
export function createAccount(books: Books, body: Fields): EmulatorAnswer {
  const { types = [] } = (body['receivers'] ?? {}) as { types?: string[] }
  if (types.length === 0 || types.some(type => type !== 'bank_account' && type !== 'vpa'))
    return refuse('The receivers field is required.')
  if (types.includes('vpa') && !books.habits.givesUpiIds) return refuse('Vpa is not enabled for the merchant')
  const id = newId('va')
  const account: VirtualAccount = {
    id,
    name: 'Acme School',
    entity: 'virtual_account',
    status: 'active',
    description: textOf(body, 'description'),
    amount_expected: null,
    notes: (body['notes'] as Notes | undefined) ?? [],
    amount_paid: 0,
    customer_id: null,
    receivers: types.map(type => (type === 'vpa' ? newVpa() : newBankAccount())),
    close_by: null,
    closed_at: null,
    created_at: books.now(),
  }
  books.virtualAccounts.set(id, account)
  return { status: 200, body: account }
}

function newBankAccount(): Fields {
  return {
    id: newId('ba'),
    entity: 'bank_account',
    ifsc: 'RATN0VAAPIS',
    bank_name: 'RBL Bank',
    name: 'Acme School',
    notes: [],
    account_number: `222333${randomInt(10 ** 9, 10 ** 10)}`,
  }
}

function newVpa(): Fields {
  const username = `rpy.payto${randomInt(10 ** 10, 10 ** 11)}`
  return { id: newId('vpa'), entity: 'vpa', username, handle: 'icici', address: `${username}@icici` }
}

/** The newest first, as lists of Razorpay are. */
export function listAccounts(books: Books, query: URLSearchParams): EmulatorAnswer {
  const from = Number(query.get('from') ?? 0)
  const made = [...books.virtualAccounts.values()].filter(one => one.created_at >= from)
  return page(made.toReversed(), query)
}

export function closeAccount(books: Books, id: string): EmulatorAnswer {
  const account = books.virtualAccounts.get(id)
  if (account === undefined) return found(undefined)
  if (account.status === 'closed') return refuse('Virtual account is already closed')
  Object.assign(account, { status: 'closed', closed_at: books.now() })
  emit(books, 'virtual_account.closed', { virtual_account: account })
  return { status: 200, body: account }
}

export type TestTransfer = { paise: number; utr: string; name: string; account?: string; isUpi?: boolean }

/** A payer's bank transfers money. An account that is closed takes none: it goes back. */
export function transfer(books: Books, id: string, sent: TestTransfer): Payment | null {
  const account = books.virtualAccounts.get(id)
  if (account?.status !== 'active') return null
  const { paise, utr, isUpi = false } = sent
  const payment = newPayment(books, {
    amount: paise,
    method: isUpi ? 'upi' : 'bank_transfer',
    notes: books.habits.attemptsInheritNotes ? account.notes : [],
    vpa: isUpi ? 'asha@exampleupi' : null,
    acquirer_data: isUpi ? { rrn: utr } : {},
  })
  account.amount_paid += paise
  const made = isUpi ? upiTransfer(account, payment, sent) : bankTransfer(account, payment, sent)
  books.transfers.set(payment.id, made)
  emit(books, 'payment.captured', { payment })
  emit(books, 'virtual_account.credited', { payment, virtual_account: account, [made.entity]: made })
  return payment
}

function bankTransfer(
  virtualAccount: VirtualAccount,
  { id: payment_id, amount }: Payment,
  { utr, name, account = '' }: TestTransfer,
): Transfer {
  return {
    id: newId('bt'),
    entity: 'bank_transfer',
    payment_id,
    mode: 'NEFT',
    bank_reference: utr,
    amount,
    payer_bank_account: {
      id: newId('ba'),
      entity: 'bank_account',
      ifsc: 'HDFC0000053',
      bank_name: 'HDFC Bank',
      name,
      notes: [],
      account_number: account,
    },
    virtual_account_id: virtualAccount.id,
    virtual_account: virtualAccount,
  }
}

function upiTransfer(
  virtualAccount: VirtualAccount,
  { id: payment_id, amount, vpa }: Payment,
  { utr, account = '' }: TestTransfer,
): Transfer {
  return {
    id: newId('ut'),
    entity: 'upi_transfer',
    amount,
    payer_vpa: vpa,
    payer_bank: 'HDFC BANK LTD',
    payer_account: account,
    payer_ifsc: 'HDFC0000053',
    payment_id,
    npci_reference_id: utr,
    virtual_account_id: virtualAccount.id,
    virtual_account: virtualAccount,
  }
}

/** As it is asked for by the payment, under the name of its entity. */
export function readTransfer(books: Books, paymentId: string, entity: string): EmulatorAnswer {
  const made = books.transfers.get(paymentId)
  return found(made?.entity === entity ? made : undefined)
}
