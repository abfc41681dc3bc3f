import assert from 'node:assert/strict'
import { stopChargeOf } from '../../../src/flex/plans/charges.service.ts'
import { BursarError } from '../../../src/platform/errors.ts'
import { inDays, send } from './acts-support.ts'
import type { Pupil } from './erp.ts'
import type { FlexAct, Town } from './town.ts'

/** Single charges on mandates: made, stopped by the family, called off by the school. */
const FLEX = '/api/v1/integrations/flex'

async function charge(town: Town, pupil: Pupil): Promise<string> {
  const { random } = town
  const body = {
    component_type: random.chance(0.9) ? 'PICNIC_FEE' : 'BUS_FEE',
    amount: (random.pick([random.between(1, 90_000), 500_81, 16_000_00]) ?? 1) / 100,
    due_date: inDays(town, random.between(0, 20)),
    reason: 'Picnic',
    ...(random.chance(0.3) ? { reference_id: `PICNIC-${random.between(1, 3)}` } : {}),
  }
  pupil.touchedAt = town.now.getTime()
  const { status, text } = await send(town, pupil, ['POST', `${FLEX}/plans/${pupil.planId}/charges`, body])
  assert.ok([201, 400, 409].includes(status), text)
  return `${JSON.stringify(body)}: ${status}`
}

async function chargesOf(town: Town, pupil: Pupil): Promise<{ id: string; state: string }[]> {
  return town.sql<{ id: string; state: string }>(
    'select id, state from flex_instalments where plan_id = $1 and is_charge order by number',
    [pupil.planId],
  )
}

async function stop(town: Town, pupil: Pupil): Promise<string> {
  const one = town.random.pick(await chargesOf(town, pupil))
  if (one === undefined) return 'nothing'
  const key = { instituteId: town.institute(pupil).id, planId: pupil.planId }
  const refused = await stopChargeOf(town.ctx, key, one.id).then(
    () => null,
    (error: unknown) => error,
  )
  if (refused !== null && !(refused instanceof BursarError && refused.code === 'HUE00002')) throw refused
  return `${one.id} ${one.state}${refused === null ? '' : ' refused'}`
}

async function callOff(town: Town, pupil: Pupil): Promise<string> {
  const one = town.random.pick(await chargesOf(town, pupil))
  if (one === undefined) return 'nothing'
  pupil.touchedAt = town.now.getTime()
  const path = `${FLEX}/plans/${pupil.planId}/charges/${one.id}/cancel`
  const { status, text } = await send(town, pupil, ['POST', path])
  assert.ok([200, 409].includes(status), text)
  return `${one.id} ${one.state}: ${status}`
}

export const CHARGE_ACTS: readonly FlexAct[] = [
  { name: 'charge', weight: 6, run: charge },
  { name: 'charge stopped', weight: 2, run: stop },
  { name: 'charge called off', weight: 2, run: callOff },
]
