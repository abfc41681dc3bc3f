import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, beforeEach, test } from 'node:test'
import pg from 'pg'
import { STATEMENTS } from '../../../src/platform/db/client.ts'
import { Nodes, type Node } from '../../../src/platform/db/nodes.ts'
import { startBursar } from '../../harness/bursar.ts'
import { PAY } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { onCitus } from '../../harness/postgres/databases.ts'

/** What a coordinator knows and says is here said by tables and functions of the same names. */
const skip = onCitus('the real ones are there; platform/citus/other-schools.long.ts cuts a real line')
const bursar = await startBursar({ after })
const { db } = bursar.app.ctx
const connectionString = bursar.app.config.databaseUrl ?? ''

if (skip === false) {
  await bursar.sql(
    `create table pg_dist_node (nodename text, nodeport int, groupid int, noderole text, shouldhaveshards bool)`,
  )
  await bursar.sql(`insert into pg_dist_node values ('coordinator', 1, 0, 'primary', false),
    ('worker', 1, 1, 'primary', true), ('worker', 2, 2, 'primary', true)`)
  await bursar.sql('create table pg_dist_placement as select id as shardid, id as groupid from institutes')
  await bursar.sql(
    `create function get_shard_id_for_distribution_column(text, int) returns int language sql as 'select $2'`,
  )
  await bursar.sql('create table silent (port int)')
  await bursar.sql(`create function citus_check_connection_to_node(text, int) returns bool language plpgsql as $$
    begin
      if $2 in (select port + 100 from silent) then perform pg_sleep(60); end if;
      return $2 not in (select port from silent);
    end $$`)
  await bursar.sql(`create function ask_worker(int) returns bool language plpgsql as $$
    begin
      if $1 in (select port % 100 from silent) then raise 'connection to the remote node failed' using errcode = '08006'; end if;
      return true;
    end $$`)
  await bursar.sql('create table things as select id as institute_id from institutes')
}

const connect = (limits: pg.ClientConfig): pg.Client => new pg.Client({ connectionString, ...limits })

let nowMs = 0
let told: string[] = []
let nodes: Nodes

beforeEach(async () => {
  db.isDistributed = true
  told = []
  const onNode = ({ name, answers }: Node): void =>
    void told.push(`${name} ${answers ? 'answers' : 'is silent'}`)
  nodes = new Nodes(db, connect, { onNode, nowMs: () => nowMs, lookAgainMs: 1_000 })
  await silence()
})

const silence = async (...ports: number[]): Promise<void> => {
  await bursar.sql('delete from silent')
  for (const port of ports) await bursar.sql('insert into silent values ($1)', [port])
}

/** Institutes whose worker answered, and how many statements it took. */
async function look(): Promise<{ found: number[]; statements: number }> {
  let statements = 0
  const count = (): void => void statements++
  subscribe(STATEMENTS, count)
  try {
    const rows = await nodes.query<{ id: number }>(
      among => `select t.institute_id as id from things t
        where case when ${among('t.institute_id')} then ask_worker(t.institute_id) end order by 1`,
      [],
    )
    return { found: rows.map(({ id }) => id), statements }
  } finally {
    unsubscribe(STATEMENTS, count)
  }
}

test('while all nodes answer a look over all institutes is one statement', { skip }, async () => {
  assert.deepEqual(await look(), { found: [1, 2], statements: 1 })
  assert.deepEqual(told, [])
})

test(
  'a node that does not answer is left out and left alone for a while, and taken in again',
  { skip },
  async () => {
    await silence(2)
    assert.deepEqual((await look()).found, [1])
    assert.deepEqual(told, ['worker:2 is silent'])
    assert.deepEqual(await look(), { found: [1], statements: 1 })
    await silence()
    assert.deepEqual(await look(), { found: [1], statements: 1 })
    nowMs += 1_000
    await look()
    await nodes.look()
    assert.deepEqual(await look(), { found: [1, 2], statements: 1 })
    assert.deepEqual(told, ['worker:2 is silent', 'worker:2 answers'])
  },
)

test('a node that hangs is not waited for', { skip }, async () => {
  await silence(2, 102)
  const before = performance.now()
  assert.deepEqual((await look()).found, [1])
  assert.ok(performance.now() - before < 8_000)
  assert.deepEqual(told, ['worker:2 is silent'])
})

test('what is not a node’s failure is thrown, and so is it when no node answers', { skip }, async () => {
  await assert.rejects(
    nodes.query(() => 'select 1 / 0', []),
    /division by zero/,
  )
  await silence(1, 2)
  await assert.rejects(look(), { code: 'SYE00001' })
  await assert.rejects(look(), { code: 'SYE00001' })
  assert.deepEqual(told, ['worker:1 is silent', 'worker:2 is silent'])
})

test(
  'requests of a school whose node failed are refused at once, those of others are not, until it answers',
  { skip },
  async () => {
    const { demo, group } = bursar
    const page = async (school: string): Promise<number> =>
      (await fetch(`${bursar.url}/pay/${school}/order_1`)).status
    const answers = async (): Promise<number[]> => [
      (await demo.get(`${PAY}/orders`)).status,
      (await group.get(`${PAY}/orders`)).status,
      await page('demo-school'),
      await page('demo-group'),
    ]
    const allAnswered = (): Promise<void> =>
      waitFor(async () => (await answers()).join() === '200,200,404,404', 'every school to be answered')
    await allAnswered()
    await silence(2)
    await waitFor(async () => {
      await assert.rejects(db.query('select ask_worker(2)'), { code: 'SYE00001' })
      return (await group.get(`${PAY}/orders`)).status === 503
    }, 'the node to be seen')
    assert.deepEqual(await answers(), [200, 503, 404, 503])
    await silence()
    await allAnswered()
  },
)
