import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  findDifferent,
  goesOnByItself,
  keptUntil,
  mayGoBack,
  namesOf,
  resumeAt,
  stepAfter,
  STEPS,
  type MoveState,
  type Step,
} from '../../../src/cells/move/move.rules.ts'
import { newId } from '../../../src/platform/ids.ts'

const before = (step: Step): readonly Step[] => STEPS.slice(0, STEPS.indexOf(step))
const forward = (step: MoveState['step'], isStepDone: boolean): MoveState => ({
  direction: 'forward',
  step,
  isStepDone,
})

test('the steps follow each other to the end, and a step is never before the one it needs', () => {
  const walked: string[] = []
  for (let step: string = STEPS[0]; step !== 'finished'; step = stepAfter(step as Step)) walked.push(step)
  assert.deepEqual(walked, [...STEPS])
  assert.ok(before('pause').includes('catch_up') && before('leave').includes('verify'))
  assert.ok(
    before('stash').includes('unsubscribe'),
    'old rows that are deleted must not be deleted at the new cell',
  )
})

test('a move that was killed goes on with its step, and one that was killed in its pause pauses anew', () => {
  for (const step of before('pause')) {
    assert.equal(resumeAt(forward(step, false), false), step)
    assert.equal(resumeAt(forward(step, true), false), stepAfter(step))
  }
  for (const step of ['pause', 'verify', 'leave'] as const)
    for (const isDone of step === 'leave' ? [false] : [true, false])
      assert.equal(resumeAt(forward(step, isDone), false), 'pause')
})

test('what the old cell says of itself decides whether the school has left, not what was recorded', () => {
  for (const isDone of [true, false]) assert.equal(resumeAt(forward('leave', isDone), true), 'arrive')
  assert.equal(resumeAt(forward('verify', true), true), 'arrive')
  for (const step of ['arrive', 'route', 'audit', 'unsubscribe', 'stash', 'release'] as const)
    assert.equal(resumeAt(forward(step, false), true), step)
  assert.equal(resumeAt(forward('release', true), true), 'finished')
})

test('a move goes back until the school has left, and never afterwards', () => {
  for (const step of [...before('leave'), 'leave', 'undo'] as const) {
    assert.equal(mayGoBack({ step }, false), true)
    assert.equal(mayGoBack({ step }, true), false)
  }
  for (const step of STEPS.slice(STEPS.indexOf('arrive'))) assert.equal(mayGoBack({ step }, true), false)
})

test('a move that goes back does so until that is done', () => {
  for (const step of [...before('leave'), 'undo'] as const)
    assert.equal(resumeAt({ direction: 'back', step, isStepDone: false }, false), 'undo')
  assert.equal(resumeAt({ direction: 'back', step: 'undo', isStepDone: true }, false), 'finished')
})

test('a move that nobody works on goes on by itself once the school has left, but for what a person has to look at', () => {
  for (const step of STEPS) {
    const isEarly = STEPS.indexOf(step) <= STEPS.indexOf('route')
    assert.equal(goesOnByItself({ ...forward(step, false), problem: null }, false), false)
    assert.equal(goesOnByItself({ ...forward(step, false), problem: null }, true), true)
    assert.equal(goesOnByItself({ ...forward(step, false), problem: 'the books differ' }, true), isEarly)
  }
  assert.equal(
    goesOnByItself({ direction: 'back', step: 'undo', isStepDone: false, problem: null }, false),
    false,
  )
})

test('two moves of a school share no name in a database, and no name breaks a statement', () => {
  const [one, other] = [namesOf(newId('move')), namesOf(newId('move'))]
  assert.notEqual(one.schema, other.schema)
  for (const name of Object.values(one)) assert.match(name, /^[a-z0-9_]{1,63}$/)
  assert.throws(() => namesOf('move_x; drop table orders'))
})

test('a comparison names every table that differs in rows or hash, and no other', () => {
  const table = fc.record({
    table: fc.constantFrom('a', 'b', 'c', 'd'),
    rows: fc.nat(3),
    hash: fc.constantFrom('1', '2'),
  })
  const side = fc.uniqueArray(table, { selector: one => one.table })
  fc.assert(
    fc.property(side, side, (source, target) => {
      const named = findDifferent(source, target).map(text => text.split(' ')[0])
      for (const one of source) {
        const isEqual = target.some(
          other => other.table === one.table && other.rows === one.rows && other.hash === one.hash,
        )
        assert.equal(named.includes(one.table), !isEqual)
      }
    }),
  )
})

test('old rows are kept for 30 days', () => {
  assert.deepEqual(keptUntil(new Date('2026-11-18T10:00:00Z')), new Date('2026-12-18T10:00:00Z'))
})
