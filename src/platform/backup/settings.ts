import { relative, resolve } from 'node:path'
import type { BackupSettings } from './schedule.ts'
import { parseTimeOfDay } from './schedule.rules.ts'

/** Null when no folder is named: then no backups are made. */
export function readBackupSettings(
  get: (name: string) => string | null,
  keep: number,
  problems: string[],
): BackupSettings | null {
  const folder = get('BACKUP_DIR')
  const text = get('BACKUP_AT') ?? '02:30'
  const at = parseTimeOfDay(text)
  if (at === null) problems.push(`BACKUP_AT must be a time of day such as 02:30; it is "${text}".`)
  return folder === null || at === null ? null : { folder: resolve(folder), at, keep }
}

type Surroundings = { backup: BackupSettings | null; dataDir: string; databaseUrl: string | null }

export function backupProblem({ backup, dataDir, databaseUrl }: Surroundings): string | null {
  if (backup === null) return null
  if (databaseUrl !== null)
    return 'BACKUP_DIR is for the embedded server; back up the server of DATABASE_URL with its own tools.'
  const path = relative(dataDir, backup.folder)
  return path.startsWith('..')
    ? null
    : 'BACKUP_DIR must not be inside DATA_DIR: what destroys one would destroy the other.'
}
