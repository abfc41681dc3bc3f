import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { STEPS } from '../../../src/cells/move/move.rules.ts'
import { DEMO } from '../../harness/client.ts'
import { waitFor } from '../../harness/wait.ts'
import { countRows, expectBooksAgree, expectNothingLeftBehind, expectPaidOnce, homeOf } from './checks.ts'
import { Load } from './load.ts'
import { startTwoCells } from './two-cells.ts'

const cells = await startTwoCells({ after })

/** More of them by MOVE_SEEDS=…; each draws in which steps the process is killed, and how far in. */
const SEEDS = Number(process.env['MOVE_SEEDS'] ?? 3)
const KILLS = 5
const WITHIN_MS = 250

type MoveMessage = { step?: string; keyIds?: string[] }

for (let seed = 1; seed <= SEEDS; seed++)
  test(`a process that moves a school, killed in the middle of what it does and started again, ends (seed ${seed})`, async t => {
    const { proxy, north } = cells
    const { from, to, id } = await homeOf(cells, 'demo-school')
    const load = new Load(proxy.url, DEMO, `seed-${seed}`, 2)
    const named = ({ name, address }: typeof from): object => ({ name, address })
    const work = { code: 'demo-school', directory: north.address, from: named(from), to: named(to) }
    const draw = drawFrom(seed)
    const deadly = new Set(Array.from({ length: KILLS }, () => STEPS[Math.floor(draw() * STEPS.length)]))
    const deaths: string[] = []
    for (let isOver = false; !isOver;) {
      const child = fork(new URL('fixtures/move-process.ts', import.meta.url), [JSON.stringify(work)])
      child.on('message', ({ step, keyIds = [] }: MoveMessage) => {
        for (const key of keyIds) proxy.routes.set(key, to.bursar.url)
        const deadlyStep = STEPS.find(one => one === step)
        if (deadlyStep === undefined || !deadly.delete(deadlyStep)) return
        deaths.push(deadlyStep)
        setTimeout(() => child.kill('SIGKILL'), draw() * WITHIN_MS)
      })
      const [status] = (await once(child, 'exit')) as [number | null]
      assert.ok(status === null || status === 0, `the process failed after ${deaths.join(', ')}`)
      isOver = status === 0
    }
    const paidThen = load.paid.size
    await waitFor(async () => load.paid.size > paidThen + 2, 'payments in the new cell')
    await load.stop()
    t.diagnostic(`killed at ${deaths.join(', ')}; ${load.paid.size} payments`)
    await expectPaidOnce(to, id, load)
    await expectBooksAgree(to, 'demo-school')
    assert.equal(await countRows(from, id), 0)
    await expectNothingLeftBehind(from)
  })

function drawFrom(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
