import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseUrlProblem, splitDatabaseUrl } from '../../../src/platform/db/pool.ts'

test('each host of DATABASE_URL becomes an address of its own with the same user, database and settings', () => {
  const url =
    'postgres://bursar:s@cret@db1:5432,db2,10.0.0.3:6432/fees?sslmode=require&target_session_attrs=read-write'
  assert.deepEqual(splitDatabaseUrl(url), [
    'postgres://bursar:s@cret@db1:5432/fees?sslmode=require',
    'postgres://bursar:s@cret@db2/fees?sslmode=require',
    'postgres://bursar:s@cret@10.0.0.3:6432/fees?sslmode=require',
  ])
})

test('a DATABASE_URL of one host is used as it is', () => {
  for (const url of [
    'postgres://bursar@db/fees',
    'postgresql:///fees?host=%2Frun%2Fpostgresql',
    'socket:/run fees',
  ])
    assert.deepEqual(splitDatabaseUrl(url), [url])
})

test('a DATABASE_URL that asks for a server without writes, or names a host wrongly, is refused in words', () => {
  assert.equal(databaseUrlProblem('postgres://u@a,b/fees?target_session_attrs=read-write'), null)
  assert.match(databaseUrlProblem('postgres://u@a,b/fees?target_session_attrs=standby') ?? '', /leave it out/)
  assert.match(databaseUrlProblem('postgres://u@a,/fees') ?? '', /several hosts/)
  assert.match(databaseUrlProblem('postgres://u@a:x,b/fees') ?? '', /several hosts/)
})
