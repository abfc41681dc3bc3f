import assert from 'node:assert/strict'
import type { SandboxLender } from '../../src/sandbox/lender/lender.service.ts'
import { pageKey } from '../../src/loans/loan.schemas.ts'
import type { Provider, TransferPort } from '../../src/providers/port.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import type { Answer, Json } from '../harness/client.ts'
import { registerStudent } from '../students/support.ts'

export const CRED = '/api/v1/integrations/cred'
export const LOANS = '/api/v1/sandbox/loans'

export const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 50_000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 10_000 },
]

/** A school whose students owe ₹60,000, a lender and a bank. */
export class LoanWorld {
  readonly bursar: TestBursar
  /** The sandbox's lender and the bank's door for transfers, to be disturbed. */
  readonly lender: SandboxLender
  readonly transfers: TransferPort
  #students = 0

  private constructor(bursar: TestBursar) {
    this.bursar = bursar
    const { sandboxLender, accounts } = bursar.app.ctx
    this.lender = sandboxLender as SandboxLender
    const { transfers } = accounts.installation.get('sandbox') as Provider
    assert.ok(transfers)
    this.transfers = transfers
  }

  static async open(owner: Parameters<typeof startBursar>[0]): Promise<LoanWorld> {
    return new LoanWorld(await startBursar(owner))
  }

  student(fees: Json[] = FEES): Promise<string> {
    return registerStudent(
      this.bursar.demo,
      { identifier: `LOAN-${++this.#students}` },
      { fee_components: fees },
    )
  }

  async start(studentId: string, amount?: number): Promise<string> {
    const answer = await this.bursar.demo.post(`${CRED}/students/${studentId}/applications`, { amount })
    assert.equal(answer.status, 201, answer.text)
    return answer.body.data.application_id
  }

  post(id: string, verb: string, body?: Json): Promise<Answer> {
    return this.bursar.demo.post(`${LOANS}/${id}/${verb}`, body)
  }

  /** Does what the family does on the application's page, which it opened by its own link. */
  form(id: string, act: string, fields: Record<string, string>): Promise<Response> {
    const { url, app } = this.bursar
    return fetch(`${url}/cred/demo-school/${id}/${act}?key=${pageKey(app.ctx.vault, id)}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  }

  /** The page as the family sees it. */
  async page(id: string): Promise<string> {
    const { url, app } = this.bursar
    return (await fetch(`${url}/cred/demo-school/${id}?key=${pageKey(app.ctx.vault, id)}`)).text()
  }

  async act(id: string, ...verbs: string[]): Promise<Json> {
    let data: Json
    for (const verb of verbs) data = await this.must(this.post(id, verb))
    return data
  }

  read(id: string): Promise<Json> {
    return this.must(this.bursar.demo.get(`${CRED}/applications/${id}`))
  }

  async advance(duration: string): Promise<void> {
    await this.must(this.bursar.demo.post('/api/v1/sandbox/clock', { advance: duration }))
  }

  settle(): Promise<Json> {
    return this.must(this.bursar.demo.post('/api/v1/sandbox/settlements/run'))
  }

  async summary(studentId: string): Promise<Json> {
    const path = `/api/v1/integrations/erp/students/${studentId}`
    return (await this.must(this.bursar.demo.get(path))).fee_summary
  }

  /** The event codes of a loan, in order. */
  async told(id: string): Promise<string[]> {
    const rows = await this.bursar.sql<{ event_code: string }>(
      'select event_code from events where resource_id = $1 order by sequence',
      [id],
    )
    return rows.map(row => row.event_code.replace('cred.', ''))
  }

  /** Another way for a door of the lender or the bank, until it is put back. */
  disturb<Door extends object, Name extends keyof Door>(
    door: Door,
    name: Name,
    otherwise: (usual: Door[Name]) => Door[Name],
  ): () => void {
    const usual = door[name]
    door[name] = otherwise(usual)
    return () => (door[name] = usual)
  }

  async must(answering: Promise<Answer>): Promise<Json> {
    const answer = await answering
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
}
