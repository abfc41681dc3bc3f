import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { waitFor } from '../harness/wait.ts'
import { batchJob, startJobs } from './support.ts'

const bursar = await startBursar({ after })
const { db } = bursar.app.ctx

test('every transaction that wrote something changes the snapshot, also one that began before the last look', async () => {
  const write = 'update schema_migrations set applied_at = applied_at where version = $1'
  const before = await db.readSnapshot()
  await db.query(write, [1])
  assert.notEqual(await db.readSnapshot(), before)
  const { promise: isLooked, resolve: commit } = Promise.withResolvers<void>()
  const { promise: isWritten, resolve: written } = Promise.withResolvers<void>()
  const late = db.transaction(async tx => {
    await tx.query(write, [1])
    written()
    await isLooked
  })
  await isWritten
  const during = await db.readSnapshot()
  commit()
  await late
  assert.notEqual(await db.readSnapshot(), during)
})

test('a job looks when something was written and when its own row falls due, and not otherwise', async t => {
  let [runs, asked, pulse] = [0, 0, 'quiet']
  let dueAt: Date | null = null
  const job = batchJob(
    'looks',
    async () => {
      runs++
      if (dueAt !== null && dueAt <= new Date()) dueAt = null
      return 0
    },
    { nextDueAt: async () => dueAt },
  )
  const readPulse = async (): Promise<string> => (asked++, pulse)
  startJobs(t, [job], { longestPauseMs: 5, wakeupDelayMs: 1 }, readPulse)
  // The first question finds that there was none before it.
  await waitFor(async () => runs === 2 && asked > 5, 'the looks of the start')
  const quiet = asked
  await waitFor(async () => asked > quiet + 5, 'questions without a change')
  assert.equal(runs, 2)
  dueAt = new Date(Date.now() + 40)
  pulse = 'written'
  await waitFor(async () => runs > 2, 'a look after the write')
  await waitFor(async () => dueAt === null, 'a look when the row is due')
})
