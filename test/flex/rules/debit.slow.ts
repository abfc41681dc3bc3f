import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayOf, startOfDay, addDays } from '../../../src/platform/calendar.ts'
import {
  noticeMoment,
  presentationOn,
  STANDARD_RULES,
  type Rail,
} from '../../../src/flex/rules/rails.rules.ts'
import { meaningOf } from '../../../src/flex/rules/returns.rules.ts'
import { DAY_MS, HOUR_MS, isClosed, SETUP, type Presentation, type Trouble } from './trouble.ts'
import { everyCode, PASSING, refused, troubleOf } from './arbitraries.ts'
import { World } from './world.ts'

const SIMULATED_DAYS = 800

const trouble = troubleOf([...PASSING, refused('student_discontinued')], everyCode)

// Every law looks at the same worlds, which are simulated once; another run of the tests has others.
const SEED = Math.trunc(Math.random() * 0x7fffffff)
const simulated = new Map<string, World>()

function worldOf(wrong: Trouble): World {
  const key = JSON.stringify(wrong)
  const world = simulated.get(key) ?? new World(wrong).run(SIMULATED_DAYS)
  simulated.set(key, world)
  return world
}

/** What holds in every world, whatever goes wrong in it. */
function inEveryWorld(law: (world: World) => void, worlds = trouble): void {
  fc.assert(
    fc.property(worlds, wrong => law(worldOf(wrong))),
    { numRuns: 80, seed: SEED },
  )
}

const onEveryPresentation = (law: (one: Presentation, world: World) => void): void => {
  inEveryWorld(world => {
    for (const one of world.log.presentations) law(one, world)
  })
}

const OPEN_HOURS: Record<Rail, (hour: number) => boolean> = {
  enach: hour => hour < 8 + 59 / 60,
  upi_autopay: hour => hour < 10 || (hour >= 13 && hour < 17) || hour >= 21.5,
}

test('a debit is presented on a working day only, inside the hours of its rail', () => {
  onEveryPresentation(({ isBankDay, at, day }, { trouble: { rail } }) => {
    assert.ok(isBankDay, `${day} is none`)
    const hour = (at.getTime() - startOfDay(day).getTime()) / HOUR_MS
    assert.ok(OPEN_HOURS[rail](hour), `${hour} is not in a window`)
  })
})

test('the payer was told at least 24 hours before, and of exactly the amount that is presented', () => {
  onEveryPresentation(({ notice, at, amountPaise }) => {
    assert.ok(notice !== null && at.getTime() - notice.at.getTime() >= 24 * HOUR_MS)
    assert.equal(amountPaise, notice.amountPaise)
  })
})

const hourOf = (moment: Date): number => (moment.getTime() - startOfDay(dayOf(moment)).getTime()) / HOUR_MS
const isAwake = (moment: Date): boolean => hourOf(moment) >= 7 && hourOf(moment) < 21

test('a notice leaves between 7:00 and 21:00, unless no such moment is left 24 hours before the debit', () => {
  let waited = 0
  inEveryWorld(world => {
    for (const { context, leavesAt } of world.log.notices) {
      const latest = presentationOn(context.instalment.presentOn, world.rail).getTime() - 24 * HOUR_MS
      assert.ok(leavesAt >= context.now && leavesAt.getTime() <= latest)
      if (leavesAt > context.now) waited += 1
      if (isAwake(leavesAt)) continue
      for (let at = context.now.getTime(); at <= latest; at += HOUR_MS / 12)
        assert.ok(!isAwake(new Date(at)), `${leavesAt.toISOString()} could have been ${at}`)
    }
  })
  assert.ok(waited > 0, 'some are ready in the night')
})

test('where the ERP answers in time every notice leaves while families are awake, whatever the rail and its moment', () => {
  const { rails } = STANDARD_RULES
  const moments = fc
    .constantFrom<Rail>('enach', 'upi_autopay')
    .chain(rail => fc.tuple(fc.constant(rail), fc.constantFrom(...rails[rail].windows)))
    .chain(([rail, { from, to }]) => fc.tuple(fc.constant(rail), fc.integer({ min: from, max: to - 1 })))
  const days = fc.integer({ min: 0, max: 3_650 }).map(days => addDays('2026-04-01', days))
  const property = fc.property(moments, days, ([name, presentAtMinute], day) => {
    const rail = { ...rails[name], presentAtMinute }
    const planned = presentationOn(day, rail)
    assert.equal(dayOf(planned), day)
    assert.ok(OPEN_HOURS[name](hourOf(planned)))
    const ready = new Date(planned.getTime() - STANDARD_RULES.fetchFromMinutes * 60_000)
    const latest = new Date(planned.getTime() - 24 * HOUR_MS)
    const leavesAt = noticeMoment(ready, latest)
    assert.ok(leavesAt >= ready && leavesAt <= latest)
    assert.ok(isAwake(leavesAt), `${leavesAt.toISOString()} for ${planned.toISOString()}`)
  })
  fc.assert(property, { numRuns: 2_000 })
})

test('a debit that was paid is never presented again', () => {
  onEveryPresentation(one => assert.ok(!one.wasPaid))
})

test('presentations that count stay within the limit of the rail, those for the bank’s trouble within 5', () => {
  onEveryPresentation(({ counted }, { trouble: { rail } }) =>
    assert.ok(counted <= (rail === 'enach' ? 3 : 4)),
  )
  inEveryWorld(world => {
    for (const all of Map.groupBy(world.log.presentations, one => one.id).values()) {
      const uncounted = all.filter(one => meaningOf(one.lastReturn?.code ?? '').action === 'again_uncounted')
      const most = world.trouble.rail === 'enach' ? 3 : 4
      assert.ok(uncounted.length <= 5 && all.length - uncounted.length <= most)
    }
  })
})

test('what a bank returned for its own trouble is set for a day within 15 days of the first such return', () => {
  inEveryWorld(world => {
    for (const { firstAt, presentOn } of world.log.bankRetries)
      assert.ok(startOfDay(presentOn).getTime() - firstAt.getTime() <= 15 * DAY_MS)
  })
})

test('UPI is tried within 48 hours of its notice, eNACH again 3 days after a return at the earliest', () => {
  onEveryPresentation(({ at, day, notice, lastReturn }, { trouble: { rail } }) => {
    if (rail === 'upi_autopay') assert.ok(at.getTime() - (notice?.at.getTime() ?? 0) <= 48 * HOUR_MS)
    else if (lastReturn !== null)
      assert.ok(
        startOfDay(day).getTime() - lastReturn.at.getTime() > 2 * DAY_MS,
        'three days in the calendar',
      )
  })
})

test('a retry on UPI is set for a later moment within 48 hours of the notice', () => {
  inEveryWorld(({ log }) => {
    for (const { returnedAt, at, notifiedAt } of log.retries)
      assert.ok(at > returnedAt && at.getTime() - (notifiedAt?.getTime() ?? 0) <= 48 * HOUR_MS)
  })
})

test('nothing but funds and the bank’s own trouble is ever tried again by itself', () => {
  onEveryPresentation(({ lastReturn }) => {
    if (lastReturn === null) return
    assert.ok(['funds', 'bank'].includes(meaningOf(lastReturn.code).category), lastReturn.code)
  })
})

test('of one eNACH mandate no two instalments are presented on the same day', () => {
  inEveryWorld(world => {
    if (world.trouble.rail !== 'enach') return
    const days = world.log.presentations.map(one => one.day)
    assert.equal(new Set(days).size, days.length)
  })
})

test('a mandate is not debited before 5 working days have passed since set-up on eNACH, 2 days on UPI', () => {
  onEveryPresentation(({ day, setUpOn }, { trouble: { rail }, holidays }) => {
    if (rail === 'upi_autopay') return assert.ok(day >= addDays(setUpOn, 2))
    let workingDays = 0
    for (let at = addDays(setUpOn, 1); at <= day; at = addDays(at, 1))
      if (!isClosed(at) && !holidays.has(at)) workingDays += 1
    assert.ok(workingDays >= 5, `${workingDays} since ${setUpOn} on ${day}`)
  })
})

test('no instalment is debited before it is due, unless holidays are to move debits ahead', () => {
  onEveryPresentation(({ id, day }, { trouble: { onHoliday }, instalments }) => {
    const dueOn = instalments.find(one => one.id === id)?.dueOn ?? assert.fail()
    assert.ok(onHoliday === 'previous' || day >= dueOn, `${day}, due on ${dueOn}`)
  })
})

test('a plan that is cancelled, locked or held presents nothing', () => {
  onEveryPresentation(({ planState, isHeld, at }, { cancelledAt }) => {
    assert.ok(planState === 'active' && !isHeld)
    assert.ok(cancelledAt === null || at < cancelledAt)
  })
})

test('once a student is discontinued the ERP is not asked again', () => {
  inEveryWorld(({ cancelledAt, log }) => {
    if (cancelledAt !== null) assert.ok(log.asks.every(ask => ask.askedAt < cancelledAt))
  })
})

test('what is skipped is asked for again every day', () => {
  const skipping = troubleOf(
    PASSING.filter(word => word.kind !== 'refused' || word.actsAs !== 'student_transferred'),
    () => ['04'],
  ).map(wrong => ({ ...wrong, down: [], holds: [] }))
  inEveryWorld(world => {
    for (const asks of Map.groupBy(world.log.asks, ask => ask.id).values())
      for (const [index, { next, answeredAt }] of asks.entries()) {
        if (next !== 'skip') continue
        const again = asks[index + 1] ?? assert.fail('it was never asked for again')
        assert.ok(again.wasSkipped && again.askedAt.getTime() - answeredAt.getTime() < 24.1 * HOUR_MS)
      }
  }, skipping)
})

test('the ERP’s silence until the last moment is a skip, never a quiet move to another day', () => {
  inEveryWorld(world => {
    for (const { at, before } of world.log.moves) {
      if (before.state !== 'scheduled' || before.fetchTries === 0) continue
      const last = presentationOn(before.presentOn, world.rail).getTime() - 24.5 * HOUR_MS
      assert.ok(at.getTime() <= last) // Before that a holiday that became known may move it.
    }
  })
})

test('after a skip the first working day is taken that leaves time to ask and to give notice, and is no other’s', () => {
  inEveryWorld(world => {
    for (const { presentOn, context } of world.log.reschedules) {
      const { now, instalment, takenDays, holidays, mandate } = context
      if (mandate?.startOn !== SETUP) continue // A new mandate has a first day of its own.
      const earliest = now.getTime() + 24.5 * HOUR_MS - world.rail.presentAtMinute * 60_000
      let day = instalment.presentOn > dayOf(now) ? instalment.presentOn : dayOf(now)
      while (startOfDay(day).getTime() < earliest || isClosed(day) || holidays.has(day) || takenDays.has(day))
        day = addDays(day, 1)
      assert.equal(presentOn, day)
    }
  })
})

test('the payer is notified of a day on which banks work and no other instalment is to be debited', () => {
  inEveryWorld(world => {
    for (const { context } of world.log.notices) {
      const { presentOn } = context.instalment
      assert.ok(!isClosed(presentOn) && !context.holidays.has(presentOn), presentOn)
      assert.ok(!context.takenDays.has(presentOn), presentOn)
    }
  })
})

test('a mandate is not debited after its last day', () => {
  const short = fc
    .tuple(trouble, fc.integer({ min: 3, max: 60 }))
    .map(([wrong, mandateDays]) => ({ ...wrong, mandateDays }))
  inEveryWorld(world => {
    for (const one of world.log.presentations)
      assert.ok(one.day <= addDays(one.setUpOn, world.trouble.mandateDays))
  }, short)
})

test('a wait is never for a moment that has passed', () => {
  inEveryWorld(world => {
    for (const { at, until } of world.log.waits) assert.ok(until > at)
  })
})

test('when the troubles are over nothing is left half-way: it is debited, or it waits for a person', () => {
  inEveryWorld(world => {
    for (const { state } of world.instalments)
      assert.ok(['debited', 'bounced', 'cancelled'].includes(state), state)
  })
})

test('when the ERP answers in the end and the account has the money, every instalment is debited', () => {
  inEveryWorld(
    world => {
      assert.deepEqual(new Set(world.instalments.map(one => one.state)), new Set(['debited']))
    },
    troubleOf(PASSING, () => ['98']).map(wrong => ({ ...wrong, bank: [...wrong.bank, null] })),
  )
})

test('where nothing goes wrong each instalment is debited once, on its day', () => {
  const quiet = trouble.map(wrong => {
    const holidays = wrong.holidays.map(({ on }) => ({ on, knownBefore: null }))
    return { ...wrong, holidays, erp: [], down: [], holds: [], payments: [], calmFrom: 0 }
  })
  inEveryWorld(world => {
    const days = new Map(world.log.presentations.map(one => [one.id, one.day]))
    for (const { id, presentOn } of world.instalments) assert.equal(days.get(id), presentOn)
    assert.equal(world.log.presentations.length, world.instalments.length)
    assert.equal(world.log.moves.length, 0)
  }, quiet)
})
