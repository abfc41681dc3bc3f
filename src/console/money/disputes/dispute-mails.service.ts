import { queueMessages } from '../../../messages/messages.service.ts'
import { takeDisputesToMail, type DisputeToMail } from '../../../payments/disputes/disputes.service.ts'
import type { Context } from '../../../platform/context.ts'
import { sumPaise } from '../../../platform/money.ts'
import { listAddresses } from '../../team/team.store.ts'
import { writeDisputeMail } from './dispute-mail.texts.ts'

/** A dispute is lost if nobody answers it in time: owners and finance get one mail about each. Answers how many. */
export async function mailDisputes(ctx: Context, limit: number): Promise<number> {
  return takeDisputesToMail(ctx, limit, async (tx, disputes, now) => {
    const institutes = [...new Set(disputes.map(({ instituteId }) => instituteId))]
    const addresses = await listAddresses(tx, institutes, ['owner', 'finance'])
    const messages = atProvider(disputes).flatMap(dispute =>
      addresses
        .filter(({ instituteId }) => instituteId === dispute.instituteId)
        .map(({ instituteId, email }) => ({
          instituteId,
          channel: 'email' as const,
          recipient: email,
          ...writeDisputeMail(dispute, ctx.publicUrl),
          about: dispute.paymentId,
          at: now,
        })),
    )
    await queueMessages(tx, messages)
  })
}

/** One about a payment for several children is answered once, so it is one mail with the whole sum. */
function atProvider(disputes: readonly DisputeToMail[]): DisputeToMail[] {
  const byRef = Map.groupBy(disputes, one => `${one.instituteId} ${one.providerRef}`)
  return [...byRef.values()].flatMap(parts =>
    parts.slice(0, 1).map(first => ({
      ...first,
      amountPaise: sumPaise(parts.map(one => one.amountPaise)),
      deductedPaise: sumPaise(parts.map(one => one.deductedPaise)),
    })),
  )
}
