import { readProviders, type ProviderSettings } from './provider-settings.ts'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SmsSettings } from '../messages/senders/sms.client.ts'
import type { WhatsappSettings } from '../messages/senders/whatsapp.client.ts'
import type { BackupSettings } from '../platform/backup/schedule.ts'
import { backupProblem, readBackupSettings } from '../platform/backup/settings.ts'
import type { Mode } from '../platform/context.ts'
import type { LogFormat } from '../platform/log.ts'
import { parseMailAddress, smtpUrlProblem, type MailAddress } from '../messages/senders/mail-settings.ts'
import { isCidr } from '../platform/http-client/addresses.ts'
import { parseMasterKey } from '../platform/secrets.ts'
import { RETRY_SECONDS } from '../webhooks/delivery-log/deliveries.rules.ts'

/** The only reader of the environment; `config-keys.ts` describes each key. All are checked before anything starts. */
type Role = 'all' | 'api' | 'worker'

export type Config = {
  mode: Mode
  role: Role
  host: string
  port: number
  publicUrl: string
  dataDir: string
  databaseUrl: string | null
  masterKey: Buffer | null
  /** Daily backups of the embedded server; null: none are made. */
  backup: BackupSettings | null
  tls: { certFile: string; keyFile: string } | null
  trustProxy: string[] | false
  poolSize: number
  logLevel: string
  logFormat: LogFormat
  metricsToken: string | null
  drainMs: number
  /** The real providers that are set up, by name, the preferred one first. */
  providers: ProviderSettings
  mail: { smtpUrl: string | null; from: MailAddress }
  sms: SmsSettings | null
  whatsapp: WhatsappSettings | null
  outbound: { allowed: readonly string[]; nameServers: readonly string[] }
  webhooks: { retrySeconds: readonly number[]; slotsPerEndpoint: number }
  /** With what the command line asks a running Bursar. */
  apiKey: { keyId: string; secret: string } | null
}

/** Says everything that is wrong at once, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

type Env = Readonly<Record<string, string | undefined>>

export function readConfig(env: Env): Config {
  const lines: string[] = []
  const get = (name: string): string | null => {
    const value = env[name]?.trim()
    return value === undefined || value === '' ? null : value
  }
  const choose = <Value extends string>(name: string, allowed: readonly Value[], standard: Value): Value => {
    const value = get(name) ?? standard
    if (allowed.includes(value as Value)) return value as Value
    lines.push(`${name} must be one of ${allowed.join(', ')}; it is "${value}".`)
    return standard
  }
  const number = (name: string, standard: number, [min, max]: [number, number]): number => {
    const text = get(name)
    const value = text === null ? standard : Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    lines.push(`${name} must be a whole number from ${min} to ${max}; it is "${text}".`)
    return standard
  }
  const mode = choose('BURSAR_MODE', ['sandbox', 'live'], 'sandbox')
  const host = get('HOST') ?? '127.0.0.1'
  const port = number('PORT', 8080, [0, 65_535])
  const publicUrl = (
    get('PUBLIC_URL') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  ).replace(/\/+$/, '')
  const config: Config = {
    mode,
    role: choose('BURSAR_ROLE', ['all', 'api', 'worker'], 'all'),
    host,
    port,
    publicUrl,
    dataDir: resolve(get('DATA_DIR') ?? 'data'),
    databaseUrl: get('DATABASE_URL'),
    masterKey: readMasterKey(get('MASTER_KEY'), lines),
    backup: readBackupSettings(get, number('BACKUP_KEEP', 14, [1, 1_000]), lines),
    tls: readTls(get('TLS_CERT_FILE'), get('TLS_KEY_FILE'), lines),
    trustProxy: get('TRUST_PROXY') === null ? false : splitList(get('TRUST_PROXY')),
    poolSize: number('DB_POOL_SIZE', 16, [2, 500]),
    logLevel: choose('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
    logFormat: choose('LOG_FORMAT', ['plain', 'json'], mode === 'live' ? 'json' : 'plain'),
    metricsToken: get('METRICS_TOKEN'),
    providers: readProviders(get, lines),
    mail: readMail(get, publicUrl, lines),
    sms: readSms(get, mode, lines),
    whatsapp: readWhatsapp(get, mode, lines),
    outbound: readOutbound(get, lines),
    webhooks: {
      retrySeconds: readRetrySeconds(get('WEBHOOK_RETRY_SECONDS'), lines),
      slotsPerEndpoint: number('WEBHOOK_PLACES', 50, [1, 1_000]),
    },
    apiKey: readApiKey(get, lines),
    drainMs: number('DRAIN_SECONDS', mode === 'live' ? 5 : 0, [0, 300]) * 1_000,
  }
  checkPublicUrl(config, lines)
  const problem = backupProblem(config)
  if (problem !== null) lines.push(problem)
  if (mode === 'live') checkLive(config, get, lines)
  if (lines.length > 0) throw new ConfigError(lines)
  return config
}

function readMasterKey(text: string | null, lines: string[]): Buffer | null {
  if (text === null) return null
  const key = parseMasterKey(text)
  if (key === null)
    lines.push('MASTER_KEY must be 32 bytes in hex or base64; `openssl rand -hex 32` makes one.')
  return key
}

function readTls(certFile: string | null, keyFile: string | null, lines: string[]): Config['tls'] {
  if (certFile === null && keyFile === null) return null
  if (certFile === null || keyFile === null) {
    lines.push('TLS_CERT_FILE and TLS_KEY_FILE go together; set both or neither.')
    return null
  }
  for (const file of [certFile, keyFile])
    if (!existsSync(file)) lines.push(`The file ${file} does not exist.`)
  return { certFile, keyFile }
}

function readApiKey(get: (name: string) => string | null, lines: string[]): Config['apiKey'] {
  const keyId = get('BURSAR_API_KEY')
  const secret = get('BURSAR_API_SECRET')
  if (keyId !== null && secret !== null) return { keyId, secret }
  if (keyId !== null || secret !== null)
    lines.push('BURSAR_API_KEY and BURSAR_API_SECRET go together; set both or neither.')
  return null
}

function readMail(get: (name: string) => string | null, publicUrl: string, lines: string[]): Config['mail'] {
  const smtpUrl = get('SMTP_URL')
  const problem = smtpUrl === null ? null : smtpUrlProblem(smtpUrl)
  if (problem !== null) lines.push(problem)
  const standard = { name: 'Bursar', address: `no-reply@${URL.parse(publicUrl)?.hostname ?? 'localhost'}` }
  const text = get('MAIL_FROM')
  const from = text === null ? standard : parseMailAddress(text)
  if (from === null) lines.push(`MAIL_FROM must be an address or Name <address>; it is "${text}".`)
  return { smtpUrl, from: from ?? standard }
}

function readSms(get: (name: string) => string | null, mode: Mode, lines: string[]): Config['sms'] {
  const url = readProviderUrl('SMS_URL', 'https://api.in.exotel.com', { get, mode, lines })
  const names = ['API_KEY', 'API_TOKEN', 'ACCOUNT_SID', 'SENDER_ID', 'ENTITY_ID', 'TEMPLATE_ID']
  const values = readTogether(
    names.map(name => `SMS_${name}`),
    get,
    lines,
  )
  if (values === null) return null
  const [apiKey = '', apiToken = '', accountSid = '', senderId = '', entityId = '', templateId = ''] = values
  if (!/^[A-Za-z0-9]{3,6}$/.test(senderId))
    lines.push(`SMS_SENDER_ID must be a DLT header of 3 to 6 letters or digits; it is "${senderId}".`)
  if (!/^\d+$/.test(entityId))
    lines.push(`SMS_ENTITY_ID must be the DLT entity's number, digits only; it is "${entityId}".`)
  if (!/^\d{19}$/.test(templateId))
    lines.push(`SMS_TEMPLATE_ID must be a DLT template id of 19 digits; it is "${templateId}".`)
  const templateIds = readTemplateIds(get('SMS_TEMPLATE_IDS') ?? '', lines)
  return { url, apiKey, apiToken, accountSid, senderId, entityId, templateId, templateIds }
}

function readTemplateIds(text: string, lines: string[]): Record<string, string> {
  const pairs = text.split(',').map(pair => pair.trim().split('='))
  const isWhole = pairs.every(pair => /^[a-z_]+=\d{19}$/.test(pair.join('=')))
  if (text !== '' && !isWhole)
    lines.push(`SMS_TEMPLATE_IDS must be a list such as notice_en=1107000000000000042,…; it is "${text}".`)
  return text === '' ? {} : Object.fromEntries(pairs)
}

function readWhatsapp(get: (name: string) => string | null, mode: Mode, lines: string[]): Config['whatsapp'] {
  const url = readProviderUrl('WHATSAPP_URL', 'https://graph.facebook.com/v25.0', { get, mode, lines })
  const values = readTogether(['WHATSAPP_PHONE_ID', 'WHATSAPP_TOKEN', 'WHATSAPP_TEMPLATE'], get, lines)
  if (values === null) return null
  const [phoneId = '', token = '', template = ''] = values
  if (!/^\d+$/.test(phoneId))
    lines.push(`WHATSAPP_PHONE_ID must be the id of a phone number at Meta, digits only; it is "${phoneId}".`)
  return { url, phoneId, token, template, language: get('WHATSAPP_LANGUAGE') ?? 'en' }
}

function readTogether(
  names: readonly string[],
  get: (name: string) => string | null,
  lines: string[],
): string[] | null {
  const values = names.map(get).filter(value => value !== null)
  if (values.length === names.length) return values
  if (values.length > 0)
    lines.push(`${names.slice(0, -1).join(', ')} and ${names.at(-1)} go together; set all or none.`)
  return null
}

/** It is not repeated when it is wrong: it may hold a password. */
function readProviderUrl(
  name: string,
  standard: string,
  { get, mode, lines }: { get: (name: string) => string | null; mode: Mode; lines: string[] },
): string {
  const url = get(name) ?? standard
  const { protocol = '' } = URL.parse(url) ?? {}
  if (protocol !== 'https:' && !(protocol === 'http:' && mode === 'sandbox'))
    lines.push(`${name} must be an https address.`)
  return url.replace(/\/+$/, '')
}

function readOutbound(get: (name: string) => string | null, lines: string[]): Config['outbound'] {
  const allowed = splitList(get('OUTBOUND_ALLOW'))
  for (const cidr of allowed)
    if (!isCidr(cidr)) lines.push(`OUTBOUND_ALLOW holds "${cidr}", which is not a CIDR such as 10.0.0.0/8.`)
  const nameServers = splitList(get('DNS_SERVERS'))
  for (const server of nameServers)
    if (URL.parse(`dns://${server}`) === null)
      lines.push(`DNS_SERVERS holds "${server}", which is not an address.`)
  return { allowed, nameServers }
}

const LONGEST_RETRY_SECONDS = 30 * 86_400
const MOST_RETRIES = 50

function readRetrySeconds(text: string | null, lines: string[]): readonly number[] {
  if (text === null) return RETRY_SECONDS
  const seconds = splitList(text).map(Number)
  const isRight = seconds.every(value => value > 0 && value <= LONGEST_RETRY_SECONDS)
  if (isRight && seconds.length <= MOST_RETRIES) return seconds
  lines.push('WEBHOOK_RETRY_SECONDS must be at most 50 positive numbers, separated by commas.')
  return RETRY_SECONDS
}

function splitList(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

function checkPublicUrl(config: Config, lines: string[]): void {
  const url = URL.parse(config.publicUrl)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    lines.push(`PUBLIC_URL must be an http or https address; it is "${config.publicUrl}".`)
  }
}

function checkLive(config: Config, get: (name: string) => string | null, lines: string[]): void {
  const publicUrl = get('PUBLIC_URL')
  if (get('MASTER_KEY') === null)
    lines.push('Live mode needs MASTER_KEY; `openssl rand -hex 32` makes one. Keep it safe.')
  if (config.databaseUrl === null) checkLiveEmbedded(config, get, lines)
  if (publicUrl === null)
    lines.push("Live mode needs PUBLIC_URL, the https address that parents' browsers reach.")
  else if (!publicUrl.startsWith('https://')) lines.push('In live mode PUBLIC_URL must begin with https://.')
  if (config.tls === null && config.trustProxy === false) {
    lines.push(
      'Live mode serves https: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY for a proxy that ends TLS.',
    )
  }
}

/** A small school on one machine. Nothing about real money is left to a default folder. */
function checkLiveEmbedded(config: Config, get: (name: string) => string | null, lines: string[]): void {
  if (get('DATA_DIR') === null)
    lines.push('Live mode needs DATABASE_URL, a PostgreSQL 18 of yours, or DATA_DIR for the embedded one.')
  else if (get('BACKUP_DIR') === null)
    lines.push(
      'Live mode on the embedded server needs BACKUP_DIR, a folder on another disk for daily backups.',
    )
  if (config.role !== 'all')
    lines.push('The embedded server serves one process: set DATABASE_URL, or leave BURSAR_ROLE at all.')
}
