import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { ConfigError, readConfig } from '../../src/app/config.ts'
import { sendMessages } from '../../src/messages/messages.service.ts'
import { runUntilDone, Slots } from '../../src/platform/jobs/job.ts'
import { createSenders } from '../../src/app/context.ts'
import { CallCounts } from '../../src/platform/http-client/call-counts.ts'
import { createLog } from '../../src/platform/log.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import { startFakeSmtp } from '../harness/fakes/smtp.ts'
import { advance, queue, rows } from './support.ts'

const ACCOUNT = { user: 'bursar', password: 'pa%20ss-word' }

async function openWith(
  t: TestContext,
  query: string,
  options: Parameters<typeof startFakeSmtp>[1],
): Promise<{ bursar: TestBursar; smtp: Awaited<ReturnType<typeof startFakeSmtp>> }> {
  const smtp = await startFakeSmtp(t, options)
  return { smtp, bursar: await startBursar(t, { SMTP_URL: `${smtp.url}${query}` }) }
}

describe('mail is safe', { concurrency: 3 }, () => {
  test('a line break in a subject adds no header', async t => {
    const { smtp, bursar } = await openWith(t, '', {})
    const subject = 'Fees\r\nBcc: thief@evil.example\r\n\r\nNew body\u2028X-Other: 1'
    await queue(bursar, { subject })
    await advance(bursar)
    const [mail] = smtp.mails
    assert.equal(mail?.headers['subject'], 'Fees Bcc: thief@evil.example New body X-Other: 1')
    assert.deepEqual(
      Object.keys(mail?.headers ?? {}).toSorted(),
      'auto-submitted content-transfer-encoding content-type date from message-id mime-version subject to'.split(
        ' ',
      ),
    )
    assert.deepEqual(mail?.to, ['it@school.example'])
    assert.equal(mail?.text.trim(), 'Three attempts have failed.')
  })

  test('a recipient that is more than one address is refused before the server is asked', async t => {
    const { smtp, bursar } = await openWith(t, '', {})
    const recipients = [
      'it@school.example\r\nRCPT TO:<thief@evil.example>',
      'it@school.example>\r\nDATA',
      'it@school.example, thief@evil.example',
      'it@school.example;thief@evil.example',
      'IT <it@school.example>',
      'it@school.example thief@evil.example',
      '"a@b"@school.example',
      'nobody',
      '@',
    ]
    await queue(bursar, ...recipients.map(recipient => ({ recipient })))
    await advance(bursar)
    for (const row of await rows(bursar)) {
      assert.deepEqual(
        [row.state, row.failure],
        ['failed', 'this is not an address mail can go to'],
        row.recipient,
      )
    }
    assert.equal(smtp.connections, 0)
  })

  test('a password in SMTP_URL goes over TLS and opens the account', async t => {
    const { smtp, bursar } = await openWith(t, '?requireTLS=true&tls.rejectUnauthorized=false', {
      account: { ...ACCOUNT, password: decodeURIComponent(ACCOUNT.password) },
      urlPassword: ACCOUNT.password,
      hasTls: true,
    })
    await queue(bursar, {})
    await advance(bursar)
    assert.deepEqual(
      smtp.mails.map(({ isSecure, user }) => [isSecure, user]),
      [[true, 'bursar']],
    )
  })

  test('a certificate that nobody vouches for is not trusted', async t => {
    const { smtp, bursar } = await openWith(t, '', { hasTls: true })
    await queue(bursar, {})
    await advance(bursar)
    const [row] = await rows(bursar)
    assert.equal(row?.state, 'queued')
    assert.match(row?.failure ?? '', /certificate/)
    assert.equal(smtp.mails.length, 0)
  })

  test('a server without TLS is not told a password that wants it', async t => {
    const { smtp, bursar } = await openWith(t, '?requireTLS=true', { account: ACCOUNT })
    await queue(bursar, {})
    await advance(bursar)
    const [row] = await rows(bursar)
    assert.equal(row?.state, 'queued')
    assert.equal(smtp.logins, 0)
  })

  test('a wrong password is our fault, not the message’s: it waits until that is put right', async t => {
    const { smtp, bursar } = await openWith(t, '?requireTLS=true&tls.rejectUnauthorized=false', {
      account: ACCOUNT,
      urlPassword: 'wrong',
      hasTls: true,
    })
    await queue(bursar, {})
    await advance(bursar)
    const [row] = await rows(bursar)
    assert.deepEqual([row?.state, smtp.logins], ['queued', 1])
    assert.match(row?.failure ?? '', /^535 /)
  })

  test('neither addresses nor texts nor the words of a server are logged', async t => {
    const { smtp, bursar } = await openWith(t, '', {})
    await queue(bursar, {
      recipient: 'asha.secret@example.in',
      subject: 'Subject-secret',
      body: 'Body-secret',
    })
    await advance(bursar)
    smtp.behave({ refuse: { code: 550, words: '5.1.1 <asha.secret@example.in> words-secret' } })
    await queue(bursar, { recipient: 'asha.secret@example.in' })
    await advance(bursar)
    const lines = bursar.logText()
    assert.match(lines, /"channel":"email","tries":1,"state":"sent"/)
    assert.match(lines, /"channel":"email","tries":1,"state":"failed"/)
    assert.doesNotMatch(lines, /secret@|Subject-secret|Body-secret|words-secret/)
  })

  test('live without SMTP_URL warns at its start, and messages fail with the reason', async t => {
    const bursar = await startBursar(t)
    const lines: string[] = []
    const log = createLog({
      level: 'info',
      format: 'json',
      destination: { write: line => void lines.push(line) },
    })
    const mail = { smtpUrl: null, from: { name: 'Bursar', address: 'no-reply@pay.example.in' } }
    const { senders } = await createSenders(
      { mail },
      { ...bursar.app.ctx, mode: 'live' },
      { log, calls: new CallCounts() },
    )
    assert.match(lines.join(''), /"level":"warn".*SMTP_URL is not set/)
    await queue(bursar, {}, { channel: 'sms', recipient: '9876543210', subject: undefined })
    const ctx = { ...bursar.app.ctx, senders }
    await runUntilDone(sendMessages(ctx), new Slots({ size: 5, timeLimitMs: 60_000 }))
    assert.deepEqual(
      (await rows(bursar)).map(({ state, failure }) => [state, failure]),
      [
        ['failed', 'SMTP_URL is not set'],
        ['failed', 'no provider for SMS is set up'],
      ],
    )
  })

  test('a wrong SMTP_URL or MAIL_FROM refuses the start, and the password is not repeated', () => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ SMTP_URL: 'https://me:pass-word@mail.example' }, /SMTP_URL must be an address such as/],
      [{ SMTP_URL: 'mail.example:587' }, /SMTP_URL must be an address such as/],
      [{ SMTP_URL: 'smtp://me:pass-word@mail.example?logger=true' }, /unknown option logger/],
      [{ MAIL_FROM: 'School Fees' }, /MAIL_FROM must be an address/],
      [{ MAIL_FROM: 'a@x.in, b@x.in' }, /MAIL_FROM must be an address/],
    ]
    for (const [env, pattern] of wrong) {
      assert.throws(
        () => readConfig(env),
        (error: unknown) =>
          error instanceof ConfigError && pattern.test(error.message) && !error.message.includes('pass-word'),
        JSON.stringify(env),
      )
    }
    const { mail } = readConfig({
      SMTP_URL: 'smtps://me:x@mail.example',
      PUBLIC_URL: 'https://pay.example.in/x',
    })
    assert.deepEqual(mail.from, { name: 'Bursar', address: 'no-reply@pay.example.in' })
    assert.deepEqual(readConfig({ MAIL_FROM: '"School Fees" <fees@x.in>' }).mail.from, {
      name: 'School Fees',
      address: 'fees@x.in',
    })
  })
})
