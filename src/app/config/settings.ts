import { resolve } from 'node:path'
import { parseMailAddress, smtpUrlProblem } from '../../messages/senders.ts'
import { parseTimeOfDay } from '../../platform/backup/schedule.rules.ts'
import { isCidr } from '../../platform/http-client/addresses.ts'
import { parseContacts } from '../../http/security-txt.ts'
import { LIMITS } from '../../platform/rate-limits.rules.ts'
import { parseMasterKey } from '../../platform/secrets.ts'
import { PROVIDERS } from '../../providers/catalogue.ts'
import { RETRY_SECONDS } from '../../webhooks/delivery-log/deliveries.rules.ts'
import { existsSync } from 'node:fs'
import type { Mode } from '../../platform/context.ts'

export class WrongValue extends Error {
  override readonly name = 'WrongValue'
}

/** Makes the value out of the text in the environment, which is trimmed and not empty. */
type Reader<Value> = (text: string, mode: Mode) => Value

type Default = string | Readonly<Record<Mode, string>>

/** One environment variable. */
export type Setting<Value = unknown> = {
  describes: string
  /** Written as an operator would write it, so it is read like a value that was set. */
  default?: Default
  /** A default that follows from other settings, in words. */
  derivedDefault?: string
  /** Shown as "set", and not repeated when it is wrong. */
  isSecret?: boolean
  read: Reader<Value>
}

function setting<Value>(
  describes: string,
  read: Reader<Value>,
  standard: Default,
): Setting<Value> & { default: Default } {
  return { describes, read, default: standard }
}

type OptionalParts = Pick<Setting, 'derivedDefault' | 'isSecret'>

/** Null when it is not set. */
function optional<Value>(
  describes: string,
  read: Reader<Value>,
  parts: OptionalParts = {},
): Setting<Value | null> {
  return { describes, read, ...parts }
}

/** The default as the guide and `bursar config` show it; empty when there is none. */
export function describeDefault({ default: standard, derivedDefault = '' }: Setting): string {
  if (standard === undefined || typeof standard === 'string') return standard ?? derivedDefault
  return `${standard.sandbox} in sandbox, ${standard.live} in live`
}

const asText = (text: string): string => text

const asList = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

function oneOf<const Value extends string>(...allowed: readonly Value[]): Reader<Value> {
  return text => {
    const value = allowed.find(option => option === text)
    if (value === undefined) throw new WrongValue(`must be one of ${allowed.join(', ')}`)
    return value
  }
}

function wholeNumber(min: number, max: number): Reader<number> {
  return text => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw new WrongValue(`must be a whole number from ${min} to ${max}`)
  }
}

function matching(pattern: RegExp, must: string): Reader<string> {
  return text => {
    if (!pattern.test(text)) throw new WrongValue(must)
    return text
  }
}

function listOf(isItem: (item: string) => boolean, must: string): Reader<string[]> {
  return text => {
    const items = asList(text)
    if (!items.every(isItem)) throw new WrongValue(must)
    return items
  }
}

const fraction: Reader<number> = text => {
  const value = Number(text)
  if (value >= 0 && value <= 1) return value
  throw new WrongValue('must be a number from 0 to 1')
}

/** `name=value,name=value` */
const asPairs: Reader<[string, string][]> = text =>
  asList(text).map(pair => {
    const at = pair.indexOf('=')
    if (at < 1 || /%(?![0-9a-f]{2})/i.test(pair)) throw new WrongValue('must be name=value,name=value')
    return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
  })

/** Wraps a parser that answers null for what it does not understand. */
function parsedBy<Value>(parse: (text: string) => Value | null, must: string): Reader<Value> {
  return text => {
    const value = parse(text)
    if (value === null) throw new WrongValue(must)
    return value
  }
}

const existingFile: Reader<string> = text => {
  if (!existsSync(text)) throw new WrongValue('must name a file that exists')
  return text
}

/** The reader drops slashes at the end, because paths are appended. */
const httpUrl: Reader<string> = text => {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new WrongValue('must be an http or https address')
  return text.replace(/(?<!\/)\/+$/, '')
}

/** A sandbox may talk to a fake provider without TLS. */
const providerUrl: Reader<string> = (text, mode) => {
  const { protocol = '' } = URL.parse(text) ?? {}
  if (protocol !== 'https:' && !(protocol === 'http:' && mode === 'sandbox'))
    throw new WrongValue('must be an https address')
  return text.replace(/(?<!\/)\/+$/, '')
}

/** The same, and an emulator on this machine in live mode too. */
const providerApiUrl: Reader<string> = (text, mode) => {
  const { protocol, hostname = '' } = URL.parse(text) ?? {}
  const isHere = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return isHere ? text.replace(/(?<!\/)\/+$/, '') : providerUrl(text, mode)
}

const SECRET = { isSecret: true }

/** Every environment variable that Bursar reads: its meaning, its default, its reader. */
export const SETTINGS = {
  BURSAR_MODE: setting('sandbox, or live for real money', oneOf('sandbox', 'live'), 'sandbox'),
  BURSAR_ROLE: setting('what this process does: all, api or worker', oneOf('all', 'api', 'worker'), 'all'),
  HOST: setting('address to listen on', asText, '127.0.0.1'),
  PORT: setting('port to listen on; 0 takes a free one', wholeNumber(0, 65_535), '8080'),
  WORKER_PORT: setting(
    'port on which a worker serves /healthz, /readyz and /metrics; 0 takes a free one',
    wholeNumber(0, 65_535),
    '8081',
  ),
  PUBLIC_URL: optional("where parents' browsers reach Bursar; https in live mode", httpUrl, {
    derivedDefault: 'http://HOST:PORT',
  }),
  DATA_DIR: setting(
    'folder of the embedded PostgreSQL and the sandbox master key',
    text => resolve(text),
    './data',
  ),
  DATABASE_URL: optional(
    'PostgreSQL 18 to use instead of the embedded one; a primary and its standbys as host1,host2',
    asText,
    SECRET,
  ),
  DATABASE_POOLER_URL: optional(
    'PgBouncer in transaction mode before the server of DATABASE_URL; transactions then run through it',
    asText,
    SECRET,
  ),
  DATABASE_WAIT_SECONDS: setting(
    'how long a start waits for a database that is down or still recovering',
    wholeNumber(0, 3_600),
    '60',
  ),
  DB_POOL_SIZE: setting('database connections of this process', wholeNumber(2, 500), '16'),
  MASTER_KEY: optional(
    '32 bytes in hex or base64 that encrypt stored secrets',
    parsedBy(parseMasterKey, 'must be 32 bytes in hex or base64; `openssl rand -hex 32` makes one'),
    { ...SECRET, derivedDefault: 'made in DATA_DIR' },
  ),
  BACKUP_DIR: optional('folder for daily backups of the embedded server, best on another disk', text =>
    resolve(text),
  ),
  BACKUP_AT: setting(
    'time of day of the backup, Indian time',
    parsedBy(parseTimeOfDay, 'must be a time of day such as 02:30'),
    '02:30',
  ),
  BACKUP_KEEP: setting('how many daily backups are kept', wholeNumber(1, 1_000), '14'),
  ARCHIVE_DIR: optional(
    'folder into which old months of logs are written before they leave the database, best on another disk',
    text => resolve(text),
  ),
  KEEP_EVENTS_MONTHS: setting(
    'for how many months events stay in the database at least, 13 or more; without ARCHIVE_DIR they stay for ever',
    wholeNumber(13, 1_200),
    '36',
  ),
  KEEP_DELIVERIES_MONTHS: setting(
    'for how many months deliveries of webhooks stay at least, 4 or more',
    wholeNumber(4, 1_200),
    '6',
  ),
  KEEP_FETCHES_MONTHS: setting(
    'for how many months fetches from ERPs stay at least, 17 or more',
    wholeNumber(17, 1_200),
    '18',
  ),
  KEEP_REQUESTS_MONTHS: setting(
    'for how many months the log of API requests stays at least, 1 or more',
    wholeNumber(1, 1_200),
    '1',
  ),
  TLS_CERT_FILE: optional('certificate chain, for Bursar to serve https itself', existingFile),
  TLS_KEY_FILE: optional('private key of the certificate', existingFile),
  CELL: optional(
    'name of this cell, where several installations are one service; shown in logs and metrics',
    matching(/^[a-z][a-z0-9-]{0,30}$/, 'must be lower-case letters, digits and hyphens, a letter first'),
  ),
  CELL_MAPS: optional('folder into which `bursar cells sync` writes what HAProxy starts from', text =>
    resolve(text),
  ),
  CELL_PROXIES: optional(
    'admin sockets of the running HAProxies, as paths or host:port, comma-separated',
    asList,
  ),
  TRUST_PROXY: optional(
    'addresses or CIDRs of proxies whose X-Forwarded-* headers are trusted, comma-separated',
    asList,
  ),
  DEMO: setting(
    'on: a new sandbox gets Sunrise School, with half a year of history to look at; off: none',
    oneOf('on', 'off'),
    { sandbox: 'on', live: 'off' },
  ),
  PUBLIC_RATE: setting(
    'requests a second that one address may send to pages and whatever else needs no key or session',
    wholeNumber(1, 1_000_000),
    String(LIMITS.anonymous.rate.perMinute / 60),
  ),
  PUBLIC_BURST: setting(
    'how many of them it may send at once',
    wholeNumber(1, 1_000_000),
    String(LIMITS.anonymous.rate.burst),
  ),
  SECURITY_CONTACT: optional(
    'where people who find a weakness tell you: an e-mail address or https address, several with commas; shown at /.well-known/security.txt',
    parsedBy(
      parseContacts,
      'must be e-mail addresses or https addresses, such as security@school.example.in',
    ),
  ),
  LOG_LEVEL: setting(
    'trace, debug, info, warn, error or silent',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'info',
  ),
  LOG_FORMAT: setting('plain for a terminal, json for log collectors', oneOf('plain', 'json'), {
    sandbox: 'plain',
    live: 'json',
  }),
  METRICS_TOKEN: optional('bearer token for /metrics; live mode serves it only with one', asText, SECRET),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'collector of OpenTelemetry traces (OTLP over HTTP), such as http://127.0.0.1:4318; without it nothing is traced',
    httpUrl,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional('headers for that collector: name=value,name=value', asPairs, SECRET),
  OTEL_SERVICE_NAME: setting('name of this process in traces', asText, 'bursar'),
  OTEL_TRACES_SAMPLER_ARG: setting('which part of the traces is kept, from 0 to 1', fraction, '1'),
  DRAIN_SECONDS: setting(
    'for how long /readyz fails at shutdown before connections are closed',
    wholeNumber(0, 300),
    { sandbox: '0', live: '5' },
  ),
  SMTP_URL: optional(
    'mail server: smtps://user:password@host:465, or smtp:// for STARTTLS',
    text => {
      const problem = smtpUrlProblem(text)
      if (problem !== null) throw new WrongValue(problem)
      return text
    },
    SECRET,
  ),
  MAIL_FROM: optional(
    'sender of e-mails: Name <address>',
    parsedBy(parseMailAddress, 'must be an address or Name <address>'),
    { derivedDefault: 'Bursar <no-reply@ the host of PUBLIC_URL>' },
  ),
  SMS_API_KEY: optional('sends SMS through Exotel: key of its API', asText),
  SMS_API_TOKEN: optional('token of that key', asText, SECRET),
  SMS_ACCOUNT_SID: optional('account of that key', asText),
  SMS_SENDER_ID: optional(
    'sender of SMS: a header registered with DLT',
    matching(/^[A-Za-z0-9]{3,6}$/, 'must be a DLT header of 3 to 6 letters or digits'),
  ),
  SMS_ENTITY_ID: optional(
    'DLT number of the entity that owns the header',
    matching(/^\d+$/, "must be the DLT entity's number, digits only"),
  ),
  SMS_TEMPLATE_ID: optional(
    'DLT template of texts without their own, 19 digits',
    matching(/^\d{19}$/, 'must be a DLT template id of 19 digits'),
  ),
  SMS_TEMPLATE_IDS: optional(
    'DLT template of each text, as `bursar sms templates` names them: name=id,name=id',
    listOf(pair => /^[a-z_]+=\d{19}$/.test(pair), 'must be a list such as notice_en=1107000000000000042,…'),
  ),
  SMS_URL: setting(
    "where Exotel's API is; https://api.exotel.com for accounts in Singapore",
    providerUrl,
    'https://api.in.exotel.com',
  ),
  WHATSAPP_PHONE_ID: optional(
    "sends WhatsApp messages through Meta's Cloud API: id of the phone number",
    matching(/^\d+$/, 'must be the id of a phone number at Meta, digits only'),
  ),
  WHATSAPP_TOKEN: optional('permanent access token for it', asText, SECRET),
  WHATSAPP_TEMPLATE: optional('name of an approved template whose body has one variable, {{1}}', asText),
  WHATSAPP_LANGUAGE: setting("code of that template's language", asText, 'en'),
  WHATSAPP_URL: setting(
    "where Meta's API is, with its version",
    providerUrl,
    'https://graph.facebook.com/v25.0',
  ),
  OUTBOUND_ALLOW: optional(
    'private addresses that webhooks and ERP fetches may reach in live mode: CIDRs, comma-separated',
    listOf(isCidr, 'must be CIDRs such as 10.0.0.0/8, comma-separated'),
  ),
  DNS_SERVERS: optional(
    'name servers that resolve the hosts of webhooks and ERPs, comma-separated',
    listOf(server => URL.canParse(`dns://${server}`), 'must be addresses of name servers, comma-separated'),
    { derivedDefault: "the system's" },
  ),
  WEBHOOK_RETRY_SECONDS: setting(
    'seconds between the attempts of a delivery, comma-separated',
    readRetrySeconds,
    RETRY_SECONDS.join(','),
  ),
  WEBHOOK_CONCURRENCY: setting(
    'the most deliveries to one endpoint at a time, in each process',
    wholeNumber(1, 1_000),
    '50',
  ),
  PROVIDERS_PAUSED: optional(
    'providers whose account of the installation takes nothing new and finishes what went through it, comma-separated',
    listOf(
      name => Object.hasOwn(PROVIDERS, name),
      `must be names of providers: ${Object.keys(PROVIDERS).join(', ')}, comma-separated`,
    ),
  ),
} satisfies Record<string, Setting>

/** What the real providers want, as each of them describes it. */
const PROVIDER_KEYS: Readonly<Record<string, Setting<string | null>>> = Object.fromEntries(
  Object.values(PROVIDERS).flatMap(({ title, settings, apiUrlEnv }) => [
    ...settings.map(
      ({ env, describes, isSecret = false }) => [env, optional(describes, asText, { isSecret })] as const,
    ),
    [
      apiUrlEnv,
      optional(`address of ${title}'s API, if it is another: an emulator's`, providerApiUrl),
    ] as const,
  ]),
)

export const ALL_SETTINGS: Readonly<Record<string, Setting>> = { ...SETTINGS, ...PROVIDER_KEYS }

/** Settings that make sense only together: all of a group, or none. */
export const GROUPS: readonly (readonly string[])[] = [
  ['TLS_CERT_FILE', 'TLS_KEY_FILE'],
  ['SMS_API_KEY', 'SMS_API_TOKEN', 'SMS_ACCOUNT_SID', 'SMS_SENDER_ID', 'SMS_ENTITY_ID', 'SMS_TEMPLATE_ID'],
  ['WHATSAPP_PHONE_ID', 'WHATSAPP_TOKEN', 'WHATSAPP_TEMPLATE'],
  ...Object.values(PROVIDERS).map(({ settings }) =>
    settings.filter(({ isOptional }) => isOptional !== true).map(({ env }) => env),
  ),
]

const LONGEST_RETRY_SECONDS = 30 * 86_400
/** Each try is kept with its delivery, whose row is read and shown whole. */
const MOST_RETRIES = 50

function readRetrySeconds(text: string): readonly number[] {
  const seconds = asList(text).map(Number)
  const isRight = seconds.every(value => value > 0 && value <= LONGEST_RETRY_SECONDS)
  if (isRight && seconds.length <= MOST_RETRIES) return seconds
  throw new WrongValue(
    `must be at most ${MOST_RETRIES} positive numbers, comma-separated, none above ${LONGEST_RETRY_SECONDS}`,
  )
}

/** Shorter names are too near to those of other programs: POST is not a misspelt PORT. */
const SHORTEST_NAME = 7
const MOST_EDITS = 2
/** Variables that only the tests and the developer's command line read. */
const OTHERS = /^BURSAR_(?:TEST|API|CLI)_/

/**
 * Variables that look like settings of ours and are none, one sentence each. They are warnings, because other programs
 * share the environment; Kubernetes, for one, sets BURSAR_PORT for a service that is called bursar.
 */
export function findMisspelt(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.keys(ALL_SETTINGS)
  return Object.keys(env)
    .filter(name => !Object.hasOwn(ALL_SETTINGS, name))
    .flatMap(name => {
      const meant = nearest(name, known)
      if (meant !== null) return [`${name} is not a setting and was ignored; did you mean ${meant}?`]
      if (!name.startsWith('BURSAR_') || OTHERS.test(name)) return []
      return [`${name} is not a setting and was ignored; \`bursar config\` lists them.`]
    })
}

function nearest(name: string, known: readonly string[]): string | null {
  const plain = name.replace(/^BURSAR_/, '')
  if (plain !== name && known.includes(plain)) return plain
  const upper = name.toUpperCase()
  if (name !== upper && upper.length >= SHORTEST_NAME && known.includes(upper)) return upper
  const candidates = known
    .filter(candidate => candidate.length >= SHORTEST_NAME)
    .map(candidate => ({ candidate, edits: editDistance(name, candidate) }))
    .filter(({ edits }) => edits <= MOST_EDITS)
    .sort((a, b) => a.edits - b.edits)
  return candidates[0]?.candidate ?? null
}

/** Levenshtein's. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST_EDITS) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of b.split('').entries())
      next.push(
        Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1),
      )
    row = next
  }
  return row[b.length] ?? 0
}

/** Thrown by a reader: what the value must be, without the value itself, which may be a secret. */
