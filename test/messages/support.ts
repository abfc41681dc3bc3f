import assert from 'node:assert/strict'
import type { NewMessage } from '../../src/messages/messages.rules.ts'
import { queueMessages } from '../../src/messages/messages.service.ts'
import type { TestBursar } from '../harness/bursar.ts'

export const CLOCK = '/api/v1/sandbox/clock'

/** An account at Exotel, without its address. */
export const SMS_ACCOUNT = {
  SMS_API_KEY: 'key-1',
  SMS_API_TOKEN: 'token',
  SMS_ACCOUNT_SID: 'school1',
  SMS_SENDER_ID: 'SCHFEE',
  SMS_ENTITY_ID: '1101000000000000001',
  SMS_TEMPLATE_ID: '1107000000000000042',
}

/** How long to wait for a mail server, as its address says it. */
export const timeOutAfter = (ms: number): string =>
  `?connectionTimeout=${ms}&greetingTimeout=${ms}&socketTimeout=${ms}`

type Bursar = Pick<TestBursar, 'app' | 'demo' | 'sql'>

/** Demo School's, unless it is said otherwise. */
export async function queue(
  { app: { ctx }, sql }: Bursar,
  ...messages: Partial<NewMessage & { institute: string }>[]
): Promise<void> {
  const institutes = await sql<{ id: number; code: string }>('select id, code from institutes')
  const idOf = (code: string): number => institutes.find(each => each.code === code)?.id ?? 0
  await ctx.db.transaction(tx =>
    queueMessages(
      tx,
      messages.map(({ institute = 'demo-school', ...message }) => ({
        instituteId: idOf(institute),
        channel: 'email',
        recipient: 'it@school.example',
        subject: 'Deliveries are failing',
        body: 'Three attempts have failed.',
        about: 'wh_1',
        at: ctx.clock.now(),
        ...message,
      })),
    ),
  )
}

/** Everything that is due when the clock has been moved so far has been done. */
export async function advance({ demo }: Bursar, duration = 'PT0S'): Promise<Record<string, number>> {
  const answer = await demo.post(CLOCK, { advance: duration })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.summary
}

export type Row = { recipient: string; state: string; tries: number; failure: string | null }

export async function rows({ sql }: Bursar): Promise<Row[]> {
  return sql<Row>('select recipient, state, tries, failure from messages order by id')
}
