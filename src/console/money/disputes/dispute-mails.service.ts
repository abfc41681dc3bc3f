import { queueMessages } from '../../../messages/messages.service.ts'
import { takeDisputesToMail } from '../../../payments/disputes/disputes.service.ts'
import type { Context } from '../../../platform/context.ts'
import { listAddresses } from '../../team/team.store.ts'
import { writeDisputeMail } from './dispute-mail.texts.ts'

/** A dispute is lost if nobody answers it in time: owners and finance get one mail about each. Answers how many. */
export async function mailDisputes(ctx: Context, limit: number): Promise<number> {
  return takeDisputesToMail(ctx, limit, async (tx, disputes, now) => {
    const institutes = [...new Set(disputes.map(({ instituteId }) => instituteId))]
    const addresses = await listAddresses(tx, institutes, ['owner', 'finance'])
    const messages = disputes.flatMap(dispute =>
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
