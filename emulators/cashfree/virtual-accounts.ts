import { type EmulatorAnswer, type Fields, textOf } from '../server.ts'
import { type Books, emit, found, newNumber, refuse, timeOf } from './books.ts'
import type { Transfer, VirtualAccount } from './entities.ts'
import { record } from './settlements.ts'

/** Virtual Bank Accounts, and what payers' banks send to them. */
export function createAccount(books: Books, body: Fields): EmulatorAnswer {
  const details = (body['virtual_account_details'] ?? {}) as Fields
  const [id, name] = [textOf(details, 'virtual_account_id'), textOf(details, 'virtual_account_name')]
  if (!/^[0-9A-Za-z]{1,20}$/.test(id))
    return refuse(400, 'virtual_account_id_invalid', 'virtual_account_id : should be alphanumeric')
  if (!/^[0-9A-Za-z ]+$/.test(name))
    return refuse(400, 'virtual_account_name_invalid', 'virtual_account_name : is invalid')
  if (books.virtualAccounts.has(id))
    return refuse(409, 'virtual_account_id_already_exists', 'virtual account with same id is already present')
  const account: VirtualAccount = {
    vba_bank_code: 'UTIB',
    // The prefix of the merchant, and the id.
    vba_account_number: `9435${id.toUpperCase()}`,
    vba_ifsc: 'UTIB0CCH274',
    vba_status: 'ACTIVE',
    vba_created_on: timeOf(books),
    vba_last_updated_on: timeOf(books),
    virtual_account_details: { virtual_account_id: id, virtual_account_name: name },
  }
  books.virtualAccounts.set(id, account)
  return answerOf(account)
}

function answerOf(account: VirtualAccount): EmulatorAnswer {
  return { status: 200, body: { virtual_bank_accounts: [account] } }
}

export function readAccount(books: Books, id: string): EmulatorAnswer {
  const account = books.virtualAccounts.get(id)
  return account === undefined ? found(undefined, 'vba') : answerOf(account)
}

export function manageAccount(books: Books, id: string, body: Fields): EmulatorAnswer {
  const account = books.virtualAccounts.get(id)
  if (account === undefined) return found(undefined, 'vba')
  const status = textOf(body, 'status')
  if (body['bank_codes'] !== account.vba_bank_code)
    return refuse(400, 'bank_codes_invalid', 'bank_codes : is invalid')
  if (status !== 'ACTIVE' && status !== 'INACTIVE')
    return refuse(400, 'status_invalid', 'status : is invalid')
  Object.assign(account, { vba_status: status, vba_last_updated_on: timeOf(books) })
  return answerOf(account)
}

export function listByUtr(books: Books, utr: string): EmulatorAnswer {
  const made = books.transfers.filter(one => one.utr === utr)
  return made.length === 0 ? found(undefined, 'payment') : { status: 200, body: { payment_details: made } }
}

export type TestTransfer = { rupees: number; utr: string; name: string; account?: string }

/** A payer's bank transfers money. An account that is inactive takes none: it goes back. */
export function transfer(
  books: Books,
  id: string,
  { rupees, utr, name, account = '' }: TestTransfer,
): boolean {
  const to = books.virtualAccounts.get(id)
  if (to?.vba_status !== 'ACTIVE') return false
  const [orderId, paymentId] = [`n${newNumber()}`, newNumber()]
  const at = timeOf(books)
  books.transfers.push({
    virtual_account_id: id,
    utr,
    remitter_account: account,
    remitter_name: name,
    amount: String(rupees),
    reference_id: newNumber(),
    credit_ref_number: 'NA',
    // Without a zone, as its page shows it: India's.
    txtime: at.slice(0, 19).replace('T', ' '),
    is_settled: '0',
    txstatus: 'SUCCESS',
  } satisfies Transfer)
  books.payments.push({
    cf_payment_id: paymentId,
    order_id: orderId,
    entity: 'payment',
    is_captured: true,
    order_amount: rupees,
    order_currency: 'INR',
    payment_group: 'vba_transfer',
    payment_currency: 'INR',
    payment_amount: rupees,
    payment_time: at,
    payment_completion_time: at,
    payment_status: 'SUCCESS',
    payment_message: 'NA',
    bank_reference: utr,
  })
  record(books, { type: 'PAYMENT', amount: rupees, orderId, paymentId, group: 'vba_transfer', utr })
  tell(books, to, { orderId, paymentId, rupees, utr, name, account, at })
  return true
}

type AnnouncedTransfer = Required<TestTransfer> & { orderId: string; paymentId: string; at: string }

function tell(books: Books, to: VirtualAccount, told: AnnouncedTransfer): void {
  const { orderId, paymentId, rupees, utr, name, account, at } = told
  emit(books, 'PAYMENT_SUCCESS_WEBHOOK', {
    order: { order_id: orderId, order_amount: rupees, order_currency: 'INR', order_tags: null },
    payment: {
      cf_payment_id: paymentId,
      payment_status: 'SUCCESS',
      payment_amount: rupees,
      payment_currency: 'INR',
      payment_message: 'NA',
      payment_time: at,
      bank_reference: utr,
      auth_id: null,
      payment_method: {
        vba_transfer: {
          utr,
          credit_ref_no: 'NA',
          remitter_account: account,
          remitter_name: name,
          remitter_ifsc: 'HDFC0000053',
          email: null,
          phone: null,
          vaccount_id: to.virtual_account_details.virtual_account_id,
          vaccount_number: to.vba_account_number,
        },
      },
      payment_group: 'vba_transfer',
      international_payment: null,
      payment_surcharge: { payment_surcharge_service_charge: 0, payment_surcharge_service_tax: 0 },
    },
    customer_details: { customer_name: name, customer_id: null, customer_email: null, customer_phone: null },
  })
}
