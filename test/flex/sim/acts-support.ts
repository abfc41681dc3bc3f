import assert from 'node:assert/strict'
import { dayOf } from '../../../src/platform/calendar.ts'
import type { Answer } from '../../harness/client.ts'
import type { Pupil } from './erp.ts'
import type { Town } from './town.ts'

const DAY_MS = 86_400_000

/** No answer of ours is ever an error of ours. */
export async function send(
  town: Town,
  pupil: Pupil,
  [method, path, body]: readonly [method: string, path: string, body?: object],
): Promise<Answer> {
  const answer = await town.as(pupil).send(method, path, body)
  assert.ok(answer.status < 500, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`)
  return answer
}

export const inDays = (town: Town, days: number): string =>
  dayOf(new Date(town.now.getTime() + days * DAY_MS))

export function doLater(town: Town, days: number, run: () => Promise<void>): void {
  town.later.push({ day: inDays(town, days), run })
}

/** What is due of that by now; all of it when everybody calms down. */
export async function doWhatWasLeft(town: Town, isAll: boolean): Promise<void> {
  const left = town.later.splice(0)
  const due = left.filter(({ day }) => isAll || day <= town.today)
  town.later.push(...left.filter(one => !due.includes(one)))
  for (const { run } of due) await run()
}
