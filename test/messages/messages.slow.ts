import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { startBursar, TEST_MASTER_KEY, type TestBursar } from '../harness/bursar.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { startFakeSmtp, type FakeSmtp } from '../harness/fakes/smtp.ts'
import { NOBODY } from '../harness/nobody.ts'
import { waitFor } from '../harness/wait.ts'
import { advance, queue, rows, timeOutAfter } from './support.ts'
import { bareEnv } from '../harness/processes/child-env.ts'

const FROM = 'School Fees <fees@bursar.example>'

async function open(t: TestContext, timeoutMs = 10_000): Promise<{ smtp: FakeSmtp; bursar: TestBursar }> {
  const smtp = await startFakeSmtp(t)
  const bursar = await startBursar(t, { SMTP_URL: `${smtp.url}${timeOutAfter(timeoutMs)}`, MAIL_FROM: FROM })
  return { smtp, bursar }
}

const HOUR_MS = 3_600_000
const INDIA_MS = 5.5 * HOUR_MS

/** How far it is to an hour in India, and so much more. */
function untilHour({ app }: TestBursar, hour: number, moreMs: number): string {
  const sinceMidnight = (app.ctx.clock.now().getTime() + INDIA_MS) % (24 * HOUR_MS)
  const ms = (hour * HOUR_MS + moreMs - sinceMidnight + 24 * HOUR_MS) % (24 * HOUR_MS)
  return `PT${Math.floor(ms / 1_000)}S`
}

describe('messages', { concurrency: 3 }, () => {
  test('the mail that tells of a payment brings its receipt as a PDF', async t => {
    const { smtp, bursar } = await open(t)
    const { body } = await bursar.demo.post(`${PAY}/orders`, sampleOrder({ email: 'pdf@example.in' }))
    await bursar.demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
    await advance(bursar)
    const mail = smtp.mails.find(({ to }) => to.includes('pdf@example.in'))
    assert.match(mail?.headers['content-type'] ?? '', /^multipart\/mixed/)
    assert.match(mail?.text ?? '', /application\/pdf[\s\S]*JVBERi0/)
  })

  test('an e-mail arrives as it was written, from MAIL_FROM, to its recipient alone', async t => {
    const { smtp, bursar } = await open(t)
    const [subject, body] = [
      'शुल्क: ₹1,23,456.50 due',
      'नमस्ते Asha,\n\n.a line that begins with a dot\nhttps://x.in/?a=b\n',
    ]
    await queue(bursar, { recipient: 'asha@example.in', subject, body })
    assert.equal((await advance(bursar))['messages_sent'], 1)
    const [mail] = smtp.mails
    assert.deepEqual([mail?.from, mail?.to], ['fees@bursar.example', ['asha@example.in']])
    assert.equal(mail?.headers['from'], FROM)
    assert.equal(mail?.headers['to'], 'asha@example.in')
    assert.equal(mail?.headers['subject'], subject)
    assert.equal(mail?.text.trimEnd(), body.trimEnd())
    const [row] = await bursar.sql<{ id: string }>('select id from messages')
    assert.equal(mail?.headers['message-id'], `<${row?.id}@bursar.example>`)
    assert.equal((await advance(bursar, 'P7D'))['messages_sent'], 0)
    assert.equal(smtp.mails.length, 1)
  })

  test('one that is refused for now is tried again a minute later and then arrives', async t => {
    const { smtp, bursar } = await open(t)
    smtp.behave({ refuse: { code: 451, words: '4.7.1 greylisted' } })
    await queue(bursar, {})
    await advance(bursar)
    const [waiting] = await rows(bursar)
    assert.deepEqual([waiting?.state, waiting?.tries], ['queued', 1])
    assert.match(waiting?.failure ?? '', /^451 4\.7\.1 greylisted/)
    smtp.behave('accept')
    assert.equal((await advance(bursar, 'PT50S'))['messages_sent'], 0)
    await advance(bursar, 'PT10S')
    assert.deepEqual(await rows(bursar), [
      { recipient: 'it@school.example', state: 'sent', tries: 2, failure: null },
    ])
    assert.equal(smtp.mails.length, 1)
  })

  test('a reminder that could not go in the evening waits for nine in the morning; anything else is tried at night', async t => {
    const { smtp, bursar } = await open(t)
    // The sandbox's clock goes on while the test does its work, so each moment has most of a minute to spare.
    await advance(bursar, untilHour(bursar, 20, -50_000))
    smtp.behave({ refuse: { code: 451, words: '4.7.1 greylisted' } })
    await queue(bursar, { subject: 'Reminder', inWakingHours: true }, { subject: 'Notice' })
    await advance(bursar)
    smtp.behave('accept')
    const subjects = (): unknown[] => smtp.mails.map(({ headers }) => headers['subject'])
    await advance(bursar, 'PT2M')
    assert.deepEqual(subjects(), ['Notice'])
    await advance(bursar, untilHour(bursar, 9, -50_000))
    assert.deepEqual(subjects(), ['Notice'])
    await advance(bursar, 'PT1M')
    assert.deepEqual(subjects(), ['Notice', 'Reminder'])
    assert.deepEqual(
      (await rows(bursar)).map(({ state, tries }) => [state, tries]),
      [
        ['sent', 2],
        ['sent', 2],
      ],
    )
  })

  test('one that is refused for good has failed, with the words of the server, and is not tried again', async t => {
    const { smtp, bursar } = await open(t)
    smtp.behave({ refuse: { code: 550, words: '5.1.1 no such user' } })
    await queue(bursar, {})
    await advance(bursar)
    const [failed] = await rows(bursar)
    assert.deepEqual([failed?.state, failed?.tries], ['failed', 1])
    assert.match(failed?.failure ?? '', /^550 5\.1\.1 no such user/)
    smtp.behave('accept')
    await advance(bursar, 'P7D')
    assert.equal(smtp.mails.length, 0)
  })

  test('of two recipients one that is refused keeps nothing from the other', async t => {
    const { smtp, bursar } = await open(t)
    smtp.behave({ refuse: { code: 550, words: '5.1.1 no such user', recipient: 'gone@school.example' } })
    await queue(bursar, { recipient: 'gone@school.example' }, { recipient: 'here@school.example' })
    await advance(bursar)
    assert.deepEqual(
      (await rows(bursar)).map(({ recipient, state }) => [recipient, state]),
      [
        ['gone@school.example', 'failed'],
        ['here@school.example', 'sent'],
      ],
    )
    assert.deepEqual(
      smtp.mails.map(mail => mail.to),
      [['here@school.example']],
    )
  })

  test('a server that is away for good fails a message after 1 min, 5 min, 30 min, 2 h and 6 h', async t => {
    const bursar = await startBursar(t, { SMTP_URL: `smtp://${NOBODY}`, MAIL_FROM: FROM })
    await queue(bursar, {})
    const steps = ['PT0S', 'PT1M', 'PT5M', 'PT30M', 'PT2H', 'PT6H']
    for (const [index, step] of steps.entries()) {
      await advance(bursar, step)
      const [row] = await rows(bursar)
      assert.deepEqual([row?.tries, row?.state], [index + 1, index === 5 ? 'failed' : 'queued'])
      assert.match(row?.failure ?? '', /ECONNREFUSED/)
    }
  })

  for (const behaviour of ['hang', 'busy'] as const) {
    test(`a server that is ${behaviour === 'hang' ? 'silent' : 'busy'} costs one time-out, however many messages wait, and all arrive once it is well`, async t => {
      const { smtp, bursar } = await open(t, behaviour === 'hang' ? 1_500 : 10_000)
      smtp.behave(behaviour)
      const recipients = Array.from({ length: 40 }, (_, no) => `p${no}@school.example`)
      await queue(bursar, ...recipients.map(recipient => ({ recipient })))
      const began = performance.now()
      await advance(bursar)
      assert.ok(performance.now() - began < 15_000, 'the worker was held up by more than one time-out')
      const tried = (await rows(bursar)).filter(row => row.tries > 0)
      assert.ok(tried.length > 0 && tried.length <= 5, `${tried.length} were tried`)
      assert.ok((await rows(bursar)).every(row => row.state === 'queued'))
      smtp.behave('accept')
      await advance(bursar, 'PT1M')
      assert.deepEqual(smtp.mails.flatMap(mail => mail.to).toSorted(), recipients.toSorted())
    })
  }

  test('one whose connection breaks in the middle is sent again under the same Message-ID', async t => {
    const { smtp, bursar } = await open(t)
    smtp.behave('drop-mid-data')
    await queue(bursar, { body: 'x'.repeat(300_000) })
    await advance(bursar)
    const [waiting] = await rows(bursar)
    assert.deepEqual([waiting?.state, waiting?.tries], ['queued', 1])
    smtp.behave('accept')
    await advance(bursar, 'PT1M')
    assert.equal(smtp.mails.at(-1)?.text.trimEnd().length, 300_000)
    assert.equal((await rows(bursar))[0]?.state, 'sent')
    const [row] = await bursar.sql<{ id: string }>('select id from messages')
    for (const mail of smtp.mails) assert.match(mail.headers['message-id'] ?? '', new RegExp(`^<${row?.id}@`))
  })

  test('one whose process dies before it is marked is sent again under the same Message-ID', async t => {
    const smtp = await startFakeSmtp(t)
    const bursar = await startBursar(t, { SMTP_URL: smtp.url })
    smtp.behave('hold')
    await queue(bursar, {})
    const child = spawn(process.execPath, ['src/app/main.ts'], {
      cwd: join(import.meta.dirname, '..', '..'),
      env: {
        ...bareEnv(),
        BURSAR_ROLE: 'worker',
        WORKER_PORT: '0',
        DATABASE_URL: bursar.app.config.databaseUrl ?? '',
        MASTER_KEY: TEST_MASTER_KEY,
        SMTP_URL: smtp.url,
      },
      stdio: 'ignore',
    })
    const exit = once(child, 'close')
    await smtp.waitForMails(1)
    child.kill('SIGKILL')
    await exit
    smtp.release()
    // As long as the dead one may still be at it, nobody else is.
    assert.equal((await bursar.app.worker.runAllDue())['messages_sent'], 0)
    await bursar.sql('update messages set held_until = now()')
    await advance(bursar)
    assert.equal(smtp.mails.length, 2)
    assert.equal(smtp.mails[0]?.headers['message-id'], smtp.mails[1]?.headers['message-id'])
    assert.deepEqual(
      (await rows(bursar)).map(({ state, tries }) => [state, tries]),
      [['sent', 2]],
    )
  })

  test('a clock that is moved while a message is being sent does not send it twice', async t => {
    const smtp = await startFakeSmtp(t)
    const bursar = await startBursar(t, { SMTP_URL: smtp.url })
    smtp.behave('hold')
    await queue(bursar, {})
    const sending = bursar.app.worker.runAllDue()
    await smtp.waitForMails(1)
    const before = bursar.app.ctx.clock.now().getTime()
    const moving = advance(bursar, 'P1D')
    await waitFor(
      async () => bursar.app.ctx.clock.now().getTime() > before + 86_000_000,
      'the clock to be moved',
    )
    assert.equal((await bursar.app.worker.runAllDue())['messages_sent'], 0)
    smtp.release()
    await Promise.all([sending, moving])
    assert.equal(smtp.mails.length, 1)
    assert.deepEqual(
      (await rows(bursar)).map(({ state, tries }) => [state, tries]),
      [['sent', 1]],
    )
  })

  test('several workers send each message once', async t => {
    const { smtp, bursar } = await open(t)
    const recipients = Array.from({ length: 60 }, (_, no) => `p${no}@school.example`)
    await queue(bursar, ...recipients.map(recipient => ({ recipient })))
    await Promise.all(Array.from({ length: 4 }, () => bursar.app.worker.runAllDue()))
    assert.deepEqual(smtp.mails.flatMap(mail => mail.to).toSorted(), recipients.toSorted())
    assert.ok(smtp.connections <= 5, `${smtp.connections} connections`)
  })
})
