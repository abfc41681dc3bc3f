import { assertNever } from '../../platform/assert.ts'
import type { NoticeKind } from '../delivery-log/deliveries.rules.ts'
import type { DisabledBecause } from '../subscriptions/subscriptions.rules.ts'

/** One subscription's mail that is due. */
export type DueMail = {
  instituteId: number
  instituteCode: string
  instituteName: string
  webhookId: string
  eventCode: string
  url: string
  failureEmails: string
  failuresInRow: number
  disabledBecause: DisabledBecause | null
  notices: { kind: NoticeKind; times: number; deliveryId: string; firstAt: string }[]
}

/** What a failure mail says: ids, codes and a link, and nothing of any person. */
export function writeFailureMail(mail: DueMail, linkOf: (deliveryId: string) => string): MailText {
  const { eventCode, url, webhookId, notices } = mail
  const address = withoutQuery(url)
  const lines = notices.map(notice => `- ${sentence(mail, notice)}\n  ${linkOf(notice.deliveryId)}`)
  const body = [
    `Webhook ${webhookId} of ${mail.instituteName}`,
    `Event: ${eventCode}`,
    `Address: ${address}`,
    '',
    ...lines,
    '',
    ...adviceOn(mail),
    '',
    'At most one such mail an hour is sent for a webhook; further failures are collected in the next one.',
  ]
  return {
    subject: `${HEADS[adviceFor(mail)]}: ${eventCode} of ${mail.instituteName}`,
    body: body.join('\n'),
  }
}

type MailText = { subject: string; body: string }
type WebhookTrouble = 'disabled' | 'recovered' | 'failing'

const HEADS: Record<WebhookTrouble, string> = {
  disabled: 'Webhook disabled',
  recovered: 'Webhook recovered',
  failing: 'Webhook failing',
}

const ADVICE: Record<WebhookTrouble, string> = {
  disabled:
    'Nothing more is sent to it. Mend the endpoint, add the webhook again, then recover what it missed: POST /api/v1/integrations/erp/webhooks/:id/recover.',
  recovered: 'Deliveries arrive again; what was waiting is being sent.',
  failing:
    'Deliveries are retried for about three days. Any answer from 200 to 299 within 15 seconds counts as received.',
}

/** Deliveries that were given up are sent again only by the reader, so the mail says how. */
function adviceOn(mail: DueMail): string[] {
  const situation = adviceFor(mail)
  const hasGivenUp = mail.notices.some(({ kind }) => kind === 'exhausted')
  if (situation === 'disabled') return [ADVICE.disabled]
  if (!hasGivenUp)
    return situation === 'recovered' ? [ADVICE.recovered, 'There is nothing to do.'] : [ADVICE.failing]
  return [
    ADVICE[situation],
    'What was given up is not tried again by itself. Once the endpoint is well, send it again from its page above, or all of it: POST /api/v1/integrations/erp/webhooks/:id/recover.',
  ]
}

/** Says where the subscription stands when the mail is written, whatever it went through before. */
function adviceFor({ disabledBecause, failuresInRow, notices }: DueMail): WebhookTrouble {
  if (disabledBecause !== null) return 'disabled'
  const hasRecovered = notices.some(({ kind }) => kind === 'recovered')
  return failuresInRow === 0 && hasRecovered ? 'recovered' : 'failing'
}

function sentence(mail: DueMail, { kind, times }: DueMail['notices'][number]): string {
  switch (kind) {
    case 'failing':
      return 'Three attempts in a row have failed.'
    case 'exhausted':
      return times === 1
        ? 'One delivery was given up after its last retry.'
        : `${times} deliveries were given up after their last retry.`
    case 'disabled':
      return mail.disabledBecause === 'gone'
        ? 'The endpoint answered 410 Gone, so the webhook is disabled.'
        : 'A hundred attempts in a row failed over more than a day, so the webhook is disabled.'
    case 'recovered':
      return 'An attempt has succeeded again.'
    default:
      return assertNever(kind)
  }
}

/** A query may carry a key of the receiver's. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
