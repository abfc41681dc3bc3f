import type { LoanContext } from '../loans/context.ts'
import { disbursementPaymentHandler } from '../loans/disbursements.service.ts'
import type { Lender, LenderName } from '../loans/lender-port.ts'
import { takeLenderCallback } from '../loans/lender-news.service.ts'
import { createSandboxLender } from '../sandbox/lender/simulator.client.ts'
import type { SandboxLender } from '../sandbox/lender/simulator.ts'
import type { PaymentContext } from '../payments/context.ts'

/** The lenders that this installation has, and what their money is for. Live mode knows no sandbox lender. */
export function openCred<Ctx extends PaymentContext>(
  ctx: Ctx,
): { cred: Ctx & LoanContext; lender: SandboxLender | null } {
  const lenders = new Map<LenderName, Lender>()
  const lender =
    ctx.mode === 'sandbox' ? createSandboxLender(ctx, ctx.vault.deriveKey('sandbox lender callbacks')) : null
  if (lender !== null) lenders.set('sandbox', lender)
  const cred = Object.assign(ctx, { lenders, currentLender: lender?.name ?? null })
  cred.paymentHandlers.set('disbursement', disbursementPaymentHandler(cred))
  if (lender !== null) lender.tell = callback => takeLenderCallback(cred, 'sandbox', callback)
  return { cred, lender }
}
