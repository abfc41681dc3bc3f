import { randomUUID } from 'node:crypto'
import { findInstitute } from '../../institutes/institutes.service.ts'
import type { Context } from '../../platform/context.ts'
import { claimSetting, writeSetting } from '../../platform/db/instance-settings.ts'
import type { Log } from '../../platform/log.ts'
import { seedSchool } from '../../sandbox/seed/school.service.ts'
import { DEMO_SCHOOL } from '../../sandbox/seed/seed.service.ts'
import type { Config } from '../config.ts'
import { PastSandbox } from './past-sandbox.ts'
import { SunriseSchool } from './sunrise-school.ts'
import { DAY_MS } from '../../platform/calendar.ts'

const STUDENTS = 300
const SAME_DAY = 12
const HISTORY_MS = 151 * DAY_MS

/**
 * Gives a new sandbox a school to look at. Runs once: one that was interrupted is left as it is, since what happened in
 * its past cannot happen again. Call it before anything works on what is due.
 */
export async function fillDemo(config: Config, base: Context, log: Log): Promise<void> {
  if (!config.hasDemo) return
  const school = await findInstitute(base, DEMO_SCHOOL.code)
  if (school === null) return
  // Home says so meanwhile, by whose it is and when it began.
  const claim = `${school.code} ${Date.now()} ${randomUUID()}`
  const found = await claimSetting(base.db, 'demo', claim)
  // Over a server of one's own another process may be filling it.
  if (config.databaseUrl === null && found !== claim && found !== 'filled')
    log.warn(
      'Sunrise School was interrupted while it was filled; for all of it remove the data folder and start anew',
    )
  if (found !== claim) return
  const beganMs = performance.now()
  const today = base.clock.now()
  await seedSchool(base, school, STUDENTS, { batch: SAME_DAY })
  const start = new Date(today.getTime() - HISTORY_MS)
  const past = await PastSandbox.open(config, base, { log, key: DEMO_SCHOOL.key, start })
  try {
    await new SunriseSchool(past, today).liveThrough()
  } finally {
    await past.close()
  }
  await writeSetting(base.db, 'demo', 'filled')
  log.info({ durationMs: Math.round(performance.now() - beganMs) }, 'Sunrise School is ready to look at')
}
