import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readManifest, readThrough } from './format.ts'
import {
  backupName,
  backupsToRemove,
  backupTime,
  isBackupLate,
  nextBackupAt,
  retryAt,
  type TimeOfDay,
} from './schedule.rules.ts'
import { PARTIAL, writeBackup } from './write.ts'
import { syncFolder } from '../embedded-postgres/paths.ts'
import type { EmbeddedPostgres } from '../embedded-postgres/supervisor.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../secrets.ts'

/**
 * Daily backups of the embedded server into a folder. What was done is read off the folder, never remembered: a file that has
 * the name of a backup is a whole one, so a restart, a crash or a restored machine needs no further bookkeeping.
 */

export type BackupSettings = { folder: string; at: TimeOfDay; keep: number }

export type BackupState = {
  folder: string
  lastAt: Date | null
  lastBytes: number
  kept: number
  nextAt: Date
  isLate: boolean
  failuresInRow: number
  lastFailure: { at: Date; message: string } | null
}

const CHECK_MS = 30_000
/** A partial file that nobody has written to for so long was left by a process that died. */
const LEFTOVER_MS = 10 * 60_000

type ScheduleOptions = {
  settings: BackupSettings
  dataDir: string
  embedded: EmbeddedPostgres
  vault: Vault
  log: Log
  /** Real time: a moved sandbox clock must not make backups. */
  now?: () => Date
}

export class BackupSchedule {
  readonly #options: Required<ScheduleOptions>
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #last: { at: Date; bytes: number } | null = null
  #kept = 0
  #isStopping = false
  #failuresInRow = 0
  #lastFailure: BackupState['lastFailure'] = null

  constructor(options: ScheduleOptions) {
    this.#options = { now: () => new Date(), ...options }
  }

  start(): void {
    this.#timer = setInterval(() => void this.runIfDue(), CHECK_MS)
    void this.runIfDue()
  }

  /** A backup that is being written is given up: the next start makes it. */
  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#running
  }

  get state(): BackupState {
    const { settings, now } = this.#options
    const lastAt = this.#last?.at ?? null
    return {
      folder: settings.folder,
      lastAt,
      lastBytes: this.#last?.bytes ?? 0,
      kept: this.#kept,
      nextAt: this.#nextAt(),
      isLate: this.#failuresInRow > 0 || isBackupLate(lastAt, settings.at, now()),
      failuresInRow: this.#failuresInRow,
      lastFailure: this.#lastFailure,
    }
  }

  /** Never throws: a failure is logged, shown in the state and tried again. */
  runIfDue(): Promise<void> {
    this.#running ??= this.#runIfDue()
      .catch((err: unknown) => this.#noteFailure(err))
      .finally(() => (this.#running = null))
    return this.#running
  }

  async #runIfDue(): Promise<void> {
    const { settings, dataDir, embedded, vault, log, now } = this.#options
    await mkdir(settings.folder, { recursive: true, mode: 0o700 })
    await this.#readFolder()
    if (now() < this.#nextAt()) return
    await this.#removeLeftovers()
    const startedAt = now()
    const file = join(settings.folder, backupName(startedAt))
    const onProgress = (): void => {
      // Thrown inside the work, so that its own clean-up removes the unfinished file.
      if (this.#isStopping) throw new Error('Bursar is stopping')
    }
    const { bytes } = await writeBackup({ dataDir, file, connection: embedded.connection, vault, onProgress })
    this.#failuresInRow = 0
    this.#lastFailure = null
    await this.#removeOldest()
    await this.#readFolder()
    log.info({ file, bytes, ms: now().getTime() - startedAt.getTime() }, 'backup written and verified')
  }

  #nextAt(): Date {
    const due = nextBackupAt(this.#last?.at ?? null, this.#options.settings.at)
    const retry = this.#lastFailure === null ? due : retryAt(this.#lastFailure.at)
    return retry > due ? retry : due
  }

  #noteFailure(err: unknown): void {
    if (this.#isStopping) return
    const message = err instanceof Error ? err.message : String(err)
    this.#failuresInRow += 1
    this.#lastFailure = { at: this.#options.now(), message }
    const { folder } = this.#options.settings
    this.#options.log.error({ err, folder, failures_in_row: this.#failuresInRow }, 'backup failed')
  }

  async #readFolder(): Promise<void> {
    const { folder } = this.#options.settings
    const names = (await readdir(folder)).filter(name => backupTime(name) !== null).sort()
    this.#kept = names.length
    const newest = names.at(-1)
    const at = newest === undefined ? null : backupTime(newest)
    this.#last =
      newest === undefined || at === null ? null : { at, bytes: (await stat(join(folder, newest))).size }
  }

  async #removeOldest(): Promise<void> {
    const { folder, keep } = this.#options.settings
    for (const name of backupsToRemove(await readdir(folder), keep))
      await rm(join(folder, name), { force: true })
    await syncFolder(folder)
  }

  async #removeLeftovers(): Promise<void> {
    const { settings, now } = this.#options
    for (const name of await readdir(settings.folder)) {
      if (!name.endsWith(PARTIAL) || backupTime(name.slice(0, -PARTIAL.length)) === null) continue
      const file = join(settings.folder, name)
      const found = await stat(file).catch(() => null)
      if (found !== null && now().getTime() - found.mtimeMs > LEFTOVER_MS) await rm(file, { force: true })
    }
  }
}

/**
 * When the newest whole backup in a folder was made. One with a name of the schedule was read back before it got that name.
 * One made by hand may have any name and may have been copied or cut since, so it is read to its end before it counts: the
 * newest first, by what they say at their beginning, and no further than to the first that is whole. Without the master key
 * nobody knows what such a file is, and it does not count.
 */
export async function newestBackup(folder: string, vault: Vault | null): Promise<Date | null> {
  const names = await readdir(folder).catch(() => [])
  const scheduled = names.flatMap(name => backupTime(name) ?? []).reduce(later, null)
  const newer: { file: string; at: Date }[] = []
  for (const name of names) {
    if (vault === null || backupTime(name) !== null || name.endsWith(PARTIAL)) continue
    const file = join(folder, name)
    const found = await stat(file).catch(() => null)
    // A file that was last written before the newest backup holds none that is newer.
    if (!found?.isFile() || (scheduled !== null && found.mtime < scheduled)) continue
    const at = await madeAt(file, vault)
    if (at !== null && later(scheduled, at) === at) newer.push({ file, at })
  }
  for (const { file, at } of newer.toSorted((one, other) => other.at.getTime() - one.at.getTime())) {
    if (vault !== null && (await isWhole(file, vault))) return at
  }
  return scheduled
}

function later(one: Date | null, other: Date): Date {
  return one === null || other > one ? other : one
}

async function madeAt(file: string, vault: Vault): Promise<Date | null> {
  const manifest = await readManifest(file, vault).catch(() => null)
  const at = new Date(manifest?.created_at ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at
}

function isWhole(file: string, vault: Vault): Promise<boolean> {
  return readThrough(file, vault).then(
    () => true,
    () => false,
  )
}
