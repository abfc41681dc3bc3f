import { listEvents, type RecordedEvent } from '../../events/events.service.ts'
import type { EventCode, TestCode } from '../../events/codes.ts'
import { branchFilter, type Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'

type EventsAsked = PageRange & {
  order: 'newest' | 'oldest'
  eventCode?: EventCode | TestCode
  resourceId?: string
  collectorCode?: string
  recordedFrom?: Date
  recordedBefore?: Date
}

export async function listEventsOf(
  ctx: Context,
  institute: Institute,
  { cursor, limit, order, ...filter }: EventsAsked,
): Promise<Page<RecordedEvent>> {
  const { collectorCode: branch } = filter
  const collectorCode = branchFilter(institute, branch)
  return listEvents(ctx, institute.id, { ...filter, collectorCode }, { cursor, limit, order })
}
