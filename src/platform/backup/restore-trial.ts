import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** When a backup was last restored on trial, kept beside the database: not in it, as the trial needs no running one. */
const FILE = 'restore-trial.json'

export async function noteRestoreTrial(dataDir: string, trial: { at: Date; file: string }): Promise<void> {
  await writeFile(join(dataDir, FILE), `${JSON.stringify(trial)}\n`, { mode: 0o600 })
}

export async function readRestoreTrial(dataDir: string): Promise<Date | null> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => null)
  if (text === null) return null
  const at = new Date((JSON.parse(text) as { at: string }).at)
  return Number.isNaN(at.getTime()) ? null : at
}
