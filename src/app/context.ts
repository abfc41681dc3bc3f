import { createBillPayments } from '../bharat-connect/bill-payments.service.ts'
import { BHARAT_CONNECT } from '../bharat-connect/bills.rules.ts'
import { emailsOf, emailsOfLender } from '../console/team/invitations.service.ts'
import { takeCredit } from '../dues/virtual-accounts/credits.service.ts'
import { ErpCallLimiter } from '../erp/context.ts'
import { ERP_TIMEOUT_MS } from '../erp/erp.client.ts'
import { MOST_CALLS } from '../erp/settings/settings.rules.ts'
import type { FlexContext } from '../flex/context.ts'
import { applyMandateReport } from '../flex/mandates/mandates.service.ts'
import { findPlanDifferences } from '../flex/plans/plans.service.ts'
import { BANK_TRANSFER } from '../loans/loans.rules.ts'
import { createBankTransfers } from '../loans/transfers.service.ts'
import type { LoanContext } from '../loans/context.ts'
import { takeLenderCallback } from '../loans/lender-updates.service.ts'
import type { MessageContext, Sender, MailAddress } from '../messages/senders.ts'
import { takeCallback } from '../payments/callbacks.service.ts'
import { CallCounts, type Calls } from '../platform/http-client/call-counts.ts'
import type { Context } from '../platform/context.ts'
import { HttpClient } from '../platform/http-client/http-client.ts'
import type { Log } from '../platform/log.ts'
import type { Provider, ProviderName } from '../providers/port.ts'
import { AccountRegistry, counterOf } from '../providers/accounts/registry.service.ts'
import { PROVIDERS } from '../providers/catalogue.ts'
import { createSandboxBank, type SandboxBank } from '../sandbox/bank/simulator.service.ts'
import { createSandboxLender, type SandboxLender } from '../sandbox/lender/lender.service.ts'
import type { Config } from './config.ts'
import { createPaymentHandlers } from './payment-handlers.ts'
import { readSheetAttachment } from '../console/reports/class-sheets/class-sheets.service.ts'
import { readMoneyAttachment } from '../payments/notices/notices.service.ts'
import { leavingTemplates } from '../leaving/leaving.texts.ts'
import { createSmsSender } from '../messages/senders/sms.client.ts'
import { createWhatsappSender } from '../messages/senders/whatsapp.client.ts'
import type { Mailer } from '../messages/senders/smtp.client.ts'
import { feeReminderTemplates } from '../reminders/reminders.texts.ts'
import { linkTemplates } from '../orders/link-messages.texts.ts'
import { instalmentTemplates } from '../flex/notices/family.texts.ts'
import { signInTemplates } from '../portal/sign-in/sign-in.texts.ts'
import { familyPageTemplates } from '../students/users/family-page.texts.ts'
import { chequeReminderTemplates } from '../banking/post-dated/post-dated.texts.ts'
import { noticeTemplates } from '../payments/notices/notices.texts.ts'
import type { Template } from '../messages/messages.rules.ts'

/** Everything that services may ask for; a function names the part that it uses. */
export type BursarContext = FlexContext & LoanContext & MessageContext & { readonly calls: Calls }

type Settings = Pick<Config, 'mode' | 'outbound' | 'providers' | 'mail'> &
  Partial<Pick<Config, 'sms' | 'whatsapp' | 'providerUrls' | 'pausedProviders'>>

export type CreatedContext = {
  ctx: BursarContext
  /** What stands in for banks and lenders; null in live mode. */
  simulators: { bank: SandboxBank; lender: SandboxLender } | null
  /** Ends the calls that are under way, so that nothing waits for their time-outs. */
  closeErp: () => Promise<void>
  closeSenders: () => void
}

/** The one context of a process, complete from the start; the simulators call back into it as a real provider would. */
export async function createContext(config: Settings, base: Context, log: Log): Promise<CreatedContext> {
  const { mode, outbound } = config
  const calls = { providers: new CallCounts(), erps: new CallCounts(), messages: new CallCounts() }
  const erpClient = new HttpClient({
    policy: base.addressPolicy,
    ...(outbound.nameServers.length > 0 ? { nameServers: outbound.nameServers } : {}),
    // The limiter counts calls per institute; connections must not be what a call waits for while its deadline runs.
    connectionsPerOrigin: 4 * MOST_CALLS,
  })
  const simulators =
    mode === 'sandbox'
      ? {
          bank: createSandboxBank(base, async callback => {
            const account = accounts.accountOfInstallation('sandbox')
            if (account !== null) await takeCallback(ctx, account, callback)
          }),
          lender: createSandboxLender(base, callback => takeLenderCallback(ctx, 'sandbox', callback)),
        }
      : null
  const installation = new Map<ProviderName, Provider>()
  for (const [name, values] of config.providers) {
    const entry = PROVIDERS[name]
    const apiUrl = config.providerUrls?.get(name)
    const options = { apiUrl, now: () => base.clock.now(), onCall: counterOf(calls.providers, name) }
    if (entry !== undefined) installation.set(name, entry.create(values, options))
  }
  if (simulators !== null) installation.set('sandbox', simulators.bank)
  installation.set(BANK_TRANSFER, createBankTransfers(base))
  installation.set(BHARAT_CONNECT, createBillPayments(base))
  const accounts = new AccountRegistry({ ...base, mode }, installation, {
    apiUrls: config.providerUrls,
    values: config.providers,
    paused: config.pausedProviders,
    calls: calls.providers,
  })
  const { senders, closeSenders } = await createSenders(config, base, { log, calls: calls.messages })
  const ctx: BursarContext = {
    db: base.db,
    clock: base.clock,
    vault: base.vault,
    mode,
    cell: base.cell,
    addressPolicy: base.addressPolicy,
    get publicUrl() {
      return base.publicUrl
    },
    log,
    accounts,
    calls,
    sandboxLender: simulators?.lender ?? null,
    people: {
      atLender: emailsOfLender,
      handlingMoney: (db, instituteId) => emailsOf(db, instituteId, ['owner', 'finance']),
    },
    erp: {
      httpClient: erpClient,
      callLimiter: new ErpCallLimiter(base.db.semaphore, () => base.clock.now().getTime()),
      timeoutMs: ERP_TIMEOUT_MS,
      calls: calls.erps,
      findPlanDifferences: (student, rows) => findPlanDifferences(base, student, rows),
    },
    senders,
    readAttachment: async message =>
      (await readSheetAttachment(ctx, message)) ?? (await readMoneyAttachment(ctx, message)),
    paymentHandlers: createPaymentHandlers(base),
    onMandate: (report, accountId) => applyMandateReport(ctx, report, accountId),
    onCredit: (report, accountId) => takeCredit(ctx, report, accountId),
  }
  return { ctx, simulators, closeErp: () => erpClient.close(), closeSenders }
}

/** Lands in the sandbox's mailbox, where every message is to be read anyway. */
const MAILBOX: Sender = { staysHere: true, send: async () => ({ kind: 'sent' }) }

/** How messages to people leave this process: each channel by what is set up for it; in a sandbox the rest stays here. */
export async function createSenders(
  { mail, sms = null, whatsapp = null }: Pick<Config, 'mail'> & Partial<Pick<Config, 'sms' | 'whatsapp'>>,
  { mode }: Context,
  { log, calls }: { log: Log; calls: CallCounts },
): Promise<{ senders: MessageContext['senders']; closeSenders: () => void }> {
  const mailer = mail.smtpUrl === null ? null : await openMailer(mail.smtpUrl, mail.from)
  if (mailer === null && mode === 'live') log.warn('SMTP_URL is not set: no e-mail will be sent')
  const withoutProvider = (reason: string): Sender =>
    mode === 'sandbox' ? MAILBOX : { send: async () => ({ kind: 'refused', reason }) }
  const unknown = unknownNames(sms?.templateIds ?? {})
  if (unknown.length > 0) log.warn({ unknown }, 'SMS_TEMPLATE_IDS names no text of ours')
  const bySms = sms === null ? null : createSmsSender(sms)
  const byWhatsapp = whatsapp === null ? null : createWhatsappSender(whatsapp)
  const counted = (channel: string, sender: Sender): Sender => ({
    ...sender,
    async send(message) {
      const outcome = await sender.send(message)
      calls.add(channel, OUTCOMES[outcome.kind])
      return outcome
    },
  })
  const senders = {
    email: counted('email', mailer ?? withoutProvider('SMTP_URL is not set')),
    sms: counted('sms', toPhone(byWhatsapp, bySms) ?? withoutProvider('no provider for SMS is set up')),
    whatsapp: counted('whatsapp', byWhatsapp ?? withoutProvider('no provider for WhatsApp is set up')),
  }
  return { senders, closeSenders: () => mailer?.close() }
}

const OUTCOMES = { sent: 'answered', refused: 'refused', delayed: 'failed' } as const

/** A short text to a phone: by WhatsApp where that is set up, and what it refuses, such as a number without it, by SMS. */
function toPhone(byWhatsapp: Sender | null, bySms: Sender | null): Sender | null {
  if (byWhatsapp === null || bySms === null) return byWhatsapp ?? bySms
  return {
    async send(message) {
      const outcome = await byWhatsapp.send(message)
      return outcome.kind === 'refused' ? bySms.send(message) : outcome
    },
  }
}

/** Its library is loaded only where mail leaves the process. */
async function openMailer(url: string, from: MailAddress): Promise<Mailer & Sender> {
  const { createMailer } = await import('../messages/senders/smtp.client.ts')
  return { ...createMailer({ url, from }), carriesFiles: true }
}

/** Every short text that may leave the process. */
export function smsTemplates(): Template[] {
  return [
    ...instalmentTemplates(),
    ...linkTemplates(),
    ...feeReminderTemplates(),
    ...noticeTemplates(),
    ...chequeReminderTemplates(),
    ...leavingTemplates(),
    ...signInTemplates(),
    ...familyPageTemplates(),
  ]
}

/** Names that no text has: what was meant by them goes out under another template, and no operator delivers it. */
export function unknownNames(templateIds: Readonly<Record<string, string>>): string[] {
  const known = new Set(smsTemplates().map(({ name }) => name))
  return Object.keys(templateIds).filter(name => !known.has(name))
}
