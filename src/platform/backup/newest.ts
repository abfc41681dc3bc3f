import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readThrough } from './read.ts'
import { backupTime } from './schedule.rules.ts'
import { PARTIAL } from './write.ts'

/**
 * When the newest whole backup in a folder was made. One with a name of the schedule was read back before it got that name.
 * One made by hand may have any name and may have been copied or cut since, so it is read to its end before it counts.
 */
export async function newestBackup(folder: string): Promise<Date | null> {
  const names = await readdir(folder).catch(() => [])
  let newest = names.flatMap(name => backupTime(name) ?? []).reduce(later, null)
  for (const name of names) {
    if (backupTime(name) !== null || name.endsWith(PARTIAL)) continue
    const file = join(folder, name)
    const found = await stat(file).catch(() => null)
    // A file that was last written before the newest backup holds none that is newer.
    if (!found?.isFile() || (newest !== null && found.mtime < newest)) continue
    newest = later(newest, await madeAt(file))
  }
  return newest
}

function later(one: Date | null, other: Date | null): Date | null {
  return one === null || (other !== null && other > one) ? other : one
}

async function madeAt(file: string): Promise<Date | null> {
  const manifest = await readThrough(file).catch(() => null)
  const at = new Date(manifest?.created_at ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at
}
