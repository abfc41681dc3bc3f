import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Mode } from './platform/ground.ts'
import type { LogFormat } from './platform/log.ts'
import { parseMasterKey } from './platform/secrets.ts'

/** The only reader of the environment. Each key is described here, and all are checked before anything starts. */
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
  tls: { certFile: string; keyFile: string } | null
  trustProxy: string[] | false
  poolSize: number
  logLevel: string
  logFormat: LogFormat
  metricsToken: string | null
  drainMs: number
  razorpay: { keyId: string; keySecret: string; webhookSecret: string } | null
}

type Key = { name: string; describes: string; standard: string; isSecret?: boolean }

export const CONFIG_KEYS: readonly Key[] = [
  { name: 'BURSAR_MODE', describes: 'sandbox, or live for real money', standard: 'sandbox' },
  { name: 'BURSAR_ROLE', describes: 'what this process does: all, api or worker', standard: 'all' },
  { name: 'HOST', describes: 'address to listen on', standard: '127.0.0.1' },
  { name: 'PORT', describes: 'port to listen on; 0 takes a free one', standard: '8080' },
  {
    name: 'PUBLIC_URL',
    describes: "where parents' browsers reach us; https in live mode",
    standard: 'http://HOST:PORT',
  },
  {
    name: 'DATA_DIR',
    describes: 'folder of the embedded PostgreSQL and the sandbox master key',
    standard: './data',
  },
  {
    name: 'DATABASE_URL',
    describes: 'PostgreSQL 18 to use instead of the embedded one',
    standard: '',
    isSecret: true,
  },
  {
    name: 'MASTER_KEY',
    describes: '32 bytes in hex or base64 that seal stored secrets',
    standard: 'made in DATA_DIR',
    isSecret: true,
  },
  { name: 'TLS_CERT_FILE', describes: 'certificate chain, to serve https ourselves', standard: '' },
  { name: 'TLS_KEY_FILE', describes: 'private key of the certificate', standard: '' },
  {
    name: 'TRUST_PROXY',
    describes: 'addresses or CIDRs of proxies whose X-Forwarded-* count, comma-separated',
    standard: '',
  },
  { name: 'DB_POOL_SIZE', describes: 'database connections of this process', standard: '16' },
  { name: 'LOG_LEVEL', describes: 'trace, debug, info, warn, error or silent', standard: 'info' },
  {
    name: 'LOG_FORMAT',
    describes: 'plain for a terminal, json for machines',
    standard: 'plain in sandbox, json in live',
  },
  {
    name: 'METRICS_TOKEN',
    describes: 'bearer token for /metrics; live mode serves it only with one',
    standard: '',
    isSecret: true,
  },
  {
    name: 'DRAIN_SECONDS',
    describes: 'how long readiness says no before the doors close',
    standard: '0 in sandbox, 5 in live',
  },
  {
    name: 'RAZORPAY_KEY_ID',
    describes: 'takes payments through Razorpay instead of the sandbox bank',
    standard: '',
  },
  { name: 'RAZORPAY_KEY_SECRET', describes: 'secret of that key', standard: '', isSecret: true },
  {
    name: 'RAZORPAY_WEBHOOK_SECRET',
    describes: 'secret of the webhook at PUBLIC_URL/callbacks/razorpay',
    standard: '',
    isSecret: true,
  },
]

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
  const config: Config = {
    mode,
    role: choose('BURSAR_ROLE', ['all', 'api', 'worker'], 'all'),
    host,
    port,
    publicUrl: (get('PUBLIC_URL') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(
      /\/+$/,
      '',
    ),
    dataDir: resolve(get('DATA_DIR') ?? 'data'),
    databaseUrl: get('DATABASE_URL'),
    masterKey: readMasterKey(get('MASTER_KEY'), lines),
    tls: readTls(get('TLS_CERT_FILE'), get('TLS_KEY_FILE'), lines),
    trustProxy:
      get('TRUST_PROXY')
        ?.split(',')
        .map(part => part.trim()) ?? false,
    poolSize: number('DB_POOL_SIZE', 16, [2, 500]),
    logLevel: choose('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
    logFormat: choose('LOG_FORMAT', ['plain', 'json'], mode === 'live' ? 'json' : 'plain'),
    metricsToken: get('METRICS_TOKEN'),
    razorpay: readRazorpay(get, lines),
    drainMs: number('DRAIN_SECONDS', mode === 'live' ? 5 : 0, [0, 300]) * 1_000,
  }
  checkPublicUrl(config, lines)
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

function readRazorpay(get: (name: string) => string | null, lines: string[]): Config['razorpay'] {
  const keyId = get('RAZORPAY_KEY_ID')
  const keySecret = get('RAZORPAY_KEY_SECRET')
  const webhookSecret = get('RAZORPAY_WEBHOOK_SECRET')
  if (keyId !== null && keySecret !== null && webhookSecret !== null)
    return { keyId, keySecret, webhookSecret }
  if (keyId !== null || keySecret !== null || webhookSecret !== null) {
    lines.push(
      'RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET and RAZORPAY_WEBHOOK_SECRET go together; set all or none.',
    )
  }
  return null
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
  if (config.databaseUrl === null)
    lines.push('Live mode needs DATABASE_URL, a PostgreSQL 18 with backups of its own.')
  if (publicUrl === null)
    lines.push("Live mode needs PUBLIC_URL, the https address that parents' browsers reach.")
  else if (!publicUrl.startsWith('https://')) lines.push('In live mode PUBLIC_URL must begin with https://.')
  if (config.tls === null && config.trustProxy === false) {
    lines.push(
      'Live mode serves https: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY for a proxy that ends TLS.',
    )
  }
}
