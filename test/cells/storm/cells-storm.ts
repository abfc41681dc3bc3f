import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { STEPS, type Step } from '../../../src/cells/move/move.rules.ts'
import { STEP_TEXTS } from '../../../src/cells/move/move.texts.ts'
import { bareEnv } from '../../harness/processes/child-env.ts'
import { Client } from '../../harness/client.ts'
import { PAY } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { Random } from '../../sim/random.ts'
import { expectAllOnce } from './checks.ts'
import { Families, type Refusal } from './families.ts'
import type { Owner } from './machines.ts'
import { CELLS, openStage, type CellName, type Stage } from './stage.ts'

/** What happens to the service while a school moves. */
export type Trouble =
  | { what: 'kill the move' | 'kill the proxy' | 'reload the proxy' | 'kill the sync' }
  | { what: 'kill a process' | 'kill PostgreSQL'; cell: CellName }

/** A school moves to the other cell, and when its move has come to the step there is trouble. */
export type Act = { school: string; at: Step; afterMs: number; trouble: Trouble }
/** What happens at once, each of another school. */
export type Round = readonly Act[]

export type CellsStorm = {
  /** Of each cell. */
  processes: number
  rounds: readonly Round[]
  owner: Owner
  onProgress?: (done: number, summary: string) => void
}

/** Something was away that these schools may have noticed. */
type Disturbance = {
  what: string
  schools: ReadonlySet<string>
  fromMs: number
  toMs: number
  /** What is seen so long afterwards may still be about it. */
  calmMs: number
}

const MOST_TRIES = 60
const AGAIN_MS = 300
/** A proxy finds out within its two checks of two seconds that a process answers again; a program learns at once. */
const CALM_MS = 5_000
/** `timeout http-keep-alive` of the proxy: a worker that was replaced answers once more on a kept connection, by old maps. */
const KEPT_MS = 75_000
/** What came before a refusal that nothing explains is told with it. */
const LOOK_BACK_MS = 20_000

export function drawRounds(seed: number, count: number): Round[] {
  const random = new Random(seed)
  const draw = <Item>(items: readonly Item[]): Item => random.pick(items) ?? assert.fail('nothing to draw')
  const drawAct = (school: string): Act => {
    const what = draw([
      'kill the move',
      'kill the move',
      'kill a process',
      'kill a process',
      'kill PostgreSQL',
      'kill PostgreSQL',
      'kill the proxy',
      'reload the proxy',
      'kill the sync',
    ] as const)
    const cell = draw(CELLS)
    const trouble =
      what === 'kill a process' || what === 'kill PostgreSQL' ? ({ what, cell } as const) : { what }
    return { school, at: draw(STEPS), afterMs: random.between(0, 250), trouble }
  }
  return Array.from({ length: count }, () => {
    const schools = ['ash-school', 'elm-school']
    return (random.chance(0.3) ? schools : [draw(schools)]).map(drawAct)
  })
}

/**
 * Two cells behind HAProxy, whose families order and pay while schools move to and fro and whatever runs is killed by
 * SIGKILL and started again. In the end everything was done once, and nobody noticed what was not about them.
 */
export async function runCellsStorm({ processes, rounds, owner, onProgress }: CellsStorm) {
  const stage = await openStage(owner, { processes })
  const storm = new Storm(stage)
  owner.after(() => storm.stop().catch(() => {}))
  await storm.seeEverybodyPay()
  for (const [done, round] of rounds.entries()) {
    await Promise.race([storm.run(round), storm.failure()])
    const troubles = round.map(({ school, at, trouble }) => `${trouble.what} at ${at} of ${school}`)
    onProgress?.(done + 1, `${troubles.join(' and ')}, ${storm.payments} payments`)
  }
  await storm.stop()
  await expectAllOnce(stage, storm.families, storm.homes)
  storm.expectCalm()
  const refusals = storm.families.flatMap(one => one.refusals).length
  return { rounds: rounds.length, payments: storm.payments, refusals, pausesMs: await readPauses(stage) }
}

/** The pauses of the moves, the longest last. */
async function readPauses({ cells }: Stage): Promise<number[]> {
  const rows = await cells.north.postgres.sql<{ pauseMs: number }>(
    `select (figures ->> 'pauseMs')::int as "pauseMs" from school_moves where figures ? 'pauseMs' order by 1`,
  )
  return rows.map(({ pauseMs }) => pauseMs)
}

class Storm {
  readonly families: readonly Families[]
  readonly homes = new Map<string, CellName>()
  readonly #stage: Stage
  readonly #disturbances: Disturbance[] = []
  #troubled: Promise<void> = Promise.resolve()

  constructor(stage: Stage) {
    this.#stage = stage
    for (const { code, home } of stage.schools) this.homes.set(code, home)
    this.families = stage.schools.map(school => new Families(stage, school, school.stays ? 1 : 2))
  }

  get payments(): number {
    return this.families.reduce((sum, { paid }) => sum + paid.size, 0)
  }

  async stop(): Promise<void> {
    await Promise.all(this.families.map(one => one.stop()))
  }

  async failure(): Promise<never> {
    return Promise.race(this.families.map(one => one.failure()))
  }

  /** Every school, from the order to the end of a payment that was begun after this was asked. */
  async seeEverybodyPay(): Promise<void> {
    const before = this.families.map(({ paid }) => paid.size)
    await waitFor(
      async () => this.families.every(({ paid }, index) => paid.size > (before[index] ?? 0) + 2),
      'every school to be paid again',
      { limitMs: 90_000 },
    )
  }

  async run(round: Round): Promise<void> {
    await Promise.all(round.map(act => this.#act(act)))
    await this.seeEverybodyPay()
  }

  async #act({ school, at, afterMs, trouble }: Act): Promise<void> {
    const from = this.homes.get(school) ?? assert.fail()
    const to = CELLS.find(name => name !== from) ?? assert.fail()
    await this.#disturb(`${school} moves`, new Set([school]), async () => {
      await this.#move(school, to, at, async kill => {
        await pause(afterMs)
        // In turn: what is being started again is not killed by another.
        await (this.#troubled = this.#troubled.then(() => this.#trouble(trouble, kill)))
      })
      this.homes.set(school, to)
    })
  }

  /** Runs the command until the school is there, whatever kills it. */
  async #move(
    code: string,
    to: CellName,
    at: Step,
    trouble: (kill: () => void) => Promise<void>,
  ): Promise<void> {
    const troubles: Promise<void>[] = []
    const said: string[] = []
    for (let tries = 0; !(await this.#hasMoved(code, to)); tries++) {
      if (tries === MOST_TRIES) assert.fail(`${code} does not come to ${to}:\n${said.join('')}`)
      if (tries > 0) await pause(AGAIN_MS)
      const args = ['cells', 'move', code, '--to', to, '--longest-pause', '30']
      const child = spawn(process.execPath, ['src/cli/main.ts', ...args], {
        cwd: join(import.meta.dirname, '../../..'),
        env: { ...bareEnv(), ...this.#stage.env },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child.stderr.on('data', (part: Buffer) => {
        said.push(part.toString())
        if (troubles.length === 0 && part.includes(STEP_TEXTS[at]))
          troubles.push(trouble(() => void child.kill('SIGKILL')))
      })
      await once(child, 'close')
      await Promise.all(troubles)
    }
    assert.equal(troubles.length, 1, `the move of ${code} never came to ${at}:\n${said.join('')}`)
  }

  /** False too while the cell that keeps the directory is away. */
  async #hasMoved(code: string, to: CellName): Promise<boolean> {
    const rows = await this.#stage.cells.north.postgres
      .sql(
        `select from cell_schools s where code = $1 and cell = $2
           and not exists (select from school_moves m where m.code = s.code and m.finished_at is null)`,
        [code, to],
      )
      .catch(() => [])
    return rows.length > 0
  }

  async #trouble(trouble: Trouble, killMove: () => void): Promise<void> {
    const { cells, proxy, sync } = this.#stage
    switch (trouble.what) {
      case 'kill the move':
        return killMove()
      case 'kill the sync':
        await sync.kill()
        return sync.start()
      case 'kill the proxy':
        return this.#disturb(trouble.what, new Set(this.homes.keys()), async () => {
          await proxy.kill()
          await proxy.start()
        })
      case 'reload the proxy':
        return this.#disturb(trouble.what, this.#movers(), () => proxy.reload(), KEPT_MS)
      case 'kill a process': {
        const [process] = cells[trouble.cell].bursars
        return this.#disturb(trouble.what, this.#schoolsOf(trouble.cell), async () => {
          await process?.kill()
          process?.start()
          await process?.becomeReady()
        })
      }
      case 'kill PostgreSQL': {
        const { postgres, bursars } = cells[trouble.cell]
        return this.#disturb(trouble.what, this.#schoolsOf(trouble.cell), async () => {
          await postgres.kill()
          await postgres.start()
          await Promise.all(bursars.map(one => one.becomeReady()))
        })
      }
    }
  }

  #schoolsOf(cell: CellName): Set<string> {
    return new Set([...this.homes].flatMap(([code, home]) => (home === cell ? [code] : [])))
  }

  #movers(): Set<string> {
    return new Set(this.#stage.schools.flatMap(({ code, stays }) => (stays ? [] : [code])))
  }

  /** Until those schools are answered again. */
  async #disturb(
    what: string,
    schools: ReadonlySet<string>,
    work: () => Promise<void>,
    calmMs = CALM_MS,
  ): Promise<void> {
    const disturbance = { what, schools, fromMs: performance.now(), toMs: Infinity, calmMs }
    this.#disturbances.push(disturbance)
    await work()
    for (const { code, credentials } of this.#stage.schools.filter(one => schools.has(one.code))) {
      const client = new Client(this.#stage.proxy.url, credentials)
      await waitFor(
        async () => (await client.get(`${PAY}/orders`)).status === 200,
        `${code} after: ${what}`,
        {
          limitMs: 90_000,
        },
      )
    }
    disturbance.toMs = performance.now()
  }

  /** Nobody was refused by what was not about them, and nobody was told of a fault of ours. */
  expectCalm(): void {
    const all = this.families.flatMap(one => one.refusals)
    const faults = all.filter(({ status }) => ![0, 502, 503, 504].includes(status))
    assert.deepEqual(faults.map(describe), [])
    const causeless = [
      ...all.filter(one => !this.#isCausedBy(one, () => true)),
      ...this.families
        .flatMap(one => one.forgotten)
        .filter(one => !this.#isCausedBy(one, what => what === 'kill PostgreSQL')),
    ]
    assert.deepEqual(causeless.map(describe), [], this.#around(causeless))
  }

  #isCausedBy({ school, fromMs, toMs }: Refusal, isCause: (what: string) => boolean): boolean {
    return this.#disturbances.some(
      one =>
        isCause(one.what) &&
        one.schools.has(school.code) &&
        toMs >= one.fromMs &&
        fromMs <= one.toMs + one.calmMs,
    )
  }

  /** What was away around the time, and what the proxy said then. */
  #around(refusals: readonly Refusal[]): string {
    return refusals
      .map(refusal => {
        const isNear = (atMs: number): boolean =>
          atMs > refusal.fromMs - LOOK_BACK_MS && atMs < refusal.toMs + CALM_MS
        const disturbances = this.#disturbances
          .filter(one => one.toMs > refusal.fromMs - LOOK_BACK_MS && one.fromMs < refusal.toMs)
          .map(
            one =>
              `  ${second(one.fromMs)} to ${second(one.toMs)} s: ${one.what} of ${[...one.schools].join(', ')}`,
          )
        const notices = this.#stage.proxy.notices
          .filter(({ atMs }) => isNear(atMs))
          .map(({ atMs, text }) => `  ${second(atMs)} s: ${text}`)
        const head = `${second(refusal.fromMs)} to ${second(refusal.toMs)} s: ${describe(refusal)}`
        return [head, ...disturbances, ...notices].join('\n')
      })
      .join('\n')
  }
}

const second = (ms: number): string => (ms / 1_000).toFixed(1)

function describe({ school, what, status, text }: Refusal): string {
  return `${school.code}: ${what} ${status} ${text.slice(0, 200)}`
}
