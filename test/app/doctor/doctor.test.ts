import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { examine } from '../../../src/app/doctor/doctor.service.ts'
import {
  judgeBackup,
  judgeCertificate,
  judgeClock,
  judgeLenders,
  judgePeople,
  judgeRestore,
  judgeServer,
  judgeSms,
} from '../../../src/app/doctor/doctor.rules.ts'
import { run } from '../../cli/command-line.ts'
import { createPerson } from '../../console/support.ts'
import type { Json } from '../../harness/client.ts'
import { startBursar, TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { startFakeSmtp } from '../../harness/fakes/smtp.ts'
import { NOBODY } from '../../harness/nobody.ts'
import { emptyDatabase } from '../../harness/postgres/databases.ts'

const bursar = await startBursar({ after })
const { config, ctx } = bursar.app
const NOW = new Date('2026-11-17T06:00:00Z')
const SERVER = {
  versionNumber: 180_001,
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  maxConnections: 100,
  autovacuum: 'on',
  dataChecksums: 'on',
}

test('each subject is looked at by itself, and one in trouble keeps nobody from the others', async t => {
  const smtp = await startFakeSmtp(t)
  const mail = { ...config.mail, smtpUrl: smtp.url }
  const findings = await examine({ ...config, mail, publicUrl: `http://${NOBODY}` }, ctx)
  const verdicts = Object.fromEntries(findings.map(({ subject, verdict }) => [subject, verdict]))
  assert.deepEqual(verdicts, {
    // The server of the tests forgets what it has acknowledged when the power goes.
    'Database server': 'problem',
    'Clock of this machine': 'ok',
    Disk: 'ok',
    Backups: 'warning',
    'Trial restore': 'warning',
    Archive: 'ok',
    'Public address': 'problem',
    Callbacks: 'problem',
    Certificate: 'ok',
    'E-mail': 'ok',
    'SMS and WhatsApp': 'ok',
    'Provider accounts': 'ok',
    Lenders: 'ok',
    Institutes: 'ok',
    Cells: 'ok',
  })
  const text = (name: string): string => findings.find(({ subject }) => subject === name)?.text ?? ''
  assert.match(text('Database server'), /switch on fsync, full_page_writes, synchronous_commit/)
  assert.match(text('Public address'), /does not reach a running Bursar: \S/)
  assert.deepEqual(smtp.mails, [], 'nothing was sent')
})

test('a mail server that refuses is a problem in its own words', async () => {
  const mail = { ...config.mail, smtpUrl: `smtp://${NOBODY}` }
  const findings = await examine({ ...config, mail }, ctx)
  const found = findings.find(({ subject }) => subject === 'E-mail')
  assert.equal(found?.verdict, 'problem')
  assert.match(found?.text ?? '', /ECONNREFUSED/)
})

test('the command says what it found and fails when something is to be mended', async () => {
  const { databaseUrl } = config
  const env = { DATABASE_URL: databaseUrl ?? '', MASTER_KEY: TEST_MASTER_KEY, PUBLIC_URL: bursar.url }
  const { code, out, err } = await run(env, 'doctor')
  assert.equal(code, 1, err)
  assert.match(out, /problem +Database server +may lose acknowledged payments/)
  assert.match(out, /ok +Public address +http:\/\/127\.0\.0\.1:\d+ reaches Bursar/)
  assert.match(out, /^1 to mend\./m)
})

test('the command makes nothing: it refuses a database that no Bursar has used, and a folder without one', async t => {
  const env = { MASTER_KEY: TEST_MASTER_KEY, PUBLIC_URL: bursar.url }
  const url = await emptyDatabase(t)
  const unused = await run({ ...env, DATABASE_URL: url }, 'doctor')
  assert.equal(unused.code, 1)
  assert.match(unused.err, /No Bursar has used this database yet: start one\./)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(`select tablename from pg_tables where schemaname = 'public'`)
  await client.end()
  assert.deepEqual(rows, [])
  const folder = await run({ ...env, DATABASE_URL: '', DATA_DIR: '/nonexistent/bursar' }, 'doctor')
  assert.equal(folder.code, 1)
  assert.match(folder.err, /\/nonexistent\/bursar has no database yet: start Bursar\./)
})

test('the command refuses by name a database whose schema is of a newer Bursar, or of none that was released', async t => {
  const used = await startBursar(t)
  const { databaseUrl } = used.app.config
  const env = { DATABASE_URL: databaseUrl ?? '', MASTER_KEY: TEST_MASTER_KEY, PUBLIC_URL: used.url }
  const refused = async (change: string, reason: RegExp): Promise<void> => {
    await used.sql(change)
    const { code, err } = await run(env, 'doctor')
    assert.equal(code, 1)
    assert.match(err, reason)
  }
  await refused(
    `insert into schema_migrations (version, name, checksum) values (9999, '9999_later.sql', 'x');
     update instance_settings set value = '9.1.0' where key = 'migrated_by'`,
    /newer Bursar, 9\.1\.0 \(it has 9999_later\.sql, this version does not\)\. Start that version or a later one\./,
  )
  await refused(
    `delete from schema_migrations where version = 9999;
     update schema_migrations set checksum = 'edited' where version = 1`,
    /0001_schema\.sql was changed after it ran .* Start the Bursar that made the database/,
  )
})

test('a clock a second off, a short certificate and a late backup are named', () => {
  assert.equal(judgeClock(-900).verdict, 'ok')
  assert.match(judgeClock(3_200).text, /^3\.2 s ahead of/)
  const certificate = (days: number, flaw: string | null = null) => ({
    validTo: new Date(NOW.getTime() + days * 86_400_000),
    problem: flaw,
  })
  assert.equal(judgeCertificate(certificate(60), NOW, true).verdict, 'ok')
  assert.equal(judgeCertificate(certificate(5), NOW, true).verdict, 'warning')
  assert.equal(judgeCertificate(certificate(-1), NOW, true).verdict, 'problem')
  assert.match(judgeCertificate(certificate(60, 'SELF_SIGNED'), NOW, true).text, /not trusted.*SELF_SIGNED/)
  assert.equal(judgeCertificate(null, NOW, true).verdict, 'problem')
  const last = new Date('2026-11-16T21:05:00Z')
  assert.equal(judgeBackup({ last, isLate: false }, true).verdict, 'ok')
  assert.match(
    judgeBackup({ last, isLate: true }, true).text,
    /late: the last one is of 17 November 2026 at 2:35 am IST/,
  )
  assert.equal(judgeBackup({ last: null, isLate: true }, true).verdict, 'problem')
  assert.equal(judgeBackup(null, true).verdict, 'warning')
})

test('a server that is too old, forgets, or has too few connections is named', () => {
  assert.equal(judgeServer(SERVER, 16).verdict, 'ok')
  assert.match(judgeServer({ ...SERVER, versionNumber: 170_004 }, 16).text, /PostgreSQL 17/)
  assert.match(judgeServer({ ...SERVER, fsync: 'off' }, 16).text, /switch on fsync$/)
  assert.match(judgeServer({ ...SERVER, maxConnections: 20 }, 16).text, /allows 20 connections/)
})

test('an installation without institutes or people is told how to get them', () => {
  const people = { institutes: 2, operators: 1, withoutKey: [], withoutPeople: [] }
  assert.equal(judgePeople(people).verdict, 'ok')
  assert.match(judgePeople({ ...people, institutes: 0 }).text, /institutes create/)
  assert.match(judgePeople({ ...people, operators: 0 }).text, /--operator/)
  const codes = ['a', 'b', 'c', 'd', 'e', 'f']
  assert.match(judgePeople({ ...people, withoutPeople: codes }).text, /a, b, c, d, e and 1 more/)
})

test('a restore that was tried lately is fine; a backup that nobody restored is not', () => {
  const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000)
  assert.equal(judgeRestore(null, NOW, true).verdict, 'warning')
  assert.equal(judgeRestore(daysAgo(89), NOW, true).verdict, 'ok')
  // Already the next day in India.
  const tried = judgeRestore(new Date('2026-11-15T18:31:00Z'), NOW, true)
  assert.equal(tried.text, 'tried on 16 November 2026, every row was read')
  assert.match(judgeRestore(daysAgo(120), NOW, true).text, /last tried on 20 July 2026/)
  assert.equal(judgeRestore(daysAgo(1), NOW, false).verdict, 'warning')
})

test('SMS templates that name no text are a problem, texts that leave in English a warning', () => {
  const all = { isSet: true, unknown: [], inEnglish: [], general: 0 }
  assert.equal(judgeSms({ ...all, isSet: false }), null)
  assert.equal(judgeSms(all)?.verdict, 'ok')
  assert.equal(judgeSms({ ...all, unknown: ['typo'] })?.verdict, 'problem')
  const inEnglish = judgeSms({ ...all, inEnglish: ['notice_kn'] })
  assert.equal(inEnglish?.verdict, 'warning')
  assert.match(inEnglish?.text ?? '', /notice_kn.* leave in English/)
  assert.match(
    judgeSms({ ...all, general: 3 })?.text ?? '',
    /3 texts .* under the general one, SMS_TEMPLATE_ID/,
  )
})

test('a lender that does not answer is a problem, a desk without people a warning', () => {
  const lender = { title: 'Vidya', isPaused: false, flaw: null, institutes: 1, people: null }
  assert.equal(judgeLenders([], true).verdict, 'ok')
  assert.equal(judgeLenders([lender], true).verdict, 'ok')
  assert.match(
    judgeLenders([{ ...lender, flaw: 'cannot be reached' }], true).text,
    /Vidya: cannot be reached/,
  )
  assert.equal(judgeLenders([{ ...lender, people: 0 }], true).verdict, 'warning')
  assert.equal(judgeLenders([{ ...lender, isPaused: true }], true).verdict, 'warning')
})

test('the operator reads the same in the console', async () => {
  const operator = await createPerson(bursar, { email: 'op@example.in', operator: true })
  const { body } = await operator.get('/console/api/operator/doctor')
  const found: Record<string, string> = Object.fromEntries(
    body.data.map(({ subject, verdict }: Json) => [subject, verdict]),
  )
  assert.equal(found['Public address'], 'ok')
  assert.equal(found['Callbacks'], 'ok')
})
