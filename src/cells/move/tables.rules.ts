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
    return `${name} has no institute_id: say in src/cells/move/tables.rules.ts whether a move carries it, or why it is the cell's own`
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
