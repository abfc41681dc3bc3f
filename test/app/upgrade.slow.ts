import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { estimateSteps } from '../../src/app/upgrade/upgrade.rules.ts'
import { planUpgrade } from '../../src/app/upgrade/upgrade.service.ts'
import { run } from '../cli/command-line.ts'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'

const bursar = await startBursar({ after })
const { config, ctx } = bursar.app
const env = { DATABASE_URL: config.databaseUrl ?? '', MASTER_KEY: TEST_MASTER_KEY }
const sizes = new Map([
  ['payments', 3e9],
  ['orders', 1e9],
])

test('what a migration does to a large table is estimated from its size, and what touches no row costs nothing', () => {
  const sql = `-- Works with code from 0004 on.
    create table notes (id text primary key, said text default 'a; b -- c');
    alter table payments add column said text not null default 'x';
    create index payments_by_said on payments (institute_id, said);
    update orders set said = 'y; z';
    alter table orders add constraint said_short check (length(said) < 9);
    create function f() returns trigger language plpgsql as $$ begin return new; end $$;`
  const steps = estimateSteps(sql, sizes)
  assert.deepEqual(
    steps.map(({ statement, seconds, bytes }) => [statement.slice(0, 30), Math.round(seconds), bytes]),
    [
      ['create table notes', 0, 0],
      ['alter table payments add colum', 0, 0],
      ['create index payments_by_said ', 100, 1.5e9],
      ["update orders set said = 'y; z", 67, 2e9],
      ['alter table orders add constra', 10, 0],
      ['create function f() returns tr', 0, 0],
    ],
  )
})

test('a database that is as this version wants it has nothing to do', async () => {
  const { code, out } = await run(env, 'upgrade', '--check')
  assert.equal(code, 0)
  assert.match(out, /^Nothing to do: the schema, \d+, is one that Bursar \d/)
})

test('what is pending is told with its statements, and nothing is changed by asking', async () => {
  const applied = await bursar.sql<{ name: string }>('select name from schema_migrations order by version')
  const last = applied.at(-1)?.name ?? ''
  const [kept] = await bursar.sql(
    `delete from schema_migrations where name = $1 returning *, applied_at::text as at`,
    [last],
  )
  const { from, to, migrations, disk, problems } = await planUpgrade(config, ctx.db)
  assert.deepEqual([from, to, disk, problems], [applied.length - 1, applied.length, null, []])
  assert.deepEqual(
    migrations.map(({ name }) => name),
    [last],
  )
  const { code, out } = await run(env, 'upgrade', '--check')
  assert.equal(code, 0)
  assert.match(out, new RegExp(`^Bursar \\S+ brings the schema from ${from} to ${to}:`))
  assert.match(out, /^Estimated from the sizes of the tables: .* of disk on the database's server\./m)
  for (const { statement } of migrations[0]?.steps ?? []) assert.ok(out.includes(statement), statement)
  assert.equal((await bursar.sql('select from schema_migrations')).length, from)
  const { version, name, checksum, works_from: worksFrom } = kept ?? {}
  await bursar.sql(
    'insert into schema_migrations (version, name, checksum, works_from) values ($1, $2, $3, $4)',
    [version, name, checksum, worksFrom],
  )
})

test('a database that this version would refuse is named, and the command fails', async () => {
  await bursar.sql(
    `insert into schema_migrations (version, name, checksum) values (9999, '9999_newer.sql', 'x')`,
  )
  const { code, err } = await run(env, 'upgrade', '--check')
  assert.equal(code, 1)
  assert.match(err, /migrated by a newer Bursar, [\d.]+ \(it has 9999_newer\.sql/)
  assert.equal(
    (
      await run(
        { ...env, BURSAR_MODE: 'live', PUBLIC_URL: 'https://fees.example.in', TRUST_PROXY: '10.0.0.1' },
        'upgrade',
        '--check',
      )
    ).code,
    1,
  )
})

test('without --check it says that it only looks', async () => {
  const { code, err } = await run(env, 'upgrade')
  assert.equal(code, 2)
  assert.match(err, /--check/)
})
