import assert from 'node:assert/strict'
import { Value } from 'typebox/value'
import type { EventCode } from '../../src/events/codes.ts'
import { CATALOGUE } from '../../src/webhooks/catalogue.ts'
import type { TestBursar } from './bursar.ts'
import type { Json } from './client.ts'

export type Told = { code: EventCode; resourceId: string; payload: Json }

/** Everything that was recorded, in its order; each is held against the catalogue: no field missing, wrong or too many. */
export async function readCatalogued({ sql }: Pick<TestBursar, 'sql'>): Promise<Told[]> {
  const events = await sql<Told>(
    'select event_code as code, resource_id as "resourceId", payload from events order by sequence',
  )
  for (const { code, payload } of events) {
    const schema = CATALOGUE[code].payload.schema
    assert.deepEqual([...Value.Errors(schema, payload)], [], `${code} ${JSON.stringify(payload)}`)
    assert.deepEqual(Value.Clean(schema, structuredClone(payload)), payload, `${code} has a field too many`)
  }
  return events
}
