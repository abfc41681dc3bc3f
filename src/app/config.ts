import { relative } from 'node:path'
import { ALL_SETTINGS, GROUPS, SETTINGS, WrongValue, type Setting } from './config/settings.ts'
import type { MailAddress } from '../messages/senders.ts'
import type { SmsSettings } from '../messages/senders/sms.client.ts'
import type { WhatsappSettings } from '../messages/senders/whatsapp.client.ts'
import type { BackupSettings } from '../platform/backup/schedule.ts'
import type { Mode } from '../platform/context.ts'
import { databaseUrlProblem } from '../platform/db/pool.ts'
import type { LogFormat } from '../platform/log.ts'
import type { TracingSettings } from '../platform/tracing/otlp.ts'
import { PROVIDERS } from '../providers/catalogue.ts'
import type { ProviderValues } from '../providers/entry.ts'
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
  /** Contacts for security.txt; without any the file is not served. */
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
  /** Providers that take no new payments for now. */
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

/** How many whole months each log is kept at least, and where older months are archived. */
export type RetentionSettings = {
  archiveDir: string | null
  events: number
  deliveries: number
  fetches: number
  requests: number
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

/** What is wrong with settings that are each right by themselves, one sentence each. */
function checkTogether(config: Config, isSet: (name: string) => boolean): string[] {
  return [
    ...checkGroups(isSet),
    ...checkDatabase(config),
    ...checkBackup(config),
    ...checkRetention(config),
    ...checkProviderKeys(config),
    ...(config.mode === 'live' ? checkLive(config, isSet) : []),
  ]
}

function checkGroups(isSet: (name: string) => boolean): string[] {
  return GROUPS.filter(names => names.some(isSet) && !names.every(isSet)).map(
    names => `${new Intl.ListFormat('en-GB').format(names)} go together; set all or none.`,
  )
}

function checkDatabase({ databaseUrl, poolerUrl }: Config): string[] {
  if (databaseUrl === null && poolerUrl !== null)
    return ['DATABASE_POOLER_URL needs DATABASE_URL too: some work needs connections to the server itself.']
  const problem = databaseUrl === null ? null : databaseUrlProblem(databaseUrl)
  return problem === null ? [] : [problem]
}

function checkBackup({ backup, dataDir, databaseUrl }: Config): string[] {
  if (backup === null) return []
  if (databaseUrl !== null)
    return ['BACKUP_DIR is for the embedded server; back up the server of DATABASE_URL with its own tools.']
  return relative(dataDir, backup.folder).startsWith('..')
    ? []
    : ['BACKUP_DIR must not be inside DATA_DIR: what destroys one would destroy the other.']
}

function checkRetention({ retention, dataDir }: Config): string[] {
  const { archiveDir, events, deliveries } = retention
  const problems: string[] = []
  if (archiveDir !== null && !relative(dataDir, archiveDir).startsWith('..'))
    problems.push('ARCHIVE_DIR must not be inside DATA_DIR: what destroys one would destroy the other.')
  if (events < deliveries)
    problems.push(
      'KEEP_EVENTS_MONTHS must not be less than KEEP_DELIVERIES_MONTHS: a delivery sends what its event says.',
    )
  return problems
}

/** A sandbox that moved money, or a live school whose fees are play money, would be found out by parents. */
function checkProviderKeys({ mode, providers }: Config): string[] {
  return [...providers].flatMap(([name, values]) => {
    const entry = PROVIDERS[name]
    if (entry === undefined) return []
    const { field, key } = entry.describe(values)
    const setting = entry.settings.find(one => one.field === field)?.env ?? field
    if (key === null) return [`${setting} is neither a test key nor a live key of ${entry.title}.`]
    if (key === 'live' && mode === 'sandbox')
      return [
        `${setting} is a live key of ${entry.title}, and a sandbox must not move real money: use a test key, or set BURSAR_MODE=live.`,
      ]
    if (key === 'test' && mode === 'live')
      return [
        `${setting} is a test key of ${entry.title}, with which no money arrives: live mode needs a live key.`,
      ]
    return []
  })
}

function checkLive(config: Config, isSet: (name: string) => boolean): string[] {
  const problems: string[] = []
  if (!isSet('MASTER_KEY'))
    problems.push('Live mode needs MASTER_KEY; `openssl rand -hex 32` makes one. Keep it safe.')
  if (config.databaseUrl === null) addAll(problems, checkLiveEmbedded(config, isSet))
  if (!isSet('PUBLIC_URL'))
    problems.push("Live mode needs PUBLIC_URL, the https address that parents' browsers reach.")
  else if (!config.publicUrl.startsWith('https://'))
    problems.push('In live mode PUBLIC_URL must begin with https://.')
  if (!isSet('TLS_CERT_FILE') && !isSet('TRUST_PROXY')) {
    problems.push(
      'Live mode serves https: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY for a proxy that ends TLS.',
    )
  }
  return problems
}

/** A small school on one machine. Nothing about real money is left to a default folder. */
function checkLiveEmbedded({ role }: Config, isSet: (name: string) => boolean): string[] {
  const problems: string[] = []
  if (!isSet('DATA_DIR'))
    problems.push('Live mode needs DATABASE_URL, a PostgreSQL 18 of yours, or DATA_DIR for the embedded one.')
  else if (!isSet('BACKUP_DIR'))
    problems.push(
      'Live mode on the embedded server needs BACKUP_DIR, a folder on another disk for daily backups.',
    )
  if (role !== 'all')
    problems.push('The embedded server serves one process: set DATABASE_URL, or leave BURSAR_ROLE at all.')
  return problems
}

const SHORTEST_SECRET = 16

/** What works and is not safe: a forged report of a payment needs nothing but the secret of the provider's webhook. */
export function warnAboutSecrets({ providers }: Config): string[] {
  return [...providers].flatMap(([name, values]) =>
    (PROVIDERS[name]?.settings ?? [])
      .filter(({ field }) => field === 'webhook_secret' && (values[field]?.length ?? 0) < SHORTEST_SECRET)
      .map(
        ({ env }) =>
          `${env} has less than ${SHORTEST_SECRET} characters: somebody who sees one callback can find it by trying, and then report payments that never were. Choose a long random one.`,
      ),
  )
}
