import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from '../../../src/app/config.ts'
import {
  backupName,
  backupsToRemove,
  backupTime,
  isBackupLate,
  nextBackupAt,
  parseTimeOfDay,
} from '../../../src/platform/backup/schedule.rules.ts'

const AT = { hour: 2, minute: 30 }

test('a backup is due at the first such time of day in India after the last one, and at once when there is none', () => {
  assert.deepEqual(parseTimeOfDay('02:30'), AT)
  for (const wrong of ['2:30', '24:00', '02:60', '0230', '02:30 ', ''])
    assert.equal(parseTimeOfDay(wrong), null)
  const next = (last: string): string => nextBackupAt(new Date(last), AT).toISOString()
  assert.equal(next('2026-11-16T20:59:59Z'), '2026-11-16T21:00:00.000Z')
  assert.equal(next('2026-11-16T21:00:00Z'), '2026-11-17T21:00:00.000Z')
  assert.equal(next('2026-11-16T21:00:05Z'), '2026-11-17T21:00:00.000Z')
  assert.equal(next('2026-12-31T22:00:00Z'), '2027-01-01T21:00:00.000Z')
  assert.ok(nextBackupAt(null, AT) < new Date('2000-01-01'))
})

test('a backup is late two hours after it was due', () => {
  const last = new Date('2026-11-16T21:00:00Z')
  assert.equal(isBackupLate(last, AT, new Date('2026-11-17T22:59:00Z')), false)
  assert.equal(isBackupLate(last, AT, new Date('2026-11-17T23:01:00Z')), true)
  assert.equal(isBackupLate(null, AT, last), true)
})

test('only files named as backups count as such, and the oldest beyond the limit are removed', () => {
  const name = backupName(new Date('2026-11-17T21:00:03.250Z'))
  assert.equal(name, 'bursar-20261117T210003Z.backup')
  assert.equal(backupTime(name)?.toISOString(), '2026-11-17T21:00:03.000Z')
  for (const other of [`${name}.partial`, 'bursar.backup', `x${name}`, 'holiday.jpg'])
    assert.equal(backupTime(other), null)
  const days = ['03', '01', '04', '02'].map(day => `bursar-202611${day}T210000Z.backup`)
  assert.deepEqual(backupsToRemove([...days, 'holiday.jpg', `${name}.partial`], 2), [days[1], days[3]])
  assert.deepEqual(backupsToRemove(days, 4), [])
})

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.lines
  }
}

const LIVE = {
  BURSAR_MODE: 'live',
  MASTER_KEY: '11'.repeat(32),
  PUBLIC_URL: 'https://fees.school.example.in',
  TRUST_PROXY: '127.0.0.1',
}

test('live mode runs on the embedded server only with a folder for the data and another for backups', () => {
  const embedded = { ...LIVE, DATA_DIR: '/srv/bursar', BACKUP_DIR: '/backups' }
  assert.deepEqual(problemsOf(embedded), [])
  assert.deepEqual(readConfig(embedded).backup, { folder: '/backups', at: AT, keep: 14 })
  const refused: [Record<string, string>, RegExp][] = [
    [{ DATA_DIR: '' }, /needs DATABASE_URL, .* or DATA_DIR/],
    [{ BACKUP_DIR: '' }, /needs BACKUP_DIR/],
    [{ MASTER_KEY: '' }, /needs MASTER_KEY/],
    [{ BURSAR_ROLE: 'api' }, /serves one process/],
    [{ BACKUP_DIR: '/srv/bursar' }, /not be inside DATA_DIR/],
    [{ BACKUP_DIR: '/srv/bursar/backups' }, /not be inside DATA_DIR/],
    [{ BACKUP_AT: 'noon' }, /BACKUP_AT must be a time of day such as 02:30; it is "noon"/],
    [{ BACKUP_KEEP: '0' }, /BACKUP_KEEP must be a whole number from 1/],
    [{ DATABASE_URL: 'postgres://db.example.in/bursar' }, /BACKUP_DIR is for the embedded server/],
  ]
  for (const [change, expected] of refused) {
    const problems = problemsOf({ ...embedded, ...change })
    assert.equal(problems.length, 1, `${JSON.stringify(change)}: ${problems.join(' ')}`)
    assert.match(problems[0] ?? '', expected)
  }
})
