import { unavailable } from '../../platform/errors.ts'
import { type Call, isObject, readObject, readText } from '../http.ts'
import {
  type CreditAtProvider,
  type CreditReport,
  type OpenedVirtualAccount,
  ProviderRefused,
  type VirtualAccountPort,
  type VirtualAccountRequest,
} from '../port.ts'
import { readAccount, readTransfer, reportOfCredit, TRANSFERS, type VirtualAccount } from './credits.ts'
import * as shapes from './shapes.ts'

/**
 * Account numbers by Smart Collect. An account has no id of ours that Razorpay keeps unique, so one whose answer was lost
 * is looked for among those made since it was first asked for, by the id in its notes.
 */
export function createVirtualAccounts(
  begin: () => Call,
  once: (key: string, act: () => Promise<OpenedVirtualAccount>) => Promise<OpenedVirtualAccount>,
): VirtualAccountPort {
  return {
    open: request => once(request.virtualAccountId, () => openAccount(begin(), request)),
    close: ({ providerRef }) => closeAccount(begin(), providerRef),
    findCredit: money => findCredit(begin(), money),
  }
}

const DESCRIPTION_CHARACTERS = 2_048

async function openAccount(call: Call, request: VirtualAccountRequest): Promise<OpenedVirtualAccount> {
  const known = request.askedAt === null ? null : await findAccount(call, request, request.askedAt)
  const account = known ?? (await createAccount(call, request))
  const [bank, vpa] = ['bank_account', 'vpa'].map(entity =>
    account.receivers.find(one => one['entity'] === entity),
  )
  if (bank === undefined) throw unavailable(`Razorpay gave ${account.id} no bank account.`)
  return {
    providerRef: account.id,
    accountNumber: readText(bank, 'account_number', 'receivers'),
    ifsc: readText(bank, 'ifsc', 'receivers'),
    upiId: vpa === undefined ? null : readText(vpa, 'address', 'receivers'),
  }
}

/** UPI ids are not given in test mode, nor to every account: a number alone is better than none. */
async function createAccount(call: Call, request: VirtualAccountRequest): Promise<VirtualAccount> {
  const create = (types: readonly string[]): Promise<VirtualAccount> => {
    const body = {
      receivers: { types },
      description: request.holderName.slice(0, DESCRIPTION_CHARACTERS),
      notes: { institute_id: String(request.instituteId), virtual_account_id: request.virtualAccountId },
    }
    return call('POST', '/v1/virtual_accounts', readAccount, { body })
  }
  return create(['bank_account', 'vpa']).catch((error: unknown) => {
    if (!(error instanceof ProviderRefused)) throw error
    return create(['bank_account'])
  })
}

const PAGE = 100
const MAX_PAGES = 100
/** Their clock and ours may differ, and a sandbox's may be ahead of both. */
const MARGIN_MS = 5 * 60_000

async function findAccount(
  call: Call,
  { virtualAccountId }: VirtualAccountRequest,
  askedAt: Date,
): Promise<VirtualAccount | null> {
  const from = Math.floor((Math.min(askedAt.getTime(), Date.now()) - MARGIN_MS) / 1_000)
  for (let page = 0; page < MAX_PAGES; page++) {
    const path = `/v1/virtual_accounts?from=${from}&count=${PAGE}&skip=${page * PAGE}`
    const listed = await call('GET', path, answer => shapes.readItems(answer, readAccount))
    // The first made is the one of which somebody may have the number.
    const found = listed.findLast(one => one.ourId === virtualAccountId && one.status === 'active')
    if (found !== undefined) return found
    if (listed.length < PAGE) return null
  }
  throw unavailable('Razorpay lists too many account numbers to find one.')
}

/** Refused where it is closed already; Razorpay then says so when it is read. */
async function closeAccount(call: Call, id: string): Promise<void> {
  const path = `/v1/virtual_accounts/${encodeURIComponent(id)}`
  try {
    await call('POST', `${path}/close`, readAccount)
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error
    const { status } = await call('GET', path, readAccount)
    if (status !== 'closed') throw error
  }
}

/** A payment by another way, or to an account number that is none of ours, is nobody's transfer. */
async function findCredit(call: Call, { providerRef }: CreditAtProvider): Promise<CreditReport | null> {
  const path = `/v1/payments/${encodeURIComponent(providerRef)}`
  const payment = await call('GET', path, answer =>
    isObject(answer) && answer['currency'] === 'INR' ? shapes.readPayment(answer) : null,
  )
  const kind = payment === null ? undefined : TRANSFERS[payment.method]
  if (payment === null || kind === undefined) return null
  try {
    const read = (answer: unknown) => ({
      transfer: readTransfer(answer, kind),
      account: readAccount(readObject(answer, kind)['virtual_account'], `${kind}.virtual_account`),
    })
    const { account, transfer } = await call('GET', `${path}/${kind}`, read)
    return reportOfCredit(account, payment, transfer)
  } catch (error) {
    if (error instanceof ProviderRefused) return null
    throw error
  }
}
