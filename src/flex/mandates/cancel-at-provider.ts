import { mandatesOf } from '../../payments/context.ts'
import type { FlexContext } from '../context.ts'
import type { Mandate } from '../rules/plan.rules.ts'

/** Tells the bank that a mandate is over. If it cannot be told, nothing is debited under it all the same. */
export async function cancelAtProvider(ctx: FlexContext, mandate: Mandate): Promise<void> {
  if (mandate.providerRef === null) return
  const { instituteId, id: mandateId, providerRef } = mandate
  await mandatesOf(ctx, mandate.provider)
    .cancel({ instituteId, mandateId, providerRef })
    .catch(() => {})
}
