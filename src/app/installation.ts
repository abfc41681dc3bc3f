import { readFileSync, constants } from 'node:fs'
import { hostname } from 'node:os'
import { PROVIDERS } from '../providers/catalogue.ts'
import type { Config } from './config.ts'
import type { Installation } from '../console/operator/health.service.ts'
import type { BackupSchedule } from '../platform/backup/schedule.ts'
import type { JobRunner } from '../platform/jobs/job-runner.ts'
import { access, mkdir, link, readFile, rm, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { lockDataDir } from '../platform/embedded-postgres/data-dir-lock.ts'
import type { EmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import type { Log } from '../platform/log.ts'
import { MASTER_KEY_BYTES, parseMasterKey, Vault } from '../platform/secrets.ts'

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

/** Makes the data folder, or says in a sentence why it cannot be used. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    const problem = PROBLEMS[code] ?? `failed with ${code}`
    const mend = problem.includes('file') ? 'Set' : 'Let this user write there, or set'
    throw new Error(
      `The data folder ${dataDir} cannot be used: ${problem}. ${mend} DATA_DIR to another folder.`,
      {
        cause,
      },
    )
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
}

/** One Bursar per data folder: held from the start to the stop, also over a death of the server that keeps the lock. */
export type KeptDataDirLock = { release(): Promise<void> }

type Lock = NonNullable<Awaited<ReturnType<typeof lockDataDir>>>

/** Null when another Bursar holds it. */
export async function keepDataDirLocked(
  embedded: EmbeddedPostgres,
  log: Log,
): Promise<KeptDataDirLock | null> {
  const first = await lockOnceUp(embedded)
  if (first === null) return null
  let current: Lock = first
  let isReleased = false
  const takeAgain = async (): Promise<void> => {
    await current.lost
    if (isReleased) return
    const again = await lockOnceUp(embedded)
    if (again === null) {
      log.error('another Bursar took the data folder while its PostgreSQL was down; stop one of the two')
      return
    }
    current = again
    await takeAgain()
  }
  takeAgain().catch((err: unknown) => {
    if (!isReleased) log.error({ err }, 'lost the lock on the data folder')
  })
  return {
    async release() {
      isReleased = true
      await current.release()
    },
  }
}

/** A command that is just ending may stop the server between our attaching and our lock: then it is started again. */
async function lockOnceUp(embedded: EmbeddedPostgres): Promise<Lock | null> {
  try {
    return await lockDataDir(embedded.connection)
  } catch {
    await embedded.ensureRunning()
    return lockDataDir(embedded.connection)
  }
}

export const KEY_FILE = 'master.key'

/** A sandbox makes its own key once: a link is made whole, and by only one of two first starts. */
export async function readOrMakeMasterKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, KEY_FILE)
  await prepareDataDir(dataDir)
  const made = `${file}.${process.pid}`
  await writeFile(made, `${randomBytes(MASTER_KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true })
  try {
    await link(made, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(made, { force: true })
  }
  const key = parseMasterKey((await readFile(file, 'utf8')).trim())
  if (key === null) throw new Error(`${file} does not hold a master key. Restore it, or set MASTER_KEY.`)
  return key
}

/** Finds the vault of the configured key, or of the key that a sandbox made here before; null without either. */
export async function findVault({
  masterKey,
  dataDir,
}: Pick<Config, 'masterKey' | 'dataDir'>): Promise<Vault | null> {
  const made = (await readFile(join(dataDir, KEY_FILE), 'utf8').catch(() => '')).trim()
  const key = masterKey ?? parseMasterKey(made)
  return key === null ? null : new Vault(key)
}
