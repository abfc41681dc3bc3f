import { after, suite } from 'node:test'
import { conformDebits } from './debits.ts'
import { conformMandates } from './mandates.ts'
import { conformPayments } from './payments.ts'
import { conformRefunds } from './refunds.ts'
import type { OpenRig } from './rig.ts'
import { conformVirtualAccounts } from './virtual-accounts.ts'

/** Holds a provider against everything that Bursar relies on. A new provider brings a rig and a file that calls this. */
export async function conform(open: OpenRig): Promise<void> {
  const rig = await open({ after })
  suite('payments', () => conformPayments(rig))
  suite('refunds and settlements', () => conformRefunds(rig))
  if (rig.provider.virtualAccounts !== undefined) suite('account numbers', () => conformVirtualAccounts(rig))
  if (rig.provider.mandates === undefined) return
  suite('mandates', () => conformMandates(rig))
  suite('debits', () => conformDebits(rig))
}
