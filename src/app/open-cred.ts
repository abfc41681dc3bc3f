import type { CredGround } from '../loans/context.ts'
import { disbursementPurpose } from '../loans/disbursements.service.ts'
import type { Lender, LenderName } from '../loans/lender-port.ts'
import { takeLenderCallback } from '../loans/lender-news.service.ts'
import { createSandboxLender } from '../sandbox/lender/simulator.client.ts'
import type { SandboxLender } from '../sandbox/lender/simulator.ts'
import type { Till } from '../payments/context.ts'

/** The lenders that this installation has, and what their money is for. Live mode knows no sandbox lender. */
export function openCred<Ground extends Till>(
  till: Ground,
): { cred: Ground & CredGround; lender: SandboxLender | null } {
  const lenders = new Map<LenderName, Lender>()
  const lender =
    till.mode === 'sandbox'
      ? createSandboxLender(till, till.vault.deriveKey('sandbox lender callbacks'))
      : null
  if (lender !== null) lenders.set('sandbox', lender)
  const cred = Object.assign(till, { lenders, currentLender: lender?.name ?? null })
  cred.purposes.set('disbursement', disbursementPurpose(cred))
  if (lender !== null) lender.tell = callback => takeLenderCallback(cred, 'sandbox', callback)
  return { cred, lender }
}
