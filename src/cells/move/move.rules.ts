/**
 * The steps of a move, in their order. Each is recorded before it begins and when it is done, and each can be done again:
 * a move that was killed goes on with the step it was at.
 */
export const STEPS = [
  // Triggers on both sides that can shut the school's rows; at the new cell they do from the start.
  'guard',
  'publish',
  'subscribe',
  'catch_up',
  // Nobody writes to the school any more, and what was written has arrived.
  'pause',
  'verify',
  // The school is taken out of the old cell: from here on a move goes forward only.
  'leave',
  'arrive',
  // Directory and proxies send its callers to the new cell.
  'route',
  // The books on both sides say the same.
  'audit',
  'unsubscribe',
  // The old rows leave the tables of the old cell and are kept apart.
  'stash',
  'release',
] as const

export type Step = (typeof STEPS)[number]

/** Undoes everything before `leave`. */
export type BackStep = 'undo'

export type MoveState = {
  direction: 'forward' | 'back'
  step: Step | BackStep
  isStepDone: boolean
}

export type Next = Step | BackStep | 'finished'

const at = (step: Step): number => STEPS.indexOf(step)

/** The pause ends by itself when nobody goes on with it, so what was seen in it does not hold for another run. */
const IN_PAUSE: readonly Step[] = ['pause', 'verify', 'leave']

export function isInPause(step: Step | BackStep): boolean {
  return step !== 'undo' && IN_PAUSE.includes(step)
}

/** Steps in which the school waits, so that a server that falls silent is not waited for. */
export function isUrgent(step: Step | BackStep): boolean {
  return step !== 'undo' && at(step) >= at('pause') && at(step) <= at('route')
}

export function stepAfter(step: Step | BackStep): Next {
  if (step === 'undo') return 'finished'
  return STEPS[at(step) + 1] ?? 'finished'
}

/** Where a move that another process began goes on. `hasLeft`: the old cell says that the school has left by this move. */
export function resumeAt({ direction, step, isStepDone }: MoveState, hasLeft: boolean): Next {
  if (direction === 'back' || step === 'undo') return isStepDone && step === 'undo' ? 'finished' : 'undo'
  if (hasLeft && at(step) <= at('leave')) return 'arrive'
  if (!hasLeft && isInPause(step)) return 'pause'
  return isStepDone ? stepAfter(step) : step
}

/** Once it has left, the rows at the new cell are the school's. */
export function mayGoBack({ step }: Pick<MoveState, 'step'>, hasLeft: boolean): boolean {
  return !hasLeft && (step === 'undo' || at(step) <= at('leave'))
}

/**
 * Whether a move that nobody works on goes on without a person: its school has left the old cell and is not yet reached in
 * the new one, whatever stopped it; or it was killed later, and not stopped by what it found.
 */
export function goesOnByItself(
  { direction, step, problem }: MoveState & { problem: string | null },
  hasLeft: boolean,
): boolean {
  if (!hasLeft || direction === 'back' || step === 'undo') return false
  return at(step) <= at('route') || problem === null
}

/** Whether callers of the school are sent to the new cell. */
export function isRouted({ step, isStepDone }: MoveState): boolean {
  return step !== 'undo' && (at(step) > at('route') || (step === 'route' && isStepDone))
}

/** The old cell keeps the rows of a school that has left so long. */
const KEPT_DAYS = 30

export function keptUntil(finishedAt: Date): Date {
  return new Date(finishedAt.getTime() + KEPT_DAYS * 86_400_000)
}

/** Names of what a move makes in a database; an id is letters, digits and one underscore. */
export function namesOf(moveId: string): { publication: string; slot: string; schema: string } {
  const own = moveId.slice(moveId.indexOf('_') + 1)
  if (!/^[0-9a-z]{1,48}$/.test(own)) throw new Error(`${moveId} is not the id of a move`)
  return { publication: `bursar_move_${own}`, slot: `bursar_move_${own}`, schema: `moved_${own}` }
}

/** What a comparison found of a table: how many rows, and the sum of their hashes. */
export type Fingerprint = { table: string; rows: number; hash: string }

export function findDifferent(source: readonly Fingerprint[], target: readonly Fingerprint[]): string[] {
  const there = new Map(target.map(one => [one.table, one]))
  return source.flatMap(({ table, rows, hash }) => {
    const other = there.get(table)
    if (other?.rows === rows && other.hash === hash) return []
    return [`${table} (${rows} rows here, ${other?.rows ?? 'none'} there)`]
  })
}

/** The figures of a look in advance, and what the pause itself adds to them. */
const PAUSE_OVERHEAD_MS = 400

export function expectedPauseMs(compareMs: number): number {
  return Math.ceil(compareMs) + PAUSE_OVERHEAD_MS
}
