/**
 * Spreads the tables over the nodes of a Citus. Foreign keys stand in the way of one table after the other, and
 * triggers would take rows that are copied for new ones, so both are written down and taken off first and put back at the end. Every step is one transaction and is found done or not in
 * the catalogue itself: a run that was killed is repeated, and goes on where it stopped.
 */
import { escapeIdentifier, type Client } from 'pg'
import { FIRST_TABLE, type Placement } from './placement.rules.ts'
import { isHalfDistributed, queryableOf, readKinds, readSaved, SAVED, type Saved } from './tables.ts'

type Progress = (step: { text: string; number: number; of: number }) => void

type Step = { text: string; run: () => Promise<void> }

type Options = { placements: readonly Placement[]; shards: number; onStep: Progress }

/** Answers how many rows lie on shards or are shared. */
export async function distribute(client: Client, options: Options): Promise<{ steps: number; rows: number }> {
  await client.query(
    `set statement_timeout = 0; set lock_timeout = '60s'; set client_min_messages = warning;
     set citus.multi_shard_modify_mode = sequential; set citus.enable_unsafe_triggers = on;
     set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set extra_float_digits = 1`,
  )
  // A Bursar that starts meanwhile waits for its migrations.
  await client.query(`select pg_advisory_lock(hashtext('bursar migrations'))`)
  const toMove = await pendingTables(client, options.placements)
  if (toMove.length > 0 && !(await isHalfDistributed(queryableOf(client))))
    await inTransaction(client, async () => {
      await dropStaged(client)
      await takeOff(client)
    })
  const saved = await readSaved(client)
  let rows = 0
  const steps: Step[] = [
    ...toMove.map(placement => ({
      text: `${placement.name} becomes ${placement.kind === 'reference' ? 'a reference' : 'a distributed'} table`,
      run: async () => void (rows += await moveTable(client, placement, options.shards)),
    })),
    ...saved.map(one => ({
      text:
        one.kind === 'key'
          ? `${one.table} refers to ${one.target} again`
          : `${one.table} is guarded by ${one.name} again`,
      run: () => putBack(client, one),
    })),
  ]
  const all = steps.length
  for (const [index, { text, run }] of steps.entries()) {
    await inTransaction(client, run)
    options.onStep({ text, number: index + 1, of: all })
  }
  await client.query(`drop table if exists ${SAVED}`)
  await client.query('analyze')
  await client.query(`select pg_advisory_unlock(hashtext('bursar migrations'))`)
  return { steps: all, rows }
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function pendingTables(client: Client, placements: readonly Placement[]): Promise<Placement[]> {
  const kinds = await readKinds(client)
  return placements.filter(({ name, kind }) => kind !== 'local' && kinds.get(name) !== kind)
}

/** Copies of rows that were being sorted into months when Bursar was stopped. The rows are in their log, and are copied anew. */
async function dropStaged(client: Client): Promise<void> {
  const { rows } = await client.query<{ log: string }>(
    `select relname as log from pg_class where relnamespace = to_regnamespace('staging') and relkind = 'p'`,
  )
  for (const { log } of rows)
    await client.query(
      `drop trigger if exists mirrored on ${escapeIdentifier(`${log}_after`)}; drop table staging.${escapeIdentifier(log)}`,
    )
}

/** A partition's are its table's. */
async function takeOff(client: Client): Promise<void> {
  await client.query(
    `create table ${SAVED} as
     select 'key' as kind, c.relname::text as "table", f.conname::text as name, r.relname::text as target,
       pg_get_constraintdef(f.oid) as definition
     from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class r on r.oid = f.confrelid
     where f.contype = 'f' and f.conparentid = 0 and c.relnamespace = 'public'::regnamespace
     union all
     select 'trigger', c.relname, t.tgname, null, pg_get_triggerdef(t.oid)
     from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and t.tgparentid = 0 and c.relnamespace = 'public'::regnamespace`,
  )
  for (const { kind, table, name } of await readSaved(client))
    await client.query(
      kind === 'key'
        ? `alter table ${escapeIdentifier(table)} drop constraint ${escapeIdentifier(name)}`
        : `drop trigger ${escapeIdentifier(name)} on ${escapeIdentifier(table)}`,
    )
}

async function putBack(client: Client, { kind, table, name, definition }: Saved): Promise<void> {
  const { rows } = await client.query(
    `select from pg_constraint where conrelid = $1::regclass and conname = $2 and contype = 'f'
     union all select from pg_trigger where tgrelid = $1::regclass and tgname = $2`,
    [escapeIdentifier(table), name],
  )
  if (rows.length > 0) return
  await client.query(
    kind === 'trigger'
      ? definition
      : `alter table ${escapeIdentifier(table)} add constraint ${escapeIdentifier(name)} ${definition}`,
  )
}

/** Rows are counted and hashed on both sides: what is not the same everywhere is rolled back. */
async function moveTable(client: Client, { name, kind }: Placement, shards: number): Promise<number> {
  const table = escapeIdentifier(name)
  await client.query(`lock table ${table} in access exclusive mode`)
  const before = await fingerprint(client, name)
  if (kind === 'reference') await client.query('select create_reference_table($1::regclass)', [table])
  else if (name === FIRST_TABLE)
    await client.query(
      `select create_distributed_table($1::regclass, 'institute_id', colocate_with => 'none', shard_count => $2)`,
      [table, shards],
    )
  else
    await client.query(
      `select create_distributed_table($1::regclass, 'institute_id', colocate_with => '${FIRST_TABLE}')`,
      [table],
    )
  const after = await fingerprint(client, name)
  if (before.rows !== after.rows || before.hash !== after.hash)
    throw new Error(`table ${name} differs on its shards: ${before.rows} rows became ${after.rows}`)
  await client.query('select truncate_local_data_after_distributing_table($1::regclass)', [table])
  return Number(after.rows)
}

async function fingerprint(client: Client, name: string): Promise<{ rows: string; hash: string }> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attname`,
    [escapeIdentifier(name)],
  )
  const list = columns.map(column => escapeIdentifier(column.name)).join(', ')
  const { rows } = await client.query<{ rows: string; hash: string }>(
    `select count(*)::text as rows, coalesce(sum(hashtextextended(row(${list})::text, 0)), 0)::text as hash
     from ${escapeIdentifier(name)}`,
  )
  return rows[0]!
}
