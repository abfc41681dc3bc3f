import { setTimeout as wait } from 'node:timers/promises'
import { newId } from '../../platform/ids.ts'
import { checkBooks } from '../../payments/reconcile/reconcile.service.ts'
import * as carry from './carry.store.ts'
import { type School, type Baselines, fingerprintBoth, readBalances, takeBaselines } from './carry.store.ts'
import {
  asReplica,
  type Cell,
  inTransaction,
  LONGEST_STATEMENT_MS,
  MoveStopped,
  openSides,
  type MoveDatabases,
} from './connection.ts'
import * as fence from './fence.store.ts'
import {
  expectedPauseMs,
  findDifferent,
  type Fingerprint,
  isInPause,
  isUrgent,
  keptUntil,
  mayGoBack,
  namesOf,
  resumeAt,
  stepAfter,
  STEPS,
  type BackStep,
  type NextStep,
  type Step,
  CARRIED_BY_SCHOOL,
  kindOf,
} from './move.rules.ts'
import { seconds, STEP_TEXTS } from './move.texts.ts'
import type { Figures, Move, MoveLog } from './moves.store.ts'
import { refuseTaken, refuseUnfit } from './fit.service.ts'
import * as replication from './replication.store.ts'

export type MoveOptions = {
  code: string
  source: Cell & {
    /** How the server of the new cell reaches the old database; as libpq reads it. */
    address: string
  }
  target: Cell & {
    /** Where its processes are, as host:port: the old cell sends callbacks on to them. */
    addresses: readonly string[]
  }
  log: MoveLog
  /** The school lives in the new cell, and waits until its callers are sent there. May be asked again. */
  onSwitch(switched: { move: Move } & fence.Routes): Promise<void>
  /** The school works again: what else is to be known of it everywhere. May be asked again. */
  afterSwitch?(): Promise<void>
  report(progress: Progress): void
  /** A pause that would take longer is not begun. */
  longestPauseMs?: number
  /** How long workers get to finish what they hold before the pause. */
  leaseWaitMs?: number
  /** Longer than a process of the old cell remembers whose a key is, and than its requests take. */
  settleMs?: number
  /** How long the copy waits for a new cell whose server is not connected to the old one's. */
  unfollowedMs?: number
  /** How long a server is waited for while the school waits. */
  answerMs?: number
}

type Progress = { step: Step | BackStep; text: string }

type Run = {
  options: Required<MoveOptions>
  sides: MoveDatabases
  move: Move
  school: School
  names: ReturnType<typeof namesOf>
  /** The hashes of both sides; the run that pauses takes them before the pause. */
  baselines: Baselines | null
  pausedAtMs: number | null
  say: (text: string) => void
}

const DEFAULTS = {
  longestPauseMs: 2_000,
  leaseWaitMs: 5_000,
  settleMs: 5_000,
  unfollowedMs: 60_000,
  answerMs: 30_000,
  afterSwitch: async () => {},
}
const LOOK_AGAIN_MS = 200
const MARK_LOOK_MS = 3
/** What a shut fence outlasts the longest pause by, before it opens by itself. */
const FENCE_SLACK_MS = 3_000
const DRAIN_MS = 700
const MOST_DRAINS = 10
const MOST_DROPS = 100
const NEAR_MS = 500

/** Moves a school to another cell, or goes on with a move that was begun. */
export async function moveSchool(given: MoveOptions): Promise<Move> {
  return withRun(given, async run => {
    const { sides, move, options } = run
    refuseOtherCells(move, options)
    if (move.direction === 'back')
      throw new MoveStopped(`The school is on its way back to ${move.fromCell}: end that first, with --back.`)
    const hasLeft = (await fence.readSide(sides.source, move.id)) === 'left'
    return runFrom(run, resumeAt(move, hasLeft))
  })
}

/** Ends a move before the school has left: the rows at the new cell are deleted, and nothing changes for the school. */
export async function moveBack(given: MoveOptions): Promise<Move> {
  return withRun(
    given,
    async run => {
      const { move, sides, options } = run
      refuseOtherCells(move, options)
      const hasLeft = (await fence.readSide(sides.source, move.id)) === 'left'
      if (!mayGoBack(move, hasLeft))
        throw new MoveStopped(
          `The school has left ${move.fromCell} already. Let the move end, then move it to ${move.fromCell}.`,
        )
      run.move = { ...move, direction: 'back' }
      return runFrom(run, 'undo')
    },
    { isBack: true },
  )
}

async function withRun(
  given: MoveOptions,
  work: (run: Run) => Promise<Move>,
  { isBack = false } = {},
): Promise<Move> {
  const options: Required<MoveOptions> = { ...DEFAULTS, ...given }
  const sides = await openSides(options)
  try {
    const open = await options.log.findOpen(options.code)
    if (open === null && isBack) throw new MoveStopped(`No move of ${options.code} is under way.`)
    const begun = open ?? (await beginMove(sides, options))
    const school = { id: begun.schoolId, code: begun.code }
    await fence.lockMove(sides.source, school.id)
    // Another run may have brought it further, or to its end, while this one waited for the lock.
    const move = await options.log.findOpen(options.code)
    if (move === null) throw new MoveStopped(`The move of ${options.code} has ended meanwhile.`)
    const say = (text: string): void => options.report({ step: run.move.step, text })
    const names = namesOf(move.id)
    const run: Run = { options, sides, move, school, names, baselines: null, pausedAtMs: null, say }
    return await work(run)
  } finally {
    await sides.close()
  }
}

async function beginMove(
  sides: MoveDatabases,
  { code, source, target, log }: Required<MoveOptions>,
): Promise<Move> {
  const school = await carry.findSchool(sides.source, code)
  if (school === null) throw new MoveStopped(`${source.name} has no school with the code ${code}.`)
  await refuseUnfit(sides, school, { source: source.name, target: target.name }, source.address)
  return log.begin({
    id: newId('move'),
    schoolId: school.id,
    code,
    fromCell: source.name,
    toCell: target.name,
    step: STEPS[0],
  })
}

function refuseOtherCells({ code, fromCell, toCell }: Move, { source, target }: Required<MoveOptions>): void {
  if (fromCell === source.name && toCell === target.name) return
  throw new MoveStopped(`${code} is being moved from ${fromCell} to ${toCell}: end that first.`)
}

async function runFrom(run: Run, first: NextStep): Promise<Move> {
  const { log } = run.options
  for (let step = first; step !== 'finished'; step = stepAfter(step)) {
    run.move = { ...run.move, step, isStepDone: false, problem: null }
    await log.record(run.move)
    run.say(STEP_TEXTS[step])
    run.sides.answerWithin(isUrgent(step) ? urgentMs(run) : LONGEST_STATEMENT_MS)
    try {
      await DO[step](run)
    } catch (error) {
      await stop(run, step, error)
      throw error
    }
    run.move = { ...run.move, isStepDone: true }
    await log.record(run.move)
  }
  const finishedAt = new Date()
  const kept = run.move.direction === 'forward' ? keptUntil(finishedAt) : null
  run.move = { ...run.move, finishedAt, keptUntil: kept }
  await log.record(run.move)
  return run.move
}

const urgentMs = ({ options }: Run): number => Math.max(options.answerMs, options.longestPauseMs)

/** A school that has not left must not stay shut because its move failed. */
async function stop(run: Run, step: Step | BackStep, error: unknown): Promise<void> {
  const { sides, school, options } = run
  if (isInPause(step)) await fence.openFence(sides.source, school.id).catch(() => {})
  run.move = { ...run.move, problem: error instanceof Error ? error.message : String(error) }
  await options.log.record(run.move).catch(() => {})
}

const DO: Readonly<Record<Step | BackStep, (run: Run) => Promise<void>>> = {
  guard,
  publish: ({ sides, names, school }) =>
    replication.publish(sides.source, names, school.id, sides.replicated),
  subscribe: ({ sides, names, options }) =>
    replication.subscribe(sides.target, names, options.source.address),
  catch_up: catchUp,
  pause,
  verify,
  leave,
  arrive,
  route,
  audit,
  unsubscribe: endReplication,
  stash,
  release,
  undo,
}

async function guard({ sides, school, move, say }: Run): Promise<void> {
  const { source, target, replicated } = sides
  const fenced = [
    ...replicated.map(({ name }) => ({ name, column: 'institute_id' })),
    ...Object.entries(CARRIED_BY_SCHOOL).map(([name, column]) => ({ name, column })),
  ]
  await fence.markArriving(target, move.id, school)
  await fence.addFence(target, school.id, fenced)
  // A school that was here before has left nothing but what a process wrote late, such as a line of its log.
  const left = await replication.deleteRows(target, school.id, replicated)
  if (left > 0) say(`${left} rows that the school had left behind here were deleted`)
  await fence.markLeaving(source, move.id, school)
  await fence.addFence(source, school.id, fenced)
}

async function catchUp(run: Run): Promise<void> {
  const { sides, names, options, say } = run
  const startedAtMs = performance.now()
  let told = -1
  const { failures: before } = await replication.readCopyProgress(sides.target, names)
  const expectFollowed = watchSlot(run)
  for (;;) {
    await expectFollowed()
    const { copied, tables, failures } = await replication.readCopyProgress(sides.target, names)
    if (failures > before)
      throw new MoveStopped(
        'The rows cannot be copied: the log of the new cell’s PostgreSQL says why. Mend it and go on, or go --back.',
      )
    if (tables > 0 && copied === tables) break
    if (copied !== told) say(`${copied} of ${tables} tables copied`)
    told = copied
    await wait(LOOK_AGAIN_MS)
  }
  await comeNear(run, expectFollowed)
  await sides.target.query(`analyze ${sides.replicated.map(({ name }) => name).join(', ')}`)
  const { found, tookMs } = await rehearse(run)
  const expectedMs = expectedPauseMs(tookMs)
  const rows = found.reduce((sum, table) => sum + table.rows, 0)
  const copySeconds = Math.round((performance.now() - startedAtMs) / 100) / 10
  addFigures(run, { tables: found.length, rows, copySeconds })
  say(`${rows} rows of ${found.length} tables; the pause will take about ${seconds(expectedMs)}`)
  if (expectedMs > options.longestPauseMs)
    throw new MoveStopped(
      `The pause would take about ${seconds(expectedMs)}, longer than ${seconds(options.longestPauseMs)}. Go on at a quiet time and allow more with --longest-pause.`,
    )
}

/** Takes the hashes of both sides and compares them once, as the pause will: by then each connection knows how. */
async function rehearse(run: Run): Promise<{ found: Fingerprint[]; tookMs: number }> {
  const { comparing, replicated } = run.sides
  run.baselines = await takeBaselines(comparing, run.school.id, replicated)
  const startedAtMs = performance.now()
  const [found] = await fingerprintBoth(comparing, run.school.id, replicated, run.baselines)
  return { found, tookMs: performance.now() - startedAtMs }
}

/** Until what is written at the old cell is soon at the new one. */
async function comeNear(run: Run, expectFollowed: () => Promise<void>): Promise<void> {
  const measure = (): Promise<number> => measureDelay(run, expectFollowed)
  for (let behindMs = await measure(); behindMs > NEAR_MS; behindMs = await measure())
    run.say(`The new cell is ${seconds(behindMs)} behind`)
}

/** How long what is written at the old cell takes to the new one. */
async function measureDelay(
  { sides, school, move }: Run,
  expectFollowed: () => Promise<void>,
): Promise<number> {
  const startedAtMs = performance.now()
  const mark = `${move.id} ${newId('move')}`
  await fence.writeMark(sides.source, school.id, mark)
  while (!(await fence.hasMark(sides.target, school.id, mark))) {
    await expectFollowed()
    await wait(LOOK_AGAIN_MS / 10)
  }
  return performance.now() - startedAtMs
}

/** Nobody waits for rows that will never come: a server that failed over has no slot, and one that is cut off sends nothing. */
function watchSlot({ sides, names, options, move }: Run): () => Promise<void> {
  const { unfollowedMs } = options
  let followedAtMs = performance.now()
  return async () => {
    const slot = await replication.readSlot(sides.source, names)
    if (slot === 'followed') followedAtMs = performance.now()
    if (slot === 'gone' || slot === 'lost')
      throw new MoveStopped(
        `The PostgreSQL of ${move.fromCell} does not keep for this move what was written meanwhile: its replication slot is ${slot}, as after a failover or by max_slot_wal_keep_size. End it with --back and begin again.`,
      )
    if (performance.now() - followedAtMs > unfollowedMs)
      throw new MoveStopped(
        `The PostgreSQL of ${move.toCell} has not been connected to that of ${move.fromCell} for ${seconds(unfollowedMs)}: its log says why. Mend it and go on, or go --back.`,
      )
  }
}

async function pause(run: Run): Promise<void> {
  const { sides, school, options, move, say } = run
  const { source, target, replicated } = sides
  const { leaseWaitMs, longestPauseMs } = options
  await refuseTaken(sides, school, { source: options.source.name, target: options.target.name })
  // Another process copied, and its hashes went with it.
  if (run.baselines === null) {
    sides.answerWithin(LONGEST_STATEMENT_MS)
    await rehearse(run)
    sides.answerWithin(urgentMs(run))
  }
  // After this wait no process of the old cell has the school cached, so none answers for it once it has left.
  await wait(Math.max(0, options.settleMs - (await fence.readWarnedMs(source, school.id))))
  await comeNear(run, watchSlot(run))
  // Renewed with each try, so it outlasts one try, the pause and the switch.
  const heldMs = leaseWaitMs + longestPauseMs + 2 * FENCE_SLACK_MS
  await fence.holdJobs(source, school.id, heldMs)
  const untilMs = performance.now() + leaseWaitMs
  while (performance.now() < untilMs && (await fence.countLeases(source, school.id, replicated)) > 0)
    await wait(LOOK_AGAIN_MS / 4)
  for (let tries = 1; ; tries++) {
    run.pausedAtMs = performance.now()
    if (
      await fence.shutFence(source, school.id, { forMs: longestPauseMs + FENCE_SLACK_MS, drainMs: DRAIN_MS })
    )
      break
    if (tries === MOST_DRAINS)
      throw new MoveStopped('Somebody writes to the school without end; try again when it is quiet.')
    say('Somebody is in the middle of a longer write; the school goes on, and is paused a little later')
    await wait(DRAIN_MS)
    await fence.holdJobs(source, school.id, heldMs)
  }
  const mark = `${move.id} ${newId('move')}`
  await fence.writeMark(source, school.id, mark)
  const deadlineMs = run.pausedAtMs + longestPauseMs
  while (!(await fence.hasMark(target, school.id, mark))) {
    if (performance.now() > deadlineMs)
      throw new MoveStopped('The last rows did not arrive in time; the school goes on where it is.')
    await wait(MARK_LOOK_MS)
  }
  addFigures(run, { drainMs: Math.round(performance.now() - run.pausedAtMs) })
}

async function verify(run: Run): Promise<void> {
  const { sides, school } = run
  const { comparing, replicated } = sides
  const startedAtMs = performance.now()
  const baselines = run.baselines ?? (await takeBaselines(comparing, school.id, replicated))
  const [broken, balances, [here, there]] = await Promise.all([
    carry.findBrokenReferences(
      sides.target,
      school.id,
      (table, parent) => kindOf({ name: table }) === 'replicated' && kindOf({ name: parent }) === 'own',
    ),
    Promise.all([sides.source, sides.target].map(db => readBalances(db, school.id))),
    fingerprintBoth(comparing, school.id, replicated, baselines),
  ])
  const different = findDifferent(here, there)
  if (different.length > 0)
    throw new MoveStopped(`Both sides differ, so the school stays where it is: ${different.join(', ')}.`)
  if (balances[0] !== balances[1])
    throw new MoveStopped(`The ledgers differ: ${balances[0]} here, ${balances[1]} there.`)
  if (broken.length > 0)
    throw new MoveStopped(`The new cell lacks what the school refers to by ${broken.join(', ')}.`)
  const compareMs = Math.round(performance.now() - startedAtMs)
  addFigures(run, { rows: here.reduce((sum, { rows }) => sum + rows, 0), compareMs })
}

async function leave({ sides, school, names, options, pausedAtMs }: Run): Promise<void> {
  const tookTooLong = 'The pause took too long and is over; the school goes on where it is.'
  if (performance.now() - (pausedAtMs ?? 0) > options.longestPauseMs) throw new MoveStopped(tookTooLong)
  await asReplica(sides.source, async () => {
    if (!(await fence.keepShut(sides.source, school.id))) throw new MoveStopped(tookTooLong)
    await carry.takeAway(sides.source, names.schema, school.id)
  })
}

async function arrive(run: Run): Promise<void> {
  const { sides, school, names, move } = run
  const { source, target, tables, replicated } = sides
  if ((await fence.readSide(target, move.id)) === null && (await carry.hasSchool(target, school))) return
  const [carried] = await Promise.all([
    carry.readCarried(source, names.schema),
    carry.raiseIdentities(target, replicated, school.id),
  ])
  const { people } = await inTransaction(target, async () => {
    await fence.unmark(target, move.id)
    const brought = await carry.bring(target, carried, tables, school.id)
    await Promise.all([fence.removeMarks(target, school.id), carry.wakeJobs(target)])
    return brought
  })
  addFigures(run, { people })
}

async function route(run: Run): Promise<void> {
  const { sides, move, options } = run
  const [routes] = await Promise.all([
    fence.readRoutes(sides.source, move.id),
    fence.setForwarding(sides.source, move.id, options.target.addresses),
  ])
  await options.onSwitch({ move, ...routes })
  if (run.pausedAtMs !== null) tellPause(run, run.pausedAtMs)
  await options.afterSwitch()
}

function tellPause(run: Run, pausedAtMs: number): void {
  const pauseMs = Math.round(performance.now() - pausedAtMs)
  const { drainMs = 0, compareMs = 0 } = run.move.figures
  const switchMs = pauseMs - drainMs - compareMs
  addFigures(run, { pauseMs, switchMs })
  run.say(
    `The school was paused for ${seconds(pauseMs)}: ${seconds(drainMs)} until the last rows had arrived, ${seconds(compareMs)} comparing, ${seconds(switchMs)} switching`,
  )
}

async function audit(run: Run): Promise<void> {
  const { sides, school, say } = run
  const [here, there] = await Promise.all(
    [sides.source, sides.target].map(async db =>
      (await checkBooks({ db }, school)).flatMap(({ check, differences }) =>
        differences.map(({ subject, detail }) => `${check}: ${subject} ${detail}`),
      ),
    ),
  )
  const added = (there ?? []).filter(difference => here?.includes(difference) !== true)
  addFigures(run, { differences: there?.length ?? 0 })
  if (added.length > 0)
    throw new MoveStopped(
      `The books differ at the new cell where they did not at the old one. The old rows are all there still; look into it before you go on:\n${added.join('\n')}`,
    )
  say(`${there?.length ?? 0} differences in the books on either side`)
}

async function endReplication({ sides: { source, target }, names }: Run): Promise<void> {
  await replication.unsubscribe(target, names, (await replication.readSlot(source, names)) !== 'gone')
  await replication.dropSlot(source, names)
  // No subscription drops the slot here; a connection may take a moment to end.
  for (let tries = 1; (await replication.readSlot(source, names)) !== 'gone'; tries++) {
    if (tries === MOST_DROPS)
      throw new MoveStopped(`The replication slot ${names.slot} is still in use; go on when it is not.`)
    await wait(LOOK_AGAIN_MS)
    await replication.dropSlot(source, names)
  }
  await replication.dropPublication(source, names)
}

async function stash({ sides, names, school, options, say }: Run): Promise<void> {
  await wait(options.settleMs)
  let rows = 0
  for (const table of sides.replicated)
    rows += await replication.stashTable(sides.source, names.schema, table, school.id)
  say(`${rows} rows are kept in the schema ${names.schema}`)
}

async function release({ sides, school }: Run): Promise<void> {
  await fence.dropFence(sides.source, school.id)
  await fence.dropFence(sides.target, school.id)
}

async function undo(run: Run): Promise<void> {
  const { sides, school, move } = run
  const { source, target, replicated } = sides
  await fence.openFence(source, school.id)
  await endReplication(run)
  await fence.dropFence(source, school.id)
  await fence.unmark(source, move.id)
  await replication.deleteRows(target, school.id, replicated)
  await fence.dropFence(target, school.id)
  await fence.unmark(target, move.id)
}

function addFigures(run: Run, figures: Figures): void {
  run.move = { ...run.move, figures: { ...run.move.figures, ...figures } }
}
