import { createHash } from 'node:crypto'
import { unavailable } from '../../platform/errors.ts'
import { isObject, readList, readObject, readOptionalText, readText } from '../http.ts'
import {
  type CreditAtProvider,
  type CreditReport,
  type OpenedVirtualAccount,
  ProviderRefused,
  type VirtualAccountPort,
  type VirtualAccountRequest,
} from '../port.ts'
import { type Connection, find, refusal, repeatable } from './connection.ts'
import { type Event, readId, readMoney, readOptionalMoment } from './shapes.ts'

/** Account numbers by Virtual Bank Accounts, which take bank transfers and have no UPI id. */
export function createVirtualAccounts(connection: Connection): VirtualAccountPort {
  return {
    open: request => openAccount(connection, request),
    close: ({ providerRef }) => closeAccount(connection, providerRef),
    findCredit: money => findCredit(connection, money),
  }
}

/** These calls have a version of their own. */
const VERSION = { 'x-api-version': '2024-07-10' }
const NAME_CHARACTERS = 100

/**
 * Its id there has at most 20 letters and digits and becomes part of the account number, so ours is too long for it: it is the
 * number of the institute, and enough of a digest to be one account's of that institute.
 */
function accountIdOf({ instituteId, virtualAccountId }: VirtualAccountRequest): string {
  const digest = createHash('sha256').update(virtualAccountId).digest('hex').slice(0, 14)
  return `${instituteId}v${BigInt(`0x${digest}`).toString(36).padStart(10, '0').slice(-10)}`
}

function instituteOf(accountId: string | null): number | null {
  const [, institute] = /^([1-9]\d{0,8})v[0-9a-z]{10}$/.exec(accountId ?? '') ?? []
  return institute === undefined ? null : Number(institute)
}

const pathOf = (accountId: string): string => `/vba/${encodeURIComponent(accountId)}`

async function openAccount(
  { begin }: Connection,
  request: VirtualAccountRequest,
): Promise<OpenedVirtualAccount> {
  const call = begin()
  const id = accountIdOf(request)
  const details = { virtual_account_id: id, virtual_account_name: nameOf(request.holderName) }
  const made = await call('POST', '/vba', readAccounts, {
    body: { virtual_account_details: details },
    headers: { ...repeatable(id), ...VERSION },
  }).catch(refusal)
  const found = made instanceof ProviderRefused ? await find(call, pathOf(id), readAccounts, VERSION) : made
  if (found === null) throw made
  const account = found.find(one => one.status === 'ACTIVE') ?? found[0]
  if (account === undefined) throw unavailable('Cashfree gave no account number.')
  return { providerRef: id, accountNumber: account.number, ifsc: account.ifsc, upiId: null }
}

/** Letters, digits and spaces are all that it may have. */
function nameOf(holderName: string): string {
  const plain = holderName
    .normalize('NFKD')
    .replaceAll(/[^0-9A-Za-z]+/g, ' ')
    .trim()
  return plain.slice(0, NAME_CHARACTERS).trim() || 'School fees'
}

/** It may have a number at each of several banks. */
async function closeAccount({ begin }: Connection, id: string): Promise<void> {
  const call = begin()
  const accounts = (await find(call, pathOf(id), readAccounts, VERSION)) ?? []
  for (const { bank } of accounts.filter(one => one.status === 'ACTIVE'))
    await call('PATCH', pathOf(id), readAccounts, {
      body: { bank_codes: bank, status: 'INACTIVE' },
      headers: VERSION,
    })
}

type BankAccount = { bank: string; number: string; ifsc: string; status: string }

function readAccounts(value: unknown): BankAccount[] {
  const answer = readObject(value, 'answer')
  return readList(answer, 'virtual_bank_accounts', 'answer').map((one, index) => {
    const at = `virtual_bank_accounts[${index}]`
    const account = readObject(one, at)
    return {
      bank: readText(account, 'vba_bank_code', at),
      number: readId(account, 'vba_account_number', at),
      ifsc: readText(account, 'vba_ifsc', at),
      status: readText(account, 'vba_status', at),
    }
  })
}

/** Cashfree makes an order of its own for each transfer: refunds ask for it by that, and pay-outs name it. */
export function creditRefOf(orderId: string): string {
  return `vba/${orderId}`
}

export function orderOfCredit(providerRef: string | null): string | null {
  return providerRef?.startsWith('vba/') === true ? providerRef.slice('vba/'.length) : null
}

/** The event about money that came; null when it came otherwise, or the account number is none of ours. */
export function readCredited({ type, data, at }: Event): CreditReport | null {
  const payment = isObject(data['payment']) ? data['payment'] : {}
  const method = isObject(payment['payment_method']) ? payment['payment_method'] : {}
  const transfer = method['vba_transfer']
  if (type !== 'PAYMENT_SUCCESS_WEBHOOK' || !isObject(transfer)) return null
  const place = 'data.payment.payment_method.vba_transfer'
  const accountRef = readOptionalText(transfer, 'vaccount_id', place)
  const instituteId = instituteOf(accountRef)
  if (instituteId === null || accountRef === null) return null
  return {
    about: 'credit',
    instituteId,
    accountRef,
    providerRef: creditRefOf(readText(readObject(data['order'], 'data.order'), 'order_id', 'data.order')),
    utr: readText(transfer, 'utr', place),
    amountPaise: readMoney(payment, 'payment_amount', 'data.payment'),
    remitterName: readOptionalText(transfer, 'remitter_name', place),
    remitterAccount: readOptionalText(transfer, 'remitter_account', place),
    creditedAt: readOptionalMoment(payment, 'payment_time', 'data.payment') ?? at,
  }
}

/** Found by its UTR alone. Where there are several of ours under one, none of them is known to be it. */
async function findCredit(
  { begin, now }: Connection,
  { providerRef, utr }: CreditAtProvider,
): Promise<CreditReport | null> {
  if (orderOfCredit(providerRef) === null || utr === null) return null
  const path = `/vba/payments/${encodeURIComponent(utr)}`
  const [found, ...more] = ((await find(begin(), path, readPayments, VERSION)) ?? []).filter(
    one => one.status === 'SUCCESS' && one.instituteId !== null,
  )
  if (found === undefined || found.instituteId === null || more.length > 0) return null
  const { instituteId, accountRef, amountPaise, remitterName, remitterAccount, at } = found
  const remitter = { remitterName, remitterAccount }
  const about = { about: 'credit', instituteId, accountRef, providerRef, utr } as const
  return { ...about, amountPaise, ...remitter, creditedAt: at ?? now() }
}

function readPayments(value: unknown) {
  return readList(readObject(value, 'answer'), 'payment_details', 'answer').map((one, index) => {
    const at = `payment_details[${index}]`
    const payment = readObject(one, at)
    const accountRef = readText(payment, 'virtual_account_id', at)
    return {
      accountRef,
      instituteId: instituteOf(accountRef),
      status: readText(payment, 'txstatus', at),
      amountPaise: readMoney(payment, 'amount', at),
      remitterName: readOptionalText(payment, 'remitter_name', at),
      remitterAccount: readOptionalText(payment, 'remitter_account', at),
      at: readOptionalMoment(payment, 'txtime', at),
    }
  })
}
