import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatheredWrites } from '../../src/platform/concurrency.ts'

test('what is written at the same moment is one statement, and one row that cannot be written fails nobody else', async () => {
  const statements: string[][] = []
  const gathered = new GatheredWrites<string>(async rows => {
    statements.push([...rows])
    if (rows.includes('bad')) throw new Error('a bad row')
  })
  await Promise.all(['a', 'b', 'c'].map(row => gathered.add(row)))
  assert.deepEqual(statements, [['a', 'b', 'c']])
  const ends = await Promise.allSettled(['d', 'bad', 'e'].map(row => gathered.add(row)))
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})
