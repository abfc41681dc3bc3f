import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fillDemo } from '../../src/app/demo/demo.service.ts'
import { writeSetting } from '../../src/platform/db/instance-settings.ts'
import { createLog } from '../../src/platform/log.ts'
import { startBursar } from '../harness/bursar.ts'

test('a demo school that was interrupted stays as it is, and the next start says how to have it whole', async () => {
  const bursar = await startBursar({ after })
  const { ctx, config } = bursar.app
  const said: string[] = []
  const log = createLog({
    level: 'info',
    format: 'json',
    destination: { write: line => void said.push(line) },
  })
  const embedded = { ...config, hasDemo: true, databaseUrl: null }
  await bursar.sql(
    `insert into institutes (code, name, callback_key_sealed) values ('sunrise-school', 'Sunrise School', '')`,
  )
  await writeSetting(ctx.db, 'demo', 'sunrise-school 1 interrupted')
  await fillDemo(embedded, ctx, log)
  assert.match(said.join(), /Sunrise School was interrupted .* remove the data folder and start anew/)
  said.length = 0
  await writeSetting(ctx.db, 'demo', 'filled')
  await fillDemo(embedded, ctx, log)
  assert.deepEqual(said, [])
  const students = await bursar.sql(
    `select 1 from students s join institutes i on i.id = s.institute_id where i.code = 'sunrise-school'`,
  )
  assert.equal(students.length, 0)
})
