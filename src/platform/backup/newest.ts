import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readManifest, readThrough } from './read.ts'
import { backupTime } from './schedule.rules.ts'
import { PARTIAL } from './write.ts'
import type { Vault } from '../secrets.ts'

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
