import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { payOrder } from '../../../emulators/cashfree/orders.ts'
import { Client, type Answer } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { Visitor, type VisitorResponse } from '../../harness/visitor.ts'
import { CELLS, type School, type Stage } from './stage.ts'

/** A request that was not answered as it should be, and had to be sent again. */
export type Refusal = {
  school: School
  what: string
  /** 0: the connection ended without an answer. */
  status: number
  fromMs: number
  toMs: number
  text: string
}

type SignedEvent = { rawBody: Buffer; headers: Readonly<Record<string, string | string[] | undefined>> }

const AGAIN_MS = 100
/** Between two payments of a family: two cells share a machine with their tests. */
const REST_MS = 150
const PATIENCE_MS = 60_000
/** A payment that was begun by a process that died is gone on with when its lease is over; the payer does not wait. */
const STARTS = 40

/**
 * Families of one school, behind the proxy. Each orders by the API, pays on the hosted page or by the API, and looks
 * until the order is paid; whatever is not answered is sent again as it was.
 */
export class Families {
  readonly school: School
  /** Orders that were answered, and those of them whose payer was told that they are paid. */
  readonly ordered = new Set<string>()
  readonly paid = new Set<string>()
  readonly refusals: Refusal[] = []
  /**
   * Payers whose page of the sandbox's bank was gone: its PostgreSQL was killed before the page stood on disk, as for a
   * payment that never came to the bank.
   */
  readonly forgotten: Refusal[] = []
  readonly #stage: Stage
  readonly #client: Client
  #isOver = false
  readonly #work: Promise<unknown>

  constructor(stage: Stage, school: School, families: number) {
    this.school = school
    this.#stage = stage
    this.#client = new Client(stage.proxy.url, school.credentials)
    this.#work = Promise.all(Array.from({ length: families }, (_, family) => this.#live(family)))
    // Its failure is met by whoever stops it, or waits for its payments.
    this.#work.catch(() => {})
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  /** Ends when a family has given up. */
  async failure(): Promise<never> {
    await this.#work
    return new Promise(() => {})
  }

  async #live(family: number): Promise<void> {
    for (let no = 0; !this.#isOver; no++) {
      const key = { 'idempotency-key': `${this.school.code}-${family}-${no}` }
      const made = await this.#insist('order', () => this.#client.post(`${PAY}/orders`, sampleOrder(), key))
      assert.equal(made.status, 201, made.text)
      const { order_id: id, redirect_url: link } = made.body.data
      this.ordered.add(id)
      const isBySandbox = this.school.gateway === 'sandbox' && no % 2 === 0
      const isPaid = isBySandbox
        ? await this.#payByApi(id)
        : await this.#payOnPage(id, new URL(link).pathname)
      if (isPaid) {
        await this.#seePaid(id)
        this.paid.add(id)
      }
      await pause(REST_MS)
    }
  }

  async #payByApi(id: string): Promise<boolean> {
    const paid = await this.#insist('pay', () =>
      this.#client.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' }),
    )
    // 409: an earlier try was cut off on its way; whether it came to the bank is found out by asking the bank.
    assert.ok(paid.status < 300 || paid.status === 409, paid.text)
    return paid.status < 300
  }

  /** False: the payer went away, because a payment that was cut off kept the order. */
  async #payOnPage(id: string, path: string): Promise<boolean> {
    const payer = new Visitor(this.#stage.proxy.url)
    for (let starts = 0; starts < STARTS; starts++) {
      const bank = await this.#goToBank(payer, path)
      if (bank === null) return false
      if (this.school.gateway !== 'sandbox') {
        const event = await this.#payAtGateway(id)
        await this.#deliver(event)
        // A gateway that is not sure whether its call was heard calls again.
        if (this.ordered.size % 4 === 0) await this.#deliver(event)
        return true
      }
      const fromMs = performance.now()
      const { status, text } = await this.#insist('bank', () => payer.post(bank, { outcome: 'success' }))
      if (status !== 404) {
        assert.ok(status < 400, `${status} ${text}`)
        return true
      }
      this.forgotten.push({
        school: this.school,
        what: 'bank',
        status,
        fromMs,
        toMs: performance.now(),
        text,
      })
    }
    return assert.fail(`${path} of ${this.school.code} leads again and again to a page that is gone`)
  }

  /** The bank's page for the payment; null while a payment that was cut off keeps the order. */
  async #goToBank(payer: Visitor, path: string): Promise<string | null> {
    let start: VisitorResponse | null = null
    for (let tries = 0; tries < STARTS && !isAtBank(start); tries++) {
      if (start !== null) await pause(AGAIN_MS)
      start = await this.#insist('start', () => payer.post(`${path}/start`, { mode: 'upi' }))
      assert.ok(start.status < 400 || start.status === 409, `${start.status} ${start.text}`)
    }
    const bank = start?.location ?? ''
    return isAtBank(start) ? bank : null
  }

  async #payAtGateway(orderId: string): Promise<SignedEvent> {
    const { razorpay, cashfree } = this.#stage
    const ref = await this.#findReference(orderId)
    if (this.school.gateway === 'razorpay') {
      const payment = razorpay.pay(ref)
      return razorpay.event('payment_link.paid', { payment_link: razorpay.links.get(ref), payment })
    }
    payOrder(cashfree.books, ref)
    const event = cashfree.books.outbox.findLast(({ rawBody }) => rawBody.includes(ref))
    return event ?? assert.fail('Cashfree reports nothing')
  }

  /**
   * What the gateway calls the payment that is under way, as the payer reads it in the address. The gateway's own books are
   * asked: a PostgreSQL that is killed may lose the reference that Bursar noted, which is as if the gateway's answer had
   * been lost.
   */
  async #findReference(orderId: string): Promise<string> {
    for (const untilMs = performance.now() + PATIENCE_MS; performance.now() < untilMs; await pause(AGAIN_MS))
      for (const name of CELLS) {
        const rows = await this.#stage.cells[name].postgres
          .sql<{ id: string }>(
            'select id from payments where institute_id = $1 and order_id = $2 order by created_at desc',
            [this.school.id, orderId],
          )
          .catch(() => [])
        const [known] = rows.flatMap(({ id }) => this.#referenceOf(id) ?? [])
        if (known !== undefined) return known
      }
    return assert.fail(`no payment of ${orderId} is known to a gateway`)
  }

  #referenceOf(paymentId: string): string | undefined {
    const { razorpay, cashfree } = this.#stage
    if (this.school.gateway === 'razorpay')
      return [...razorpay.links.values()].find(link => link.reference_id === paymentId)?.id
    const orders = [...cashfree.books.orders.values()]
    return orders.find(order => order.order_tags['payment_id'] === paymentId)?.order_id
  }

  async #deliver({ rawBody, headers }: SignedEvent): Promise<void> {
    const { url } = this.#stage.proxy
    const answer = await this.#insist('callback', async () => {
      const response = await fetch(`${url}${this.school.callbackPath}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
        body: new Uint8Array(rawBody),
      })
      return { status: response.status, text: await response.text() }
    })
    assert.equal(answer.status, 200, answer.text)
  }

  async #seePaid(id: string): Promise<void> {
    for (
      const untilMs = performance.now() + PATIENCE_MS;
      performance.now() < untilMs;
      await pause(AGAIN_MS)
    ) {
      const { status, text, body } = await this.#insist('look', () => this.#client.get(`${PAY}/orders/${id}`))
      assert.equal(status, 200, text)
      if (body.data.status === 'paid') return
    }
    assert.fail(`${id} of ${this.school.code} was paid and does not become so`)
  }

  async #insist<One extends Pick<Answer, 'status' | 'text'>>(
    what: string,
    send: () => Promise<One>,
  ): Promise<One> {
    const untilMs = performance.now() + PATIENCE_MS
    for (;;) {
      const fromMs = performance.now()
      const answer = await send().catch((error: unknown) => ({ status: 0, text: sayWhy(error), error }))
      const isRunning = answer.text.includes('IDE00001')
      if (!('error' in answer) && answer.status < 500 && !isRunning) return answer
      const { status, text } = answer
      const toMs = performance.now()
      if (!isRunning) this.refusals.push({ school: this.school, what, status, fromMs, toMs, text })
      if (toMs > untilMs) assert.fail(`${what} of ${this.school.code} is not answered: ${status} ${text}`)
      await pause(AGAIN_MS)
    }
  }
}

/** Also what ended the connection, which fetch keeps to itself. */
function sayWhy(error: unknown): string {
  const { cause } = error as Error
  return cause instanceof Error ? `${String(error)}: ${cause.message}` : String(error)
}

/** Where a payer is sent who may pay; the order's own page is where one waits. */
function isAtBank(seen: VisitorResponse | null): boolean {
  const { location = null } = seen ?? {}
  return location !== null && !/\/pay\/[^/]+\/order_\w+/.test(location)
}
