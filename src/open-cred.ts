import type { CredGround } from './cred/cred-ground.ts'
import { disbursementPurpose } from './cred/disbursements.service.ts'
import type { Lender, LenderName } from './cred/lender-port.ts'
import { takeLenderCallback } from './cred/news.service.ts'
import { createSandboxLender } from './cred/sandbox-lender.client.ts'
import type { SandboxLender } from './cred/sandbox-lender.ts'
import type { Till } from './payments/till.ts'

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
