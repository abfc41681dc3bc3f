import assert from 'node:assert/strict'
import type pg from 'pg'
import { assertAnswer } from '../../console/support.ts'
import { SCHOOL, StudentDesk } from '../../console/students/support.ts'
import type { Json } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'

const SETUP = `${SCHOOL}/settlement-accounts`

/** Demo School with a bank account for its hostel and one for its buses, beside that of its provider. */
export class SplitDesk {
  readonly desk: StudentDesk
  readonly hostel: string
  readonly buses: string

  private constructor(desk: StudentDesk, accounts: { hostel: string; buses: string }) {
    this.desk = desk
    this.hostel = accounts.hostel
    this.buses = accounts.buses
  }

  static async open(
    after: Parameters<typeof StudentDesk.open>[0],
    env: Record<string, string> = {},
  ): Promise<SplitDesk> {
    const desk = await StudentDesk.open(after, env)
    const open = async (name: string): Promise<string> => {
      const answer = await desk.finance.post(`${SCHOOL}/bank-accounts`, { name })
      assertAnswer(answer, '201')
      return answer.body.data.id
    }
    return new SplitDesk(desk, { hostel: await open('Hostel 7781'), buses: await open('Buses 9902') })
  }

  sql<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]> {
    return this.desk.bursar.sql<Row>(text, values)
  }

  link(bank_account_id: string, linked_id: string, account_id = 'sandbox') {
    return this.desk.finance.send('PUT', SETUP, { bank_account_id, account_id, linked_id })
  }

  name(components: Record<string, string>) {
    return this.desk.finance.send('PUT', `${SETUP}/components`, {
      components: Object.entries(components).map(([component_type, bank_account_id]) => ({
        component_type,
        bank_account_id,
      })),
      reason: 'Each has its own account',
    })
  }

  async setup(): Promise<Json> {
    const answer = await this.desk.finance.get(SETUP)
    assertAnswer(answer, '200')
    return answer.body.data
  }

  /** Hostel and bus fees go to their own accounts. */
  async split(): Promise<void> {
    assertAnswer(await this.link(this.hostel, 'acc_hostel'), '200')
    assertAnswer(await this.link(this.buses, 'acc_buses'), '200')
    assertAnswer(await this.name({ HOSTEL_FEE: this.hostel, BUS_FEE: this.buses }), '200')
  }

  async order(amounts: Record<string, number>, more: Json = {}): Promise<string> {
    const { demo } = this.desk.bursar
    const answer = await demo.post(`${PAY}/orders`, sampleOrder({ details: linesOf(amounts), ...more }))
    assert.equal(answer.status, 201, answer.text)
    return answer.body.data.order_id
  }

  async pay(orderId: string, mode = 'upi'): Promise<void> {
    const paid = await this.desk.bursar.demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, {
      outcome: 'success',
      mode,
    })
    assert.equal(paid.status, 200, paid.text)
  }

  async settle(): Promise<void> {
    const answer = await this.desk.bursar.demo.post('/api/v1/sandbox/settlements/run')
    assert.equal(answer.status, 200, answer.text)
  }

  async read(orderId: string): Promise<Json> {
    return (await this.desk.bursar.demo.get(`${PAY}/orders/${orderId}`)).body.data
  }

  async settlements(): Promise<Json[]> {
    return (await this.desk.bursar.demo.get(`${PAY}/settlements`)).body.data
  }
}

export const linesOf = (amounts: Record<string, number>): Json[] =>
  Object.entries(amounts).map(([component_type, amount]) => ({ component_type, amount }))
