import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ask, run, scratch } from '../cli/command-line.ts'
import { startBursar, TEST_MASTER_KEY } from '../harness/bursar.ts'
import { cloneDatabase } from '../harness/postgres/databases.ts'
import { ERP } from '../harness/samples.ts'
import { csv, studentRow } from './support.ts'

const DATABASE_URL = await cloneDatabase({ after })
const env = { DATABASE_URL, MASTER_KEY: TEST_MASTER_KEY }
const bursar = await startBursar({ after }, { DATABASE_URL })
const DEMO = ['--institute', 'demo-school']

test('a file is imported from the command line: a dry run first, then the good rows, exit 1 for the bad ones', async t => {
  const file = join(scratch(t), 'students.csv')
  writeFileSync(
    file,
    csv([studentRow({ identifier: 'CLI-1' }), studentRow({ identifier: 'CLI-2', grade: '' })]),
  )
  const dry = await run(env, 'import', 'students', file, ...DEMO, '--dry-run')
  assert.equal(dry.code, 1)
  assert.match(dry.out, /^1 of 2 rows is bad\. Nothing was applied/)
  assert.match(dry.out, /ROW +COLUMN +PROBLEM\n3 +grade +is required/)
  const good = await run(env, 'import', 'students', file, ...DEMO, '--mode', 'good')
  assert.equal(good.code, 1)
  assert.match(good.out, /^Imported 1 of 2 rows: 1 applied, 0 known already, 1 refused\./)
  assert.equal((await bursar.demo.get(`${ERP}/students?identifier=CLI-1`)).body.data.length, 1)
  writeFileSync(file, csv([studentRow({ identifier: 'CLI-1' })]))
  const again = await ask(env, 'import', 'students', file, ...DEMO)
  assert.deepEqual([again.state, again.rows.unchanged, again.problems], ['done', 1, []])
  assert.deepEqual(await bursar.sql('select 1 from import_files union all select 1 from import_rows'), [])
})

/** What a command that fails says. */
async function said(...args: string[]): Promise<string> {
  const { code, out, err } = await run(env, 'import', ...args)
  assert.notEqual(code, 0)
  return out + err
}

test('what cannot be imported is said in a sentence', async t => {
  const folder = scratch(t)
  const file = join(folder, 'empty.csv')
  writeFileSync(file, '')
  assert.match(await said('students', join(folder, 'none.csv'), ...DEMO), /^There is no file /)
  assert.match(await said('students', folder, ...DEMO), /is not a file\.|EISDIR/)
  assert.match(await said('students', file, ...DEMO), /is empty\./)
  assert.match(await said('teachers', file, ...DEMO), /Allowed choices are students, fees, payments/)
  writeFileSync(file, 'a,b\n1,2\n')
  assert.match(await said('students', file), /^Say which institute by --institute: demo-school, demo-group\./)
  assert.match(
    await said('students', file, ...DEMO),
    /^Nothing was applied\. The first row must name the columns/,
  )
})
