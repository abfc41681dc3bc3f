import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readManifest, readThrough } from './read.ts'
import { backupTime } from './schedule.rules.ts'
import { PARTIAL } from './write.ts'

/**
 * When the newest whole backup in a folder was made. One with a name of the schedule was read back before it got that name.
 * One made by hand may have any name and may have been copied or cut since, so it is read to its end before it counts: the
 * newest first, by what they say at their beginning, and no further than to the first that is whole.
 */
export async function newestBackup(folder: string): Promise<Date | null> {
  const names = await readdir(folder).catch(() => [])
  const scheduled = names.flatMap(name => backupTime(name) ?? []).reduce(later, null)
  const newer: { file: string; at: Date }[] = []
  for (const name of names) {
    if (backupTime(name) !== null || name.endsWith(PARTIAL)) continue
    const file = join(folder, name)
    const found = await stat(file).catch(() => null)
    // A file that was last written before the newest backup holds none that is newer.
    if (!found?.isFile() || (scheduled !== null && found.mtime < scheduled)) continue
    const at = await madeAt(file)
    if (at !== null && later(scheduled, at) === at) newer.push({ file, at })
  }
  for (const { file, at } of newer.toSorted((one, other) => other.at.getTime() - one.at.getTime())) {
    if (await isWhole(file)) return at
  }
  return scheduled
}

function later(one: Date | null, other: Date): Date {
  return one === null || other > one ? other : one
}

async function madeAt(file: string): Promise<Date | null> {
  const manifest = await readManifest(file).catch(() => null)
  const at = new Date(manifest?.created_at ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at
}

function isWhole(file: string): Promise<boolean> {
  return readThrough(file).then(
    () => true,
    () => false,
  )
}
