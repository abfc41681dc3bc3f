import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import { PlanInChange } from '../../../src/flex/rules/plan-in-change.rules.ts'
import {
  type Instalment,
  type LoadedPlan,
  type Mandate,
  type Plan,
  statesOf,
  transition,
  TRANSITIONS,
  type Noun,
  type StateOf,
} from '../../../src/flex/rules/plan.rules.ts'
import { STANDARD_RULES } from '../../../src/flex/rules/rails.rules.ts'

const NOW = new Date('2026-11-17T04:00:00Z')
const NOUNS = Object.keys(TRANSITIONS) as Noun[]

const isAllowed = (noun: Noun, from: string, to: string): boolean =>
  (TRANSITIONS[noun] as Record<string, readonly string[]>)[from]?.includes(to) === true

/** Only what a change of state looks at. */
function planIn(
  noun: Noun,
  state: string,
): { plan: PlanInChange; moveTo: (to: string) => void; now: () => string } {
  const of = (name: Noun, other: string): string => (name === noun ? state : other)
  const loaded = {
    plan: { instituteId: 1, id: 'plan_1', state: of('plan', 'active') } as Plan,
    mandate: { id: 'mdt_1', planId: 'plan_1', state: of('mandate', 'active') } as Mandate,
    instalments: [{ id: 'inst_1', state: of('instalment', 'scheduled') } as Instalment],
  } satisfies LoadedPlan
  const debitRules = { rules: STANDARD_RULES, holidays: new Set<string>(), now: NOW }
  const plan = new PlanInChange(loaded, {
    student: { prices: [], owed: [] },
    debitRules,
    now: NOW,
    publicUrl: 'http://127.0.0.1:8080',
  })
  const instalment = (): Instalment => plan.instalments[0] as Instalment
  const moves = {
    plan: (to: string) => plan.movePlan(to as StateOf<'plan'>, 'a test'),
    mandate: (to: string) => plan.moveMandate(to as StateOf<'mandate'>, 'a test'),
    instalment: (to: string) => plan.move(instalment(), to as StateOf<'instalment'>, 'a test'),
  }
  const states = {
    plan: () => plan.plan.state,
    mandate: () => plan.requireMandate().state,
    instalment: () => instalment().state,
  }
  return { plan, moveTo: to => void moves[noun](to), now: states[noun] }
}

const pair = fc.constantFrom(...NOUNS).chain(noun =>
  fc.record({
    noun: fc.constant(noun),
    from: fc.constantFrom(...statesOf(noun)),
    to: fc.constantFrom(...statesOf(noun)),
  }),
)

test('a state follows another only as its table says, and what is refused changes and writes nothing', () => {
  fc.assert(
    fc.property(pair, ({ noun, from, to }) => {
      const { plan, moveTo, now } = planIn(noun, from)
      if (isAllowed(noun, from, to)) {
        moveTo(to)
        assert.equal(now(), to)
        assert.equal(
          plan.effects.filter(({ kind }) => kind === 'decided').length,
          1,
          'every change of state has a reason',
        )
        return
      }
      assert.throws(() => moveTo(to), /cannot go from/)
      assert.equal(now(), from)
      const { changed, effects } = plan
      const written = [changed.plan, changed.mandates.size, changed.instalments.size, effects.length]
      assert.deepEqual(written, [false, 0, 0, 0])
    }),
    { numRuns: 1_000 },
  )
})

test('whatever is tried in whatever order, states walk along their tables, and what a person ended stays over', () => {
  const walk = fc.constantFrom(...NOUNS).chain(noun =>
    fc.record({
      noun: fc.constant(noun),
      tries: fc.array(fc.constantFrom(...statesOf(noun)), { maxLength: 40 }),
    }),
  )
  fc.assert(
    fc.property(walk, ({ noun, tries }) => {
      const [start = ''] = statesOf(noun)
      const { moveTo, now } = planIn(noun, start)
      for (const to of tries) {
        const before = now()
        try {
          moveTo(to)
        } catch {
          assert.equal(now(), before)
        }
        assert.ok(now() === before || isAllowed(noun, before, now()))
      }
    }),
  )
  for (const [noun, over] of [
    ['plan', ['cancelled']],
    ['mandate', ['cancelled', 'expired', 'rejected']],
    ['instalment', ['cancelled']],
  ] as const)
    for (const from of over)
      for (const to of statesOf(noun)) assert.throws(() => transition<Noun>(noun, from as never, to))
})

test('every state but the first can be reached, and every one that is named is in the table', () => {
  for (const noun of NOUNS) {
    const [first, ...others] = statesOf(noun) as string[]
    const reached = new Set(Object.values(TRANSITIONS[noun]).flat() as string[])
    for (const state of others) assert.ok(reached.has(state), `${noun} ${state} follows nothing`)
    for (const state of reached) assert.ok([first, ...others].includes(state), `${state} is no state`)
  }
})

test('the database knows the same states as the tables', async () => {
  const folder = new URL('../../../migrations/', import.meta.url)
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql'))
  const files = await Promise.all(names.map(name => readFile(new URL(name, folder), 'utf8')))
  const schema = files.join('\n')
  for (const noun of NOUNS) {
    const table = schema.slice(schema.indexOf(`create table flex_${noun}s (`))
    const [, list = ''] = /check \(state in \(([^)]*)\)\)/.exec(table) ?? []
    const states = list.split(',').map(state => state.trim().replaceAll("'", ''))
    assert.deepEqual(states.toSorted(), statesOf(noun).toSorted())
  }
})
