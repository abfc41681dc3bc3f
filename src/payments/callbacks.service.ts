import { assertNever } from '../platform/assert.ts'
import { badRequest } from '../platform/errors.ts'
import { applyReturn } from './refunds/returns.service.ts'
import { applyReport } from './payments.service.ts'
import type { Callback, ProviderName } from '../providers/port.ts'
import { applyRefundReport } from './refunds/refunds.service.ts'
import { providerOf, type PaymentContext } from './context.ts'

/** Takes what a provider posts: believed only with its signature, applied once however often it comes. */
export async function takeCallback(
  ctx: PaymentContext,
  name: ProviderName,
  callback: Callback,
): Promise<void> {
  const reports = await providerOf(ctx, name).readCallback(callback)
  if (reports === null) throw badRequest('The signature is missing or wrong.')
  for (const report of reports) {
    switch (report.about) {
      case 'payment':
        await applyReport(ctx, report)
        break
      case 'refund':
        await applyRefundReport(ctx, report)
        break
      case 'mandate':
        await ctx.onMandate(report)
        break
      case 'return':
        await applyReturn(ctx, report)
        break
      default:
        assertNever(report)
    }
  }
}
