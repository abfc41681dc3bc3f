import { PROVIDERS } from '../providers/catalogue.ts'
import { RETRY_SECONDS } from '../webhooks/delivery-log/deliveries.rules.ts'

/** Every setting, as `bursar config` explains it. */
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
  {
    name: 'BACKUP_DIR',
    describes: 'folder for daily backups of the embedded server, best on another disk',
    standard: '',
  },
  { name: 'BACKUP_AT', describes: 'time of day of the backup, Indian time', standard: '02:30' },
  { name: 'BACKUP_KEEP', describes: 'how many daily backups are kept', standard: '14' },
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
  ...Object.values(PROVIDERS).flatMap(({ settings }) =>
    settings.map(setting => ({ ...setting, standard: '' })),
  ),
  {
    name: 'SMTP_URL',
    describes: 'mail server: smtps://user:password@host:465, or smtp:// for STARTTLS',
    standard: '',
    isSecret: true,
  },
  {
    name: 'MAIL_FROM',
    describes: 'sender of e-mails: Name <address>',
    standard: 'Bursar <no-reply@ the host of PUBLIC_URL>',
  },
  { name: 'SMS_API_KEY', describes: 'sends SMS through Exotel: key of its API', standard: '' },
  { name: 'SMS_API_TOKEN', describes: 'token of that key', standard: '', isSecret: true },
  { name: 'SMS_ACCOUNT_SID', describes: 'account of that key', standard: '' },
  { name: 'SMS_SENDER_ID', describes: 'sender of SMS: a header registered with DLT', standard: '' },
  { name: 'SMS_ENTITY_ID', describes: 'DLT number of the entity that owns the header', standard: '' },
  { name: 'SMS_TEMPLATE_ID', describes: 'DLT template of texts without their own, 19 digits', standard: '' },
  {
    name: 'SMS_TEMPLATE_IDS',
    describes: 'DLT template of each text, as `bursar sms templates` names them: name=id,name=id',
    standard: '',
  },
  {
    name: 'SMS_URL',
    describes: "where Exotel's API is; https://api.exotel.com for accounts in Singapore",
    standard: 'https://api.in.exotel.com',
  },
  {
    name: 'WHATSAPP_PHONE_ID',
    describes: "sends WhatsApp messages through Meta's Cloud API: id of the phone number",
    standard: '',
  },
  { name: 'WHATSAPP_TOKEN', describes: 'permanent access token for it', standard: '', isSecret: true },
  {
    name: 'WHATSAPP_TEMPLATE',
    describes: 'name of an approved template whose body has one variable, {{1}}',
    standard: '',
  },
  { name: 'WHATSAPP_LANGUAGE', describes: "code of that template's language", standard: 'en' },
  {
    name: 'WHATSAPP_URL',
    describes: "where Meta's API is, with its version",
    standard: 'https://graph.facebook.com/v25.0',
  },
  {
    name: 'OUTBOUND_ALLOW',
    describes:
      'private addresses that webhooks and ERP fetches may reach in live mode: CIDRs, comma-separated',
    standard: '',
  },
  {
    name: 'DNS_SERVERS',
    describes: 'name servers to ask for those addresses, comma-separated',
    standard: "the system's",
  },
  {
    name: 'WEBHOOK_RETRY_SECONDS',
    describes: 'waits between the attempts of a delivery, comma-separated',
    standard: RETRY_SECONDS.join(','),
  },
  {
    name: 'WEBHOOK_PLACES',
    describes: 'the most deliveries to one endpoint at a time, of this process',
    standard: '50',
  },
  {
    name: 'BURSAR_API_KEY',
    describes: 'with what `bursar trigger` and `bursar listen` ask a running sandbox',
    standard: 'key_test_demo',
  },
  { name: 'BURSAR_API_SECRET', describes: 'secret of that key', standard: '', isSecret: true },
]
