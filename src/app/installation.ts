import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { PROVIDERS } from '../providers/catalogue.ts'
import type { Config } from './config.ts'
import type { Installation } from '../console/operator/health.service.ts'
import type { BackupSchedule } from '../platform/backup/schedule.ts'
import type { JobRunner } from '../platform/jobs/job-runner.ts'

const HOST_CHARACTERS = 32

/** How this process is known among the connections of its database, which keeps 63 characters. */
export function processName(role: Config['role']): string {
  const host = hostname().replaceAll('/', '-').slice(0, HOST_CHARACTERS)
  return `bursar/${role}/${readVersion()}/${host}/${process.pid}`
}

/** What the operator's pages show of this configuration: names, never secrets. */
export function describeInstallation(
  config: Config,
  jobs: JobRunner,
  backups: BackupSchedule | null,
): Installation {
  const { mode, mail, sms, whatsapp } = config
  const nobody = mode === 'sandbox' ? "the sandbox's mailbox only" : null
  return {
    version: readVersion(),
    role: config.role,
    dataDir: config.dataDir,
    hasOwnDatabase: config.databaseUrl === null,
    channels: {
      email: mail.smtpUrl === null ? nobody : `SMTP at ${URL.parse(mail.smtpUrl)?.hostname}`,
      sms: sms === null ? nobody : `the SMS provider at ${URL.parse(sms.url)?.hostname}`,
      whatsapp: whatsapp === null ? nobody : `the WhatsApp provider at ${URL.parse(whatsapp.url)?.hostname}`,
    },
    providerKeys: Object.fromEntries(
      [...config.providers].flatMap(([name, values]) => {
        const entry = PROVIDERS[name]
        return entry === undefined ? [] : [[name, entry.describe(values).key]]
      }),
    ),
    jobs,
    backups,
  }
}

export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
