import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client, Json } from '../harness/client.ts'
import { assertRefused, assertStatus, openContract } from '../http/support.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { readPdf } from '../receipts/read-pdf.ts'
import { advance, queue } from './support.ts'

const contract = await openContract()
const { demo, group } = contract
const MAILBOX = '/api/v1/sandbox/mailbox'

async function read(query: Record<string, string> = {}, client: Client = demo): Promise<Json> {
  const answer = await client.get(`${MAILBOX}?${new URLSearchParams(query)}`)
  assertStatus(answer, 200)
  return answer.body
}

async function texts(query: Record<string, string> = {}, client: Client = demo): Promise<string[]> {
  return (await read(query, client)).data.map((message: Json) => message.text)
}

test('the mailbox is empty until something is sent', async () => {
  assert.deepEqual(await read(), { status: 'success', data: [], has_more: false })
})

test('every channel of a sandbox lands in the mailbox without any provider', async () => {
  await queue(
    contract,
    { recipient: 'shape@school.example', subject: 'Hello', body: 'By mail.\nLine 2' },
    { channel: 'sms', recipient: '9876543210', subject: undefined, body: 'By SMS.' },
    { channel: 'whatsapp', recipient: '+91 98765 43211', subject: undefined, body: 'By WhatsApp.' },
  )
  assert.equal((await advance(contract, 'P3D'))['messages_sent'], 3)
  const [mail] = (await read({ to: 'shape@school.example' })).data
  assert.deepEqual(Object.keys(mail), ['id', 'channel', 'to', 'subject', 'text', 'sent_at'])
  assert.match(mail.id, /^msg_/)
  assert.deepEqual(
    [mail.channel, mail.to, mail.subject, mail.text],
    ['email', 'shape@school.example', 'Hello', 'By mail.\nLine 2'],
  )
  const now = contract.app.ctx.clock.now().getTime()
  assert.ok(
    Math.abs(Date.parse(mail.sent_at) - now) < 60_000,
    `sent at ${mail.sent_at} of the sandbox's clock`,
  )
  const [sms] = (await read({ to: '9876543210' })).data
  assert.deepEqual([sms.channel, 'subject' in sms], ['sms', false])
  assert.deepEqual(await texts({ to: '+91 98765 43211' }), ['By WhatsApp.'])
})

test('to names one recipient, whatever the case of the letters', async () => {
  await queue(
    contract,
    { recipient: 'Case@School.example', body: 'mine' },
    { recipient: 'xcase@school.example' },
  )
  await advance(contract)
  assert.deepEqual(await texts({ to: 'case@school.EXAMPLE' }), ['mine'])
  assert.deepEqual(await texts({ to: '%@school.example' }), [])
  assertRefused(await demo.get(`${MAILBOX}?to=a%00b`), 'HUE00000', 'to')
})

test('a message that is not sent yet is not in the mailbox', async () => {
  const tomorrow = new Date(contract.app.ctx.clock.now().getTime() + 86_400_000)
  await queue(contract, { recipient: 'later@school.example', at: tomorrow })
  await advance(contract)
  assert.deepEqual(await texts({ to: 'later@school.example' }), [])
  await advance(contract, 'P1D')
  assert.equal((await texts({ to: 'later@school.example' })).length, 1)
})

test("another institute's messages are not in the mailbox, nor can its cursor be used", async () => {
  const recipient = 'both@school.example'
  await queue(
    contract,
    { recipient, body: 'to demo' },
    { recipient, body: 'to group', institute: 'demo-group' },
    { recipient, body: 'to group again', institute: 'demo-group' },
  )
  await advance(contract)
  assert.deepEqual(await texts({ to: recipient }), ['to demo'])
  assert.deepEqual((await texts({}, group)).toSorted(), ['to group', 'to group again'])
  const { next_cursor: theirs } = await read({ limit: '1' }, group)
  assertRefused(await demo.get(`${MAILBOX}?cursor=${theirs}`), 'HUE00000', 'cursor')
})

test('pages follow each other newest first, without a gap and without a repeat', async () => {
  const recipient = 'pages@school.example'
  for (let no = 0; no < 7; no++) {
    await queue(contract, { recipient, body: `message ${no}` })
    await advance(contract, no % 2 === 0 ? 'PT1S' : 'PT0S')
  }
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const body = await read({ to: recipient, limit: '3', ...(cursor === undefined ? {} : { cursor }) })
    seen.push(...body.data.map((message: Json) => message.text))
    cursor = body.next_cursor
    assert.equal(body.has_more, cursor !== undefined)
  } while (cursor !== undefined)
  assert.deepEqual(
    seen,
    Array.from({ length: 7 }, (_, no) => `message ${6 - no}`),
  )
  assertRefused(await demo.get(`${MAILBOX}?limit=0`), 'HUE00000', 'limit')
  assertRefused(await demo.get(`${MAILBOX}?cursor=msg_nobodys`), 'HUE00000', 'cursor')
})

test('a receipt for the mailbox is printed for who opens it there, not when the mail is sent', async () => {
  const { ctx } = contract.app
  const { readAttachment } = ctx
  const made: boolean[] = []
  Object.assign(ctx, {
    readAttachment: (of: Parameters<typeof readAttachment>[0]) => {
      made.push(of.isMailed)
      return readAttachment(of)
    },
  })
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder({ email: 'opens@example.in' }))
  await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  await advance(contract, 'PT1M')
  const [mail] = (await read({ to: 'opens@example.in' })).data
  assert.equal(mail.subject.includes('received'), true, mail.subject)
  assert.deepEqual(made, [])
  const page = await (await fetch(`${contract.url}/sandbox/mailbox?to=opens@example.in`)).text()
  const address = /href="(\/sandbox\/mailbox\/\d+\/msg_\w+\/attachment)"/.exec(page)?.[1] ?? ''
  const file = await fetch(contract.url + address)
  assert.equal(file.headers.get('content-type'), 'application/pdf')
  assert.match(readPdf(Buffer.from(await file.arrayBuffer())).text, /Fee receipt/)
  assert.deepEqual(made, [false])
  Object.assign(ctx, { readAttachment })
})

test('a mail whose file could not be made is tried again and leaves with it; none leaves without its file', async () => {
  const { ctx } = contract.app
  const { readAttachment, senders } = ctx
  const { email } = senders
  const files: (string | undefined)[] = []
  const carrying = {
    carriesFiles: true,
    send(letter: Parameters<typeof email.send>[0]) {
      files.push(letter.attached?.filename)
      return email.send(letter)
    },
  }
  const answers: (() => null)[] = [
    () => {
      throw new Error('a helper process was ended: time')
    },
  ]
  Object.assign(ctx, {
    senders: { ...senders, email: carrying },
    readAttachment: async (of: Parameters<typeof readAttachment>[0]) => {
      const other = answers.shift()
      return other === undefined ? readAttachment(of) : other()
    },
  })
  const pay = async (address: string): Promise<void> => {
    const { body } = await demo.post(`${PAY}/orders`, sampleOrder({ email: address }))
    await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
    await advance(contract, 'PT1M')
  }
  const stateOf = async (address: string): Promise<string | undefined> =>
    (await contract.sql<{ state: string }>('select state from messages where recipient = $1', [address]))[0]
      ?.state
  await pay('again@example.in')
  await advance(contract, 'PT1H')
  assert.equal(await stateOf('again@example.in'), 'sent')
  assert.deepEqual(files.length, 1)
  assert.match(files[0] ?? '', /^receipt-pay_\w+\.pdf$/)
  answers.push(() => null)
  await pay('nothing@example.in')
  assert.equal(await stateOf('nothing@example.in'), 'failed')
  assert.deepEqual(files.length, 1)
  Object.assign(ctx, { readAttachment, senders })
})
