import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, DEMO, type Answer } from './client.ts'
import { PAY, sampleOrder } from './samples.ts'

const PAYERS = 6

/** What a careful client does: the same request under its key until it is answered. */
export async function insist(
  send: () => Promise<Answer>,
  failures: number[],
  isUnseen = (_answer: Answer): boolean => false,
): Promise<Answer> {
  for (let left = 600; left > 0; left--) {
    const answer = await send()
    // A first try with this key may still be running.
    const isRunning = answer.body.code === 'IDE00001'
    const isEarly = isRunning || isUnseen(answer)
    if (answer.status < 500 && !isEarly) return answer
    failures.push(Date.now())
    assert.ok(answer.status === 503 || isEarly, `${answer.status} ${answer.text}`)
    await pause(100)
  }
  throw new Error('no answer within a minute')
}

/** Families who pay one order after the other until they are told to stop. */
export class Payers {
  readonly paid = new Set<string>()
  readonly failures: number[] = []
  readonly #url: string
  readonly #isUnseen: (answer: Answer) => boolean
  #isOver = false
  #work: Promise<unknown> | null = null

  /** `seesLate`: what was answered may be there only a while later, and no longer than a minute. */
  constructor(url: string, { seesLate = false } = {}) {
    this.#url = url
    this.#isUnseen = ({ status }) => seesLate && status === 404
  }

  start(): void {
    this.#work = Promise.all(Array.from({ length: PAYERS }, (_, no) => this.#pay(no)))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  async #pay(payer: number): Promise<void> {
    const demo = new Client(this.#url, DEMO)
    for (let no = 0; !this.#isOver; no++) {
      const key = { 'idempotency-key': `order-${payer}-${no}` }
      const order = await insist(() => demo.send('POST', `${PAY}/orders`, sampleOrder(), key), this.failures)
      assert.equal(order.status, 201, order.text)
      const id = order.body.data.order_id
      const paid = await insist(
        () => demo.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' }),
        this.failures,
        this.#isUnseen,
      )
      // 409: the first try has begun, and its payer never came to the bank: it is given up after ten minutes.
      assert.ok(paid.status < 300 || paid.status === 409, paid.text)
      if (paid.status === 409) continue
      this.paid.add(id)
    }
  }
}
