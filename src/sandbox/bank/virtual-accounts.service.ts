import { createHash } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Paise } from '../../platform/money.ts'
import type { CreditReport, VirtualAccountPort } from '../../providers/port.ts'
import * as store from './virtual-accounts.store.ts'

/** No bank has this IFSC, nor this handle: what is sent to them in earnest comes back. */
const IFSC = 'SBXB0000001'
const HANDLE = 'bursarsandbox'

/** A transfer as the payer's bank sends it. */
export type TransferToAccount = {
  instituteId: number
  virtualAccountId: string
  amountPaise: Paise
  /** One of the bank's own when null. */
  utr: string | null
  remitterName: string
}

/** Account numbers at the sandbox's bank. */
export function virtualAccountPort({ db }: Context): VirtualAccountPort {
  return {
    async open({ instituteId, collectorCode, virtualAccountId }) {
      const ref = newId('bank')
      const accountNumber = numberOf(ref)
      const upiId = `fees.${accountNumber}@${HANDLE}`
      const made = { instituteId, ref, virtualAccountId, collectorCode, accountNumber, ifsc: IFSC, upiId }
      const account = await store.openAccount(db, made)
      const { ref: providerRef, ifsc } = account
      return { providerRef, accountNumber: account.accountNumber, ifsc, upiId: account.upiId }
    },
    // It goes on taking money, so that money to a number that was closed here can be tried.
    close: async () => {},
    async findCredit({ instituteId, providerRef: ref }) {
      const credit = await store.findCredit(db, instituteId, { ref })
      return credit === null ? null : reportOf(credit)
    },
  }
}

/** Takes a transfer in; with a UTR that the bank has already it is the one that came before, whatever else is said. */
export async function creditAtBank(
  { db, clock }: Context,
  { instituteId, virtualAccountId, amountPaise, utr, remitterName }: TransferToAccount,
): Promise<CreditReport> {
  return db.transaction(async tx => {
    const account = await store.findAccount(tx, instituteId, virtualAccountId)
    if (account === null) throw notFound('This account number')
    const ref = newId('bank')
    const sent = { ref, utr: utr ?? `SBXN${ref.slice(-13).toUpperCase()}`, amountPaise, remitterName }
    await store.insertCredit(tx, { account, ...sent, creditedAt: clock.now() })
    const credit = await store.findCredit(tx, instituteId, { utr: sent.utr })
    if (credit === null) throw conflict('The bank has another payment under this reference.')
    return reportOf(credit)
  })
}

function reportOf({ account, ref: providerRef, ...credit }: store.BankCredit): CreditReport {
  const { instituteId, ref: accountRef } = account
  return { about: 'credit', instituteId, accountRef, providerRef, remitterAccount: null, ...credit }
}

/** Fifteen digits, the same for a reference each time. */
function numberOf(ref: string): string {
  const digits = BigInt(`0x${createHash('sha256').update(ref).digest('hex').slice(0, 15)}`) % 10n ** 13n
  return `90${String(digits).padStart(13, '0')}`
}
