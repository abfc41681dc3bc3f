import type { EventCode } from '../../src/events/define-event.ts'
import { CATALOGUE } from '../../src/webhooks/events.docs.ts'
import type { TestBursar } from './bursar.ts'
import type { Json } from './client.ts'
import { assertFits } from './openapi/schema.ts'

export type CataloguedEvent = { code: EventCode; resourceId: string; payload: Json }

/** Everything that was recorded, in its order; each is held against the catalogue: no field missing, wrong or too many. */
export async function readCatalogued({ sql }: Pick<TestBursar, 'sql'>): Promise<CataloguedEvent[]> {
  const events = await sql<CataloguedEvent>(
    'select event_code as code, resource_id as "resourceId", payload from events order by sequence',
  )
  for (const { code, payload } of events) {
    assertFits(CATALOGUE[code].payload.schema, payload, code)
  }
  return events
}
