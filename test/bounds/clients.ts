import { reachPublicUrl } from '../../src/app/doctor/doctor.client.ts'
import { readFigures } from '../../src/app/support/support.client.ts'
import { fetchStudent } from '../../src/erp/erp.client.ts'
import { sendToCell } from '../../src/institutes/forward.client.ts'
import { pingLender } from '../../src/loans/protocol/protocol.client.ts'
import { createMailer } from '../../src/messages/senders/smtp.client.ts'
import { createSmsSender } from '../../src/messages/senders/sms.client.ts'
import { createWhatsappSender } from '../../src/messages/senders/whatsapp.client.ts'
import { anyAddress } from '../../src/platform/http-client/addresses.ts'
import { HttpClient } from '../../src/platform/http-client/http-client.ts'
import { createCaller, RECON_PAGE } from '../../src/providers/http.ts'
import { callsWith } from '../../src/sandbox/integration-check/calls.client.ts'
import { deliveryRequest, type Keys } from '../../src/webhooks/engine/send.ts'

/** Asks a server once, at an address that says what it answers. */
export type Client = { ask: (address: string) => Promise<unknown>; speaks: 'http' | 'smtp' }

const httpClient = new HttpClient({ policy: anyAddress })
const LETTER = { id: 'msg_1', recipient: '+919876543210', subject: 'Fees', body: 'Fees', template: null }
const TIMEOUT_MS = 30_000
const KEYS: Keys = { signing: [], headers: {}, excerptOf: body => body.subarray(0, 2_000).toString('utf8') }
const checks = callsWith(httpClient)
const calls = createCaller({
  title: 'The provider',
  baseUrl: '',
  timeoutMs: TIMEOUT_MS,
  headers: {},
  secret: 'secret',
  readRefusal: () => null,
})

/** Every file of the product that asks another server, by its path; a test holds that there is no other. */
export const CLIENTS = {
  'providers/http.ts': {
    speaks: 'http',
    ask: address => calls()('GET', address, answer => answer, { maxBytes: RECON_PAGE.bytes }),
  },
  'erp/erp.client.ts': {
    speaks: 'http',
    ask: url =>
      fetchStudent(httpClient, {
        url,
        headers: {},
        asked: { identifier: 'S-1' },
        demands: { isBranchRequired: false, isScheduleRequired: false },
        timeoutMs: TIMEOUT_MS,
      }),
  },
  'loans/protocol/protocol.client.ts': {
    speaks: 'http',
    ask: apiUrl => pingLender({ apiUrl, secrets: [`whsec_${Buffer.alloc(24).toString('base64')}`] }),
  },
  'webhooks/engine/delivery-engine.service.ts': {
    speaks: 'http',
    ask: url =>
      httpClient
        .send(deliveryRequest({ url, eventId: 'evt_1', body: Buffer.from('{}'), at: new Date(), keys: KEYS }))
        .then(result => (result.kind === 'answered' ? KEYS.excerptOf(result.body) : null)),
  },
  'messages/senders/sms.client.ts': {
    speaks: 'http',
    ask: url =>
      createSmsSender({
        url,
        apiKey: 'key',
        apiToken: 'token',
        accountSid: 'sid',
        senderId: 'SCHOOL',
        entityId: '1',
        templateId: '1',
        templateIds: {},
      }).send(LETTER),
  },
  'messages/senders/whatsapp.client.ts': {
    speaks: 'http',
    ask: url =>
      createWhatsappSender({ url, phoneId: '1', token: 'token', template: 'fees', language: 'en' }).send(
        LETTER,
      ),
  },
  'messages/senders/smtp.client.ts': {
    speaks: 'smtp',
    async ask(url) {
      const mailer = createMailer({ url, from: { name: 'School', address: 'fees@school.example' } })
      return mailer.send({ ...LETTER, recipient: 'parent@example.in' }).finally(() => mailer.close())
    },
  },
  'sandbox/integration-check/calls.client.ts': {
    speaks: 'http',
    ask: url => Promise.all([checks.get(url, 'a student', {}), checks.readBooks(url, {}, 'pay_1')]),
  },
  'institutes/forward.client.ts': {
    speaks: 'http',
    ask(address) {
      const { host, pathname } = new URL(address)
      const callback = { path: pathname, headers: {}, rawBody: Buffer.from('{}'), ip: '127.0.0.1' }
      return sendToCell(host, callback, 'cell-a')
    },
  },
  'app/doctor/doctor.client.ts': { speaks: 'http', ask: reachPublicUrl },
  'app/support/support.client.ts': { speaks: 'http', ask: url => readFigures(url) },
} as const satisfies Readonly<Record<string, Client>>

type ClientFile = keyof typeof CLIENTS

/** Files that name a client to hand it on, or speak with the operator's own machines. */
export const HANDED_ON: Readonly<Record<string, string>> = {
  'app/context.ts': 'opens the connections to ERPs',
  'app/bursar.ts': 'opens the connections to subscribers',
  'erp/context.ts': 'names the connections to ERPs',
  'cells/haproxy.client.ts': "speaks with the operator's own proxy over its socket",
}

const PROVIDER: readonly ClientFile[] = ['providers/http.ts']
const ERP: readonly ClientFile[] = ['erp/erp.client.ts']

/** Every job, and which servers it asks; the deliveries of events are no job but an engine of their own. */
export const JOBS: Readonly<Record<string, readonly ClientFile[]>> = {
  orders_expired: [],
  bank_confirms: [],
  payments_checked: PROVIDER,
  refunds_sent: PROVIDER,
  account_numbers_asked: PROVIDER,
  items_settled: PROVIDER,
  rollovers_advanced: [],
  mandates_checked: PROVIDER,
  plans_rebalanced: [],
  instalments_stepped: [...PROVIDER, ...ERP],
  loans_checked: ['loans/protocol/protocol.client.ts'],
  reminders_decided: ERP,
  bounces_notified: [],
  approvals_expired: [],
  webhook_mails: [],
  disputes_mailed: [],
  cheques_reminded: [],
  payers_notified: [],
  fee_reminders_sent: ERP,
  reports_mailed: [],
  sums_counted: [],
  messages_sent: [
    'messages/senders/smtp.client.ts',
    'messages/senders/sms.client.ts',
    'messages/senders/whatsapp.client.ts',
  ],
  imports_purged: [],
  sessions_purged: [],
  message_secrets_erased: [],
  entries_purged: [],
  child_tries_purged: [],
  sign_ins_purged: [],
  forms_purged: [],
  answers_purged: [],
  books_checked: [],
  months_retained: [],
}
