import { checkTogether } from './config/checks.ts'
import { ALL_SETTINGS, GROUPS, SETTINGS } from './config/settings.ts'
import { WrongValue, type Setting } from './config/setting.ts'
import type { MailAddress } from '../messages/senders/mail-settings.ts'
import type { SmsSettings } from '../messages/senders/sms.client.ts'
import type { WhatsappSettings } from '../messages/senders/whatsapp.client.ts'
import type { BackupSettings } from '../platform/backup/schedule.ts'
import type { Mode } from '../platform/context.ts'
import type { RetentionSettings } from './retention.ts'
import type { LogFormat } from '../platform/log.ts'
import type { TracingSettings } from '../platform/tracing/otlp.ts'
import { PROVIDERS } from '../providers/catalogue.ts'
import type { ProviderValues } from '../providers/port.ts'
import { addAll } from '../platform/lists.ts'

export type Config = {
  mode: Mode
  role: 'all' | 'api' | 'worker'
  host: string
  port: number
  /** Where a process that only works serves its health and metrics. */
  workerPort: number
  publicUrl: string
  dataDir: string
  databaseUrl: string | null
  /** Null: transactions run on connections to the server itself. */
  poolerUrl: string | null
  masterKey: Buffer | null
  /** Daily backups of the embedded server; null: none are made. */
  backup: BackupSettings | null
  /** Null: this installation stands by itself. */
  cell: string | null
  /** Where the directory of cells is published. */
  proxies: { folder: string | undefined; sockets: readonly string[] }
  tls: { certFile: string; keyFile: string } | null
  trustProxy: string[] | false
  publicRate: { perSecond: number; burst: number }
  /** As they stand in security.txt; none: there is no such file. */
  securityContacts: readonly string[]
  poolSize: number
  /** How long a start waits for a database that does not answer. */
  databaseWaitMs: number
  logLevel: string
  logFormat: LogFormat
  /** Whether a new sandbox gets a school to look at. */
  hasDemo: boolean
  metricsToken: string | null
  /** Null: nothing is traced. */
  tracing: TracingSettings | null
  drainMs: number
  /** The settings of the real providers that are set up, by their names, the preferred one first. */
  providers: ReadonlyMap<string, ProviderValues>
  /** Those of them that take nothing new. */
  pausedProviders: readonly string[]
  /** Where the APIs of providers are, by their names; those that are not at their own address. */
  providerUrls: ReadonlyMap<string, string>
  mail: { smtpUrl: string | null; from: MailAddress }
  sms: SmsSettings | null
  whatsapp: WhatsappSettings | null
  outbound: { allowed: readonly string[]; nameServers: readonly string[] }
  retention: RetentionSettings
  webhooks: { retrySeconds: readonly number[]; slotsPerEndpoint: number }
}

/** Lists everything that is wrong at once, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

type Env = Readonly<Record<string, string | undefined>>
type Values = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> }

/** The only reader of the environment. Everything is checked before anything starts. */
export function readConfig(env: Env): Config {
  const problems: string[] = []
  const mode = readValue('BURSAR_MODE', SETTINGS.BURSAR_MODE, { env, mode: 'sandbox', problems })
  const names = Object.entries<Setting>(ALL_SETTINGS).filter(([name]) => name !== 'BURSAR_MODE')
  const values = Object.fromEntries([
    ['BURSAR_MODE', mode],
    ...names.map(([name, setting]) => [
      name,
      readValue(name, setting, { env, mode: mode as Mode, problems }),
    ]),
  ]) as Values & Record<string, unknown>
  const isSet = (name: string): boolean => textOf(env, name) !== null
  const config = toConfig(
    values,
    GROUPS.filter(group => group.every(isSet)),
  )
  addAll(problems, checkTogether(config, isSet))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function textOf(env: Env, name: string): string | null {
  return env[name]?.trim() || null
}

/** The default stands in for a wrong value, so that everything else can be checked as well. */
function readValue(
  name: string,
  { read, default: standard, isSecret = false }: Setting,
  { env, mode, problems }: { env: Env; mode: Mode; problems: string[] },
): unknown {
  const text = textOf(env, name)
  const byDefault = typeof standard === 'object' ? standard[mode] : standard
  try {
    if (text !== null) return read(text, mode)
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error
    // An address may hold a password.
    const isHidden = isSecret || name.endsWith('_URL')
    problems.push(`${name} ${error.message}${isHidden ? '' : `; it is "${text}"`}.`)
  }
  return byDefault === undefined ? null : read(byDefault, mode)
}

function toConfig(
  values: Values & Record<string, unknown>,
  complete: readonly (readonly string[])[],
): Config {
  const hasAll = (name: keyof Values): boolean => complete.some(group => group.includes(name))
  const { HOST: host, PORT: port, SMTP_URL: smtpUrl, MAIL_FROM: from, BACKUP_DIR: folder } = values
  const publicUrl = values.PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const { hostname = 'localhost' } = URL.parse(publicUrl) ?? {}
  return {
    mode: values.BURSAR_MODE,
    role: values.BURSAR_ROLE,
    host,
    port,
    workerPort: values.WORKER_PORT,
    publicUrl,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    poolerUrl: values.DATABASE_POOLER_URL,
    masterKey: values.MASTER_KEY,
    backup: folder === null ? null : { folder, at: values.BACKUP_AT, keep: values.BACKUP_KEEP },
    tls: hasAll('TLS_CERT_FILE')
      ? { certFile: values.TLS_CERT_FILE ?? '', keyFile: values.TLS_KEY_FILE ?? '' }
      : null,
    cell: values.CELL,
    proxies: { folder: values.CELL_MAPS ?? undefined, sockets: values.CELL_PROXIES ?? [] },
    trustProxy: values.TRUST_PROXY ?? false,
    publicRate: { perSecond: values.PUBLIC_RATE, burst: values.PUBLIC_BURST },
    securityContacts: values.SECURITY_CONTACT ?? [],
    poolSize: values.DB_POOL_SIZE,
    databaseWaitMs: values.DATABASE_WAIT_SECONDS * 1_000,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    hasDemo: values.DEMO === 'on',
    metricsToken: values.METRICS_TOKEN,
    tracing: toTracing(values),
    drainMs: values.DRAIN_SECONDS * 1_000,
    providers: new Map(
      Object.entries(PROVIDERS)
        .filter(([, { settings }]) =>
          settings.every(({ env, isOptional }) => isOptional === true || values[env] !== null),
        )
        .map(([provider, { settings }]) => [
          provider,
          Object.fromEntries(
            settings
              .filter(({ env }) => values[env] !== null)
              .map(({ field, env }) => [field, String(values[env])]),
          ),
        ]),
    ),
    pausedProviders: values.PROVIDERS_PAUSED ?? [],
    providerUrls: new Map(
      Object.entries(PROVIDERS).flatMap(([provider, { apiUrlEnv }]) => {
        const url = values[apiUrlEnv]
        return typeof url === 'string' ? [[provider, url]] : []
      }),
    ),
    mail: { smtpUrl, from: from ?? { name: 'Bursar', address: `no-reply@${hostname}` } },
    sms: hasAll('SMS_API_KEY') ? toSms(values) : null,
    whatsapp: hasAll('WHATSAPP_TOKEN') ? toWhatsapp(values) : null,
    outbound: { allowed: values.OUTBOUND_ALLOW ?? [], nameServers: values.DNS_SERVERS ?? [] },
    retention: {
      archiveDir: values.ARCHIVE_DIR,
      events: values.KEEP_EVENTS_MONTHS,
      deliveries: values.KEEP_DELIVERIES_MONTHS,
      fetches: values.KEEP_FETCHES_MONTHS,
      requests: values.KEEP_REQUESTS_MONTHS,
    },
    webhooks: {
      retrySeconds: values.WEBHOOK_RETRY_SECONDS,
      slotsPerEndpoint: values.WEBHOOK_CONCURRENCY,
    },
  }
}

function toTracing(values: Values): TracingSettings | null {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === null) return null
  return {
    endpoint,
    headers: Object.fromEntries(values.OTEL_EXPORTER_OTLP_HEADERS ?? []),
    serviceName: values.OTEL_SERVICE_NAME,
    ratio: values.OTEL_TRACES_SAMPLER_ARG,
  }
}

function toSms(values: Values): SmsSettings {
  return {
    url: values.SMS_URL,
    apiKey: values.SMS_API_KEY ?? '',
    apiToken: values.SMS_API_TOKEN ?? '',
    accountSid: values.SMS_ACCOUNT_SID ?? '',
    senderId: values.SMS_SENDER_ID ?? '',
    entityId: values.SMS_ENTITY_ID ?? '',
    templateId: values.SMS_TEMPLATE_ID ?? '',
    templateIds: Object.fromEntries((values.SMS_TEMPLATE_IDS ?? []).map(pair => pair.split('='))),
  }
}

function toWhatsapp(values: Values): WhatsappSettings {
  return {
    url: values.WHATSAPP_URL,
    phoneId: values.WHATSAPP_PHONE_ID ?? '',
    token: values.WHATSAPP_TOKEN ?? '',
    template: values.WHATSAPP_TEMPLATE ?? '',
    language: values.WHATSAPP_LANGUAGE,
  }
}
