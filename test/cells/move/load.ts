import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type Answer, type Credentials } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'

/** Families of one school who order and pay until they are told to stop, each request under its key until it is answered. */
export class Load {
  readonly paid = new Set<string>()
  /** Ordered, and a payment was begun that nobody finished. */
  readonly begun = new Set<string>()
  /** Moments at which a request was told to come again. */
  readonly refusals: number[] = []
  readonly #client: Client
  readonly #name: string
  #isOver = false
  #work: Promise<unknown>

  constructor(url: string, credentials: Credentials, name: string, families = 3) {
    this.#client = new Client(url, credentials)
    this.#name = name
    this.#work = Promise.all(Array.from({ length: families }, (_, family) => this.#pay(family)))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  /** From the first refusal to the last, in ms. */
  get pausedMs(): number {
    const [first = 0] = this.refusals
    return (this.refusals.at(-1) ?? first) - first
  }

  async #pay(family: number): Promise<void> {
    for (let no = 0; !this.#isOver; no++) {
      const key = { 'idempotency-key': `${this.#name}-${family}-${no}` }
      const order = await this.#insist(() => this.#client.post(`${PAY}/orders`, sampleOrder(), key))
      assert.equal(order.status, 201, order.text)
      const id: string = order.body.data.order_id
      const paid = await this.#insist(() =>
        this.#client.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' }),
      )
      // 409: an earlier try has begun and was cut off before its payer came to the bank; it is given up after a while.
      assert.ok(paid.status < 300 || paid.status === 409, paid.text)
      if (paid.status < 300) this.paid.add(id)
      else this.begun.add(id)
    }
  }

  async #insist(send: () => Promise<Answer>): Promise<Answer> {
    for (let left = 600; left > 0; left--) {
      const answer = await send()
      const isRunning = answer.body.code === 'IDE00001'
      if (answer.status !== 503 && !isRunning) return answer
      if (!isRunning) {
        this.refusals.push(performance.now())
        assert.equal(answer.headers.get('retry-after'), '2', answer.text)
      }
      await pause(20)
    }
    throw new Error('no answer in all this time')
  }
}
