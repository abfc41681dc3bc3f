import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { settingsFor } from '../../erp/settings/settings.rules.ts'
import { listErpSettings } from '../../erp/settings/settings.service.ts'
import * as store from './erp.store.ts'
import { DAY_MS } from '../../platform/calendar.ts'

export type BranchHealth = {
  collectorCode: string
  name: string
  /** Where it is asked; null when nobody is. */
  host: string | null
  found: number
  refused: number
  unavailable: number
  lastAt: Date | null
  /** What went wrong, the most frequent first. */
  problems: store.FetchSum[]
}

/** How the ERP of each branch answered in the last 24 hours of real time, which ids are made in. */
export async function readErpHealth(ctx: Context, institute: Institute): Promise<BranchHealth[]> {
  const [settings, sums] = await Promise.all([
    listErpSettings(ctx, institute),
    store.sumFetches(ctx.db, institute.id, firstIdAt('fetch', new Date(Date.now() - DAY_MS))),
  ])
  return institute.branches.map(({ collectorCode, name }) => {
    const own = sums.filter(sum => sum.collectorCode === collectorCode)
    const countOf = (outcome: store.FetchOutcome): number =>
      own.filter(sum => sum.outcome === outcome).reduce((total, { count }) => total + count, 0)
    const url = settingsFor(settings, collectorCode)?.url
    return {
      collectorCode,
      name,
      host: url === undefined ? null : (URL.parse(url)?.host ?? null),
      found: countOf('found'),
      refused: countOf('refused'),
      unavailable: countOf('unavailable'),
      lastAt: own.reduce<Date | null>(
        (last, { lastAt }) => (last === null || lastAt > last ? lastAt : last),
        null,
      ),
      problems: own.filter(({ outcome }) => outcome !== 'found'),
    }
  })
}
