import { upiLink } from '../../providers/upi.ts'
import type { OpenVirtualAccount } from './virtual-accounts.store.ts'

/** What a UPI app opens to pay into the account of a student: without an amount, because the family chooses it in the app. */
export function studentUpiLink(
  { state, upiId }: Pick<OpenVirtualAccount, 'state' | 'upiId'>,
  { who, school }: { who: string; school: string },
): string | null {
  return state === 'active' && upiId !== null
    ? upiLink('pay', { pa: upiId, pn: school, cu: 'INR', tn: who })
    : null
}
