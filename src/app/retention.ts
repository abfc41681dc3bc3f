import type { RetentionSettings } from './config.ts'
import type { BursarContext } from './context.ts'
import type { Run } from '../platform/jobs/job.ts'
import type { PartitionedLog } from '../platform/retention/logs.ts'
import { retainLogs } from '../platform/retention/retention.ts'
import { areDeliveriesNeeded, areEventsNeeded } from '../webhooks/delivery-log/deliveries.service.ts'

/**
 * The logs that are partitioned by month. Deliveries come before the events that they are of. Events are the record of
 * what happened, so they leave the database only for an archive. Ledger, payments, receipts and audits are not here: they
 * never leave.
 */
export function partitionedLogs(settings: RetentionSettings): PartitionedLog[] {
  return [
    {
      table: 'webhook_deliveries',
      prefix: 'dlv',
      keepMonths: settings.deliveries,
      mustBeArchived: false,
      isNeeded: areDeliveriesNeeded,
    },
    {
      table: 'events',
      prefix: 'evt',
      keepMonths: settings.archiveDir === null ? null : settings.events,
      mustBeArchived: true,
      isNeeded: areEventsNeeded,
    },
    { table: 'erp_fetches', prefix: 'fetch', keepMonths: settings.fetches, mustBeArchived: false },
    { table: 'api_requests', prefix: 'req', keepMonths: settings.requests, mustBeArchived: false },
  ]
}

const HOUR_MS = 3_600_000

export function retainMonths({ db, vault, log }: BursarContext, settings: RetentionSettings): Run {
  let resumeAtMs = 0
  return async slots => {
    await slots.untilFree()
    // A full disk would be filled again and again.
    if (slots.free === 0 || Date.now() < resumeAtMs) return false
    const retention = { db, vault, log, logs: partitionedLogs(settings), archiveDir: settings.archiveDir }
    const end = await slots.run(
      async () => (await retainLogs(retention, { isStopping: () => slots.isClosed })).length,
    )
    if (!('error' in end)) return false
    resumeAtMs = Date.now() + HOUR_MS
    throw end.error
  }
}
