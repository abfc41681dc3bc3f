import type { TokenScope } from '../console/tokens/tokens.rules.ts'
import { badRequest } from '../platform/errors.ts'
import type { Tool } from './tools.ts'

/**
 * What an assistant can do for a person. The first call only shows what would happen and answers a confirmation; the same
 * call with it does it, once. Roles, limits, approvals and the audit log are those of the console's operation.
 */
export type Act = Tool & {
  scope: TokenScope
  /** What the operation is told beside what the assistant says. */
  adds?: (look: Look, sent: Arguments) => Promise<Arguments>
  /** Shows what it would be done to. */
  preview: (look: Look, whole: Arguments) => Promise<unknown>
}

export type Arguments = Readonly<Record<string, unknown>>

/** Asks another operation below the institute, as the same person; answers its data. */
export type Look = (method: 'GET' | 'POST', path: string, body?: Arguments) => Promise<unknown>

const MOST_CHILDREN = 10

export const ACTS: readonly Act[] = [
  {
    name: 'send_payment_links',
    title: 'Make payment links for dues',
    description:
      'Makes a payment link for what each of up to ten children owes (overdue, due by a day, or all), and sends it by the channels named; without channels nobody is told. A link that stands already is used again.',
    operation: 'POST /students/payment-links',
    scope: 'links',
    preview: (look, { student_ids: ids }) => lookAtChildren(look, ids),
  },
  {
    name: 'remind_families',
    title: 'Remind families of dues',
    description:
      "Reminds the families of the children named of what is overdue or due, in the school's own words, with a link to pay. Nobody is reminded twice a day unless `force` says so.",
    operation: 'POST /reminder-runs',
    takes: ['student_ids', 'scope', 'channels', 'language', 'force'],
    scope: 'reminders',
    adds: async (look, { language = 'en' }) => {
      const texts = (await look('GET', '/reminder-texts')) as {
        language: string
        subject: string
        body: string
      }[]
      const text = texts.find(one => one.language === language)
      return text === undefined ? {} : { subject: text.subject, body: text.body }
    },
    preview: (look, { force: _force, ...whole }) => look('POST', '/reminder-runs/preview', whole),
  },
  {
    name: 'record_payment',
    title: 'Record a payment taken at the counter',
    description:
      'Records money that a family handed over for one child, with a receipt. `fee_components` says what it pays; the preview shows how the school would spread the amount. Never for money paid online: that is recorded by itself.',
    operation: 'POST /students/:service_student_id/payments',
    scope: 'payments',
    async preview(look, { service_student_id: id, amount, ...payment }) {
      const spread = await look('GET', `/students/${encoded(id)}/spread?amount=${encoded(amount)}`)
      return { would_be_recorded: { amount, ...payment }, as_the_school_would_spread_it: spread }
    },
  },
  {
    name: 'redeliver',
    title: 'Send a webhook delivery again',
    description: 'Sends a delivery once more, whatever became of it, with the same event id.',
    operation: 'POST /deliveries/:delivery_id/redeliver',
    scope: 'webhooks',
    preview: (look, { delivery_id: id }) => look('GET', `/deliveries/${encoded(id)}`),
  },
]

function encoded(value: unknown): string {
  return encodeURIComponent(String(value))
}

/** Who they are and what they owe. */
async function lookAtChildren(look: Look, ids: unknown): Promise<unknown> {
  if (!Array.isArray(ids)) return []
  if (ids.length > MOST_CHILDREN) throw badRequest(`Name at most ${MOST_CHILDREN} children at a time.`)
  return Promise.all(
    ids.map(async id => {
      const child = (await look('GET', `/students/${encoded(id)}`)) as Record<string, unknown>
      const { service_student_id, fullname, grade_name, dues, open_orders } = child
      return { service_student_id, fullname, grade_name, dues, open_orders }
    }),
  )
}
