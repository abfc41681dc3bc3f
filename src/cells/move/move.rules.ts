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

export type NextStep = Step | BackStep | 'finished'

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

export function stepAfter(step: Step | BackStep): NextStep {
  if (step === 'undo') return 'finished'
  return STEPS[at(step) + 1] ?? 'finished'
}

/** Where a move that another process began goes on. `hasLeft`: the old cell says that the school has left by this move. */
export function resumeAt({ direction, step, isStepDone }: MoveState, hasLeft: boolean): NextStep {
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

/**
 * What a move does with each table. Most are tables of schools: their rows are replicated by `institute_id`, a new table
 * without any word of it here. The exceptions stand here with their reasons; a table that is neither stops every move.
 */
export type TableFacts = {
  name: string
  hasInstituteId: boolean
  /** A row that is changed or deleted is named with its `institute_id`, by which replication filters. */
  isNamedByInstitute: boolean
  isLogged: boolean
}

export type TableKind = 'replicated' | 'carried' | 'own'

/** Rows of a school that are carried in the switch itself: by them it is found, so they must never be in two cells. */
const CARRIED: Readonly<Record<string, string>> = {
  institutes: 'a school lives in the cell that has this row',
  api_keys: 'by it a request finds its school',
  console_invitations: 'by its token a person finds the school',
  console_memberships: 'names people, who may have an account at the new cell already',
  console_users: 'the people of the school; known by their e-mail address',
  console_recovery_codes: 'a second factor of such a person',
  console_passkeys: 'a second factor of such a person',
  console_devices: 'a known device of such a person',
  console_sessions: 'goes with a person who works for no other school of the old cell',
  console_sign_ins: 'goes with a person who works for no other school of the old cell',
}

/** What a cell has for itself. */
const OWN: Readonly<Record<string, string>> = {
  schema_migrations: 'written by the migrations of each cell',
  instance_settings: 'of the installation',
  holidays: 'the same days in every cell, kept by its operator',
  lenders: 'of the installation; a move looks whether the new cell has those that the school needs',
  console_lender_members: 'people of a lender, not of a school',
  console_passkey_challenges: 'good for minutes',
  console_unlock_codes: 'good for minutes',
  console_tries: 'counts guesses at this cell',
  moving_schools: 'says who moves here and from here',
  school_moves: 'of the directory',
  cells: 'of the directory',
  cell_schools: 'of the directory',
  cell_routes: 'of the directory',
}

/** What keeps a table from being moved; null if nothing does. */
export function problemOf({ name, hasInstituteId, isNamedByInstitute, isLogged }: TableFacts): string | null {
  if (name in CARRIED || name in OWN) return null
  if (!hasInstituteId)
    return `${name} has no institute_id: say in src/cells/move/move.rules.ts whether a move carries it, or why it is the cell's own`
  if (!isLogged) return `${name} is unlogged, and PostgreSQL does not replicate it`
  if (!isNamedByInstitute)
    return `${name} has no primary key with institute_id in it: give it one, or replica identity full`
  return null
}

export function kindOf({ name }: Pick<TableFacts, 'name'>): TableKind {
  if (name in CARRIED) return 'carried'
  return name in OWN ? 'own' : 'replicated'
}

/** Names in the lists above that no table has any more. */
export function findStale(names: readonly string[]): string[] {
  return [...Object.keys(CARRIED), ...Object.keys(OWN)].filter(name => !names.includes(name))
}

/** Carried tables with the column that says of which school a row is; those of people have none. */
export const CARRIED_BY_SCHOOL = {
  institutes: 'id',
  api_keys: 'institute_id',
  console_invitations: 'institute_id',
  console_memberships: 'institute_id',
} as const

/** Tables of a person's rows. They leave with the person; one who still has a school at the old cell takes copies of some along. */
export const OF_PEOPLE = {
  console_users: { key: 'id', isCopied: true },
  console_recovery_codes: { key: 'user_id', isCopied: true },
  console_passkeys: { key: 'user_id', isCopied: true },
  console_devices: { key: 'user_id', isCopied: true },
  console_sessions: { key: 'user_id', isCopied: false },
  console_sign_ins: { key: 'user_id', isCopied: false },
} as const

/** Marks are written while everything else is shut. */
export const NEVER_FENCED = 'move_marks'

/** Written for many schools at once and allowed to miss some: its rows are left out instead of refused. */
export const SKIPPED_WHEN_FENCED = 'api_requests'
