import { anyAddress } from '../../platform/http-client/addresses.ts'
import { HttpClient } from '../../platform/http-client/http-client.ts'
import { internationalNumber, textAt } from '../messages.rules.ts'
import { outcomeOf, type ProviderVerdict, type Sender } from '../senders.ts'

export type WhatsappSettings = {
  /** Includes the API version. */
  url: string
  /** Meta's id of the phone number it comes from. */
  phoneId: string
  token: string
  /** Approved by Meta; its body has one variable, which takes our text. */
  template: string
  language: string
}

const SEND_LIMIT_MS = 15_000
const ANSWER_BYTES = 64 * 1024

/**
 * WhatsApp through Meta's Cloud API: https://developers.facebook.com/docs/whatsapp/cloud-api. By template always: Meta
 * takes any other text from us too, and then drops it unless the family wrote to that number within the last 24 hours.
 */
export function createWhatsappSender(settings: WhatsappSettings, limitMs = SEND_LIMIT_MS): Sender {
  const { url, phoneId, token, template, language } = settings
  // The operator chose where it is. Nothing has to close it: an idle connection keeps no process alive.
  const httpClient = new HttpClient({ policy: anyAddress })
  return {
    async send({ id, recipient, body }) {
      const to = internationalNumber(recipient)
      if (to === null) return { kind: 'refused', reason: 'this is not a number WhatsApp can go to' }
      const parameters = [{ type: 'text', text: inOneLine(body) }]
      const result = await httpClient.send({
        method: 'POST',
        url: `${url}/${phoneId}/messages`,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to,
          type: 'template',
          template: {
            name: template,
            language: { code: language },
            components: [{ type: 'body', parameters }],
          },
          biz_opaque_callback_data: id,
        }),
        timeoutMs: limitMs,
        maxBytes: ANSWER_BYTES,
      })
      return outcomeOf(result, readAnswer, [token])
    },
  }
}

/** A variable with a line break, a tab or many blanks in a row is refused. */
function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** Limits that Meta answers with a 400: of the account or the number, and of messages to one recipient. */
const BUSY = ['4', '80007', '130429', '131048']
const BUSY_RECIPIENT = '131056'

function readAnswer(json: unknown): ProviderVerdict {
  if (textAt(json, 'messages', 0, 'id') !== '') return { verdict: 'taken', reason: '' }
  const code = textAt(json, 'error', 'code')
  const parts = [textAt(json, 'error', 'message'), textAt(json, 'error', 'error_data', 'details')]
  const reason = parts.filter(part => part !== '').join(': ')
  if (code === BUSY_RECIPIENT) return { verdict: 'busy_recipient', reason }
  return { verdict: BUSY.includes(code) ? 'busy' : null, reason }
}
