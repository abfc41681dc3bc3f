import assert from 'node:assert/strict'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { addLender, chooseLender } from '../../../src/loans/lenders/lenders.service.ts'
import { dayOf } from '../../../src/platform/calendar.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import type { TransferPort } from '../../../src/providers/port.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { LoanWorld } from '../../loans/support.ts'
import { API, assertAnswer, createPerson, type Visitor } from '../support.ts'

export const DESK = `${API}/lenders/sahakari`
export const SCHOOL = `${API}/institutes/demo-school`
export const RAVI = 'loans@sahakari.example.in'
export const OFFER = { amount: 60_000, yearly_rate_bp: 1250, months: 12, emi: 5_345.2, fees: 590 }
const TERMS = {
  kind: 'desk',
  apiUrl: null,
  leastPaise: paiseOf(1_000_00),
  mostPaise: paiseOf(500_000_00),
  yearlyRateBp: 1200,
  months: 12,
} as const

const isOpen = ({ status }: Json): boolean => status === 'planned' || status === 'failed'

/** A school, its lender without an API, another lender, and people of all three. */
export class Desk {
  readonly world: LoanWorld
  readonly ravi: Visitor
  readonly other: Visitor
  readonly finance: Visitor

  private constructor(world: LoanWorld, people: { ravi: Visitor; other: Visitor; finance: Visitor }) {
    this.world = world
    this.ravi = people.ravi
    this.other = people.other
    this.finance = people.finance
  }

  static async open(owner: Parameters<typeof LoanWorld.open>[0]): Promise<Desk> {
    const world = await LoanWorld.open(owner)
    const { bursar } = world
    const { ctx } = bursar.app
    await addLender(ctx, { ...TERMS, code: 'sahakari', title: 'Sahakari Bank' })
    await addLender(ctx, { ...TERMS, code: 'gramin', title: 'Gramin Bank' })
    await chooseLender(ctx, await getInstitute(ctx, 'demo-school'), 'sahakari')
    const meera = { email: 'meera@school.example.in', institute: 'demo-school', role: 'finance' } as const
    return new Desk(world, {
      ravi: await createPerson(bursar, { email: RAVI, lender: 'sahakari' }),
      other: await createPerson(bursar, { email: 'loans@gramin.example.in', lender: 'gramin' }),
      finance: await createPerson(bursar, meera),
    })
  }

  at(id: string, act = ''): string {
    return `${DESK}/applications/${id}${act}`
  }

  get today(): string {
    return dayOf(this.world.bursar.app.ctx.clock.now())
  }

  /** The family has consented, so the lender may see it. */
  async sent(studentId?: string): Promise<string> {
    const id = await this.world.start(studentId ?? (await this.world.student()))
    const answer = await this.world.form(id, 'lender', { consent: 'yes' })
    assert.equal(answer.status, 303)
    return id
  }

  async read(id: string): Promise<Json> {
    const answer = await this.ravi.get(this.at(id))
    assertAnswer(answer, '200')
    return answer.body.data
  }

  async accept(id: string): Promise<Response> {
    const { offer } = await this.world.read(id)
    return this.world.form(id, 'accept', { offer: offer.id, consent: 'yes' })
  }

  async approveAndSign(id: string): Promise<void> {
    assertAnswer(await this.ravi.post(this.at(id, '/approve'), OFFER), '200')
    await this.accept(id)
    const tranches = [{ date: '2026-12-01', amount: 60_000 }]
    assertAnswer(
      await this.ravi.post(this.at(id, '/sanction'), { tranches, without_letter: 'Sent by post' }),
      '200',
    )
  }

  /** Records a transfer of the tranche that is open. */
  async pay(id: string, utr: string): Promise<Answer> {
    const tranche = (await this.read(id)).disbursements.find(isOpen)
    const body = {
      disbursement_id: tranche?.id ?? 'disb_none',
      amount: tranche?.amount ?? 1,
      date: this.today,
      utr,
    }
    return this.ravi.post(this.at(id, '/disburse'), body)
  }

  /** No provider takes transfers in, as in live mode. Undone by what it answers. */
  withoutProvider(): () => void {
    const { accounts } = this.world.bursar.app.ctx
    const bank = accounts.installation.get('sandbox') as { transfers?: TransferPort | undefined }
    return this.world.disturb(bank, 'transfers', () => undefined)
  }

  async loan(id: string): Promise<Json> {
    const answer = await this.finance.get(`${SCHOOL}/loans/${id}`)
    assertAnswer(answer, '200')
    return answer.body.data
  }

  act(id: string, act: 'confirm' | 'return', body: Json): Promise<Answer> {
    return this.finance.post(`${SCHOOL}/loans/${id}/${act}`, body)
  }

  /** Subjects of the mails that an address got about a loan, oldest first. */
  async mailsTo(email: string, about: string): Promise<string[]> {
    const rows = await this.world.bursar.sql<{ subject: string }>(
      'select subject from messages where recipient = $1 and about = $2 order by id',
      [email, about],
    )
    return rows.map(({ subject }) => subject)
  }
}
