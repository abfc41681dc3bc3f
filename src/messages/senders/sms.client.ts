import { anyAddress } from '../../platform/http-client/addresses.ts'
import { HttpClient } from '../../platform/http-client/http-client.ts'
import { englishName, internationalNumber, textAt } from '../messages.rules.ts'
import { outcomeOf, type ProviderVerdict, type Sender } from '../senders.ts'

export type SmsSettings = {
  url: string
  apiKey: string
  apiToken: string
  accountSid: string
  /** The header, the entity and the templates as they are registered with DLT, without which no operator delivers. */
  senderId: string
  entityId: string
  /** Used for texts that have no template of their own. */
  templateId: string
  /** Template ids by the name of the text. */
  templateIds: Readonly<Record<string, string>>
}

const SEND_LIMIT_MS = 15_000
const ANSWER_BYTES = 64 * 1024

/** SMS through Exotel: https://developer.exotel.com/api/sms */
export function createSmsSender(settings: SmsSettings, limitMs = SEND_LIMIT_MS): Sender {
  const { url, apiKey, apiToken, accountSid } = settings
  // The operator chose where it is. Nothing has to close it: an idle connection keeps no process alive.
  const httpClient = new HttpClient({ policy: anyAddress })
  const credentials = Buffer.from(`${apiKey}:${apiToken}`).toString('base64')
  return {
    async send({ id, recipient, ...letter }) {
      const to = internationalNumber(recipient)
      if (to === null) return { kind: 'refused', reason: 'this is not a number an SMS can go to' }
      const { body, templateId } = registeredText(settings, letter)
      const result = await httpClient.send({
        method: 'POST',
        url: `${url}/v1/Accounts/${encodeURIComponent(accountSid)}/Sms/send.json`,
        headers: {
          authorization: `Basic ${credentials}`,
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({
          From: settings.senderId,
          To: to,
          Body: body,
          EncodingType: isPlain(body) ? 'plain' : 'unicode',
          DltEntityId: settings.entityId,
          DltTemplateId: templateId,
          // Names the template's kind, or Exotel would look for it among those entered at its own site.
          SmsType: 'transactional',
          CustomField: id,
        }).toString(),
        timeoutMs: limitMs,
        maxBytes: ANSWER_BYTES,
      })
      return outcomeOf(result, readAnswer, [credentials, apiToken])
    },
  }
}

type Text = { body: string; template: string | null; inEnglish?: string | null }

/** Operators drop a text that is not registered: one whose language is not goes in English, if that is. */
function registeredText(
  { templateIds, templateId }: SmsSettings,
  { body, template, inEnglish = null }: Text,
): { body: string; templateId: string } {
  const own = templateIds[template ?? '']
  if (own !== undefined) return { body, templateId: own }
  const english = templateIds[englishName(template ?? '')]
  if (english !== undefined && inEnglish !== null) return { body: inEnglish, templateId: english }
  return { body, templateId }
}

/** The printable part of ASCII, which is all that an SMS of 160 characters is sure to have. */
function isPlain(text: string): boolean {
  return /^[\n\r\x20-\x5f\x61-\x7e]*$/.test(text)
}

function readAnswer(json: unknown): ProviderVerdict {
  const status = textAt(json, 'SMSMessage', 'Status')
  if (status.startsWith('failed')) {
    return { verdict: 'refused', reason: `${status} ${textAt(json, 'SMSMessage', 'DetailedStatus')}`.trim() }
  }
  const isTaken = textAt(json, 'SMSMessage', 'Sid') !== ''
  return { verdict: isTaken ? 'taken' : null, reason: textAt(json, 'RestException', 'Message') }
}
