import assert from 'node:assert/strict'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { paiseOf, sumPaise, toRupees, ZERO, type Paise } from '../../../src/platform/money.ts'
import { BankDesk, credit } from '../../banking/support.ts'
import { SCHOOL, STUDENTS } from '../../console/students/support.ts'
import { dataOf, type Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { ERP, PAY, sampleStudent } from '../../harness/samples.ts'
import { Random } from '../random.ts'

/**
 * A year of a college: most students transfer their fees to account numbers of their own, whatever amount they like, the others
 * pay orders online. The office uploads the bank's statement of each month and does nothing else.
 */
export type CollegeOptions = {
  seed: number
  students: number
  owner: { after(done: () => Promise<void> | void): void }
  onProgress?: (month: number, summary: string) => void
}

export type CollegeResult = { transfers: number; orders: number; statementLines: number; collected: number }

type Student = { id: string; transfers: boolean; lodges: boolean; feePaise: Paise; sentPaise: Paise }

const [TRANSFERRING, LODGING] = [0.6, 0.4]
const MONTHS = 12
/** The second half of the year's fee is raised in this month. */
const SECOND_TERM = 6
const WEEKS = 4
const [PAYS_THIS_WEEK, TOLD_TWICE] = [0.1, 0.05]
const AT_ONCE = 8
const MOST_AT_ONCE = 100
const SANDBOX = '/api/v1/sandbox'

export async function runCollegeYear(options: CollegeOptions): Promise<CollegeResult> {
  const { owner, onProgress } = options
  const college = await College.open(owner, options)
  await college.enrol(options.students)
  await college.giveAccountNumbers()
  for (let month = 1; month <= MONTHS; month++) {
    if (month === SECOND_TERM) await college.raiseFees()
    for (let week = 1; week <= WEEKS; week++) await college.passWeek(month === MONTHS && week === WEEKS)
    await college.addStatement()
    onProgress?.(month, `${college.counts.transfers} transfers, ${college.counts.statementLines} lines`)
  }
  await college.checkBooks()
  return college.counts
}

class College {
  readonly counts: CollegeResult = { transfers: 0, orders: 0, statementLines: 0, collected: 0 }
  readonly #random: Random
  readonly #bank: BankDesk
  readonly #account: string
  #students: Student[] = []
  #onStatementPaise: Paise = ZERO
  #statementUpTo = '2020-01-01'

  private constructor(bank: BankDesk, account: string, seed: number) {
    this.#bank = bank
    this.#account = account
    this.#random = new Random(seed)
  }

  static async open(owner: CollegeOptions['owner'], { seed }: CollegeOptions): Promise<College> {
    const bank = await BankDesk.open(done => owner.after(done))
    return new College(bank, await bank.newAccount(), seed)
  }

  get #desk(): BankDesk['desk'] {
    return this.#bank.desk
  }

  async enrol(count: number): Promise<void> {
    const drawn = Array.from({ length: count }, (_, no) => ({
      no,
      transfers: this.#random.chance(TRANSFERRING),
      lodges: this.#random.chance(LODGING),
    }))
    this.#students = await this.#each(drawn, async ({ no, transfers, lodges }) => {
      const fees = this.#drawFees(lodges, 1)
      const student = sampleStudent({ identifier: `COL-${no}` })
      const path = `${ERP}/users/family-${no}/students`
      const { service_student_id: id } = dataOf(
        await this.#desk.bursar.demo.post(path, { student, fee_components: fees }),
      )
      return { id, transfers, lodges, feePaise: totalOf(fees), sentPaise: ZERO }
    })
  }

  /** By the office's act for many, which asks the provider in the background. */
  async giveAccountNumbers(): Promise<void> {
    const ids = this.#students.filter(one => one.transfers).map(one => one.id)
    for (let from = 0; from < ids.length; from += MOST_AT_ONCE)
      dataOf(
        await this.#desk.finance.post(`${STUDENTS}/virtual-accounts`, {
          student_ids: ids.slice(from, from + MOST_AT_ONCE),
        }),
      )
    dataOf(await this.#desk.bursar.demo.post(`${SANDBOX}/clock`, { advance: 'PT1M' }))
    const counts = dataOf(await this.#desk.finance.get(`${STUDENTS}/virtual-accounts`))
    assert.deepEqual(counts, { given: ids.length, waiting: 0, refused: 0 })
  }

  async raiseFees(): Promise<void> {
    const drawn = this.#students.map(student => ({ student, fees: this.#drawFees(student.lodges, 2) }))
    await this.#each(drawn, async ({ student, fees }) => {
      dataOf(
        await this.#desk.bursar.demo.patch(`${ERP}/students/${student.id}/fee`, { fee_components: fees }),
      )
      student.feePaise = totalOf(fees)
    })
  }

  /** Some pay, in the last week everybody what is left; then everything due happens. */
  async passWeek(isLast: boolean): Promise<void> {
    const paying = this.#students.filter(() => isLast || this.#random.chance(PAYS_THIS_WEEK))
    const drawn = paying.map(student => ({ student, payment: this.#drawPayment(student, isLast) }))
    await this.#each(drawn, async ({ student, payment }) => {
      const amountPaise = payment.share(await this.#owedBy(student))
      if (amountPaise === 0) return
      await (student.transfers
        ? this.#transfer(student, amountPaise, payment.isToldTwice)
        : this.#payOrder(student, amountPaise))
    })
    const { demo } = this.#desk.bursar
    dataOf(await demo.post(`${SANDBOX}/clock`, { advance: 'P7D' }))
    dataOf(await demo.post(`${SANDBOX}/settlements/run`))
  }

  /** The office uploads what the bank says since the last time. */
  async addStatement(): Promise<void> {
    const { now } = dataOf(await this.#desk.bursar.demo.get(`${SANDBOX}/clock`))
    const from = this.#statementUpTo
    this.#statementUpTo = now
    const settlements = await this.#settlementsSince(from)
    if (settlements.length === 0) return
    const rows = settlements.map(({ settled_at: at, utr, net }) => {
      this.#onStatementPaise = sumPaise([this.#onStatementPaise, fromRupees(net)])
      return credit(dayInIndia(at), `NEFT CR ${utr}`, utr, net)
    })
    const { new_line_count: lines, matched_count: matched } = await this.#bank.add(this.#account, rows)
    assert.equal(matched, lines, 'every line of the statement finds its settlement by itself')
    this.counts.statementLines += lines
  }

  async checkBooks(): Promise<void> {
    const { bursar, finance } = this.#desk
    for (const student of this.#students) await this.#checkStudent(student)
    assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
    const institute = await getInstitute(bursar.app.ctx, 'demo-school')
    assert.deepEqual((await reconcile(bursar.app.ctx, institute)).differences, [])
    const { body } = await finance.get(`${SCHOOL}/money/reconciliation/items?status=mismatched`)
    assert.deepEqual(body.data, [], 'nothing waits for a person')
    assert.equal((await this.#bank.statusOf(this.#account)).open_lines, 0)
    const sent = sumPaise(this.#students.map(student => student.sentPaise))
    const [row] = await bursar.sql<{ fees: string }>(
      `select coalesce(sum(s.fee_paise), 0)::text as fees from settlements s join institutes i on i.id = s.institute_id where i.code = 'demo-school'`,
    )
    assert.equal(
      Number(row?.fees) + this.#onStatementPaise,
      sent,
      'what families sent is on the statements, but for fees',
    )
    this.counts.collected = toRupees(sent)
  }

  async #checkStudent({ id, feePaise, sentPaise }: Student): Promise<void> {
    const { fee_summary: summary } = dataOf(await this.#desk.bursar.demo.get(`${ERP}/students/${id}`))
    const { total_fee, paid, outstanding, advance } = summary
    const seen = [total_fee, outstanding, advance].map(one => fromRupees(one))
    assert.deepEqual([...seen, fromRupees(paid)], [feePaise, 0, sentPaise - feePaise, sentPaise])
  }

  async #transfer(student: Student, amountPaise: Paise, isToldTwice: boolean): Promise<void> {
    const path = `${SANDBOX}/pay/students/${student.id}/virtual_account/transfers`
    const amount = toRupees(amountPaise)
    const { utr } = dataOf(await this.#desk.bursar.demo.post(path, { amount }))
    student.sentPaise = sumPaise([student.sentPaise, amountPaise])
    this.counts.transfers++
    if (isToldTwice) dataOf(await this.#desk.bursar.demo.post(path, { amount, utr }))
  }

  async #payOrder(student: Student, amountPaise: Paise): Promise<void> {
    const { demo } = this.#desk.bursar
    const { components } = dataOf(await demo.get(`${ERP}/students/${student.id}/dues`))
    const details = spread(components, amountPaise)
    const person = { name: 'Asha Rao', phone: '9876543210', email: 'asha@example.in' }
    const order = { ...person, service_student_id: student.id, details }
    const { order_id: id } = dataOf(await demo.post(`${PAY}/orders`, order))
    dataOf(await demo.post(`${SANDBOX}/pay/orders/${id}/pay`, { outcome: 'success' }))
    student.sentPaise = sumPaise([student.sentPaise, amountPaise])
    this.counts.orders++
  }

  async #settlementsSince(from: string): Promise<Json[]> {
    const found: Json[] = []
    let cursor = ''
    do {
      const path = `${PAY}/settlements?limit=200&from=${encodeURIComponent(from)}${cursor}`
      const { body } = await this.#desk.bursar.demo.get(path)
      found.push(...body.data)
      cursor = body.has_more ? `&cursor=${body.next_cursor}` : ''
    } while (cursor !== '')
    return found
  }

  #drawFees(lodges: boolean, terms: number): Json[] {
    const tuition = 40_000 + this.#random.between(0, 20_000) + this.#random.between(0, 99) / 100
    const hostel = lodges ? [{ component_type: 'HOSTEL_FEE', fee_amount: 30_000 * terms }] : []
    return [{ component_type: 'TUITION_FEE', fee_amount: rounded(tuition * terms) }, ...hostel]
  }

  /** Whole, half, a round sum, or by transfer more than is owed. */
  #drawPayment(
    { transfers }: Student,
    isLast: boolean,
  ): { share: (owed: Paise) => Paise; isToldTwice: boolean } {
    const way = isLast ? 'whole' : (this.#random.pick(['whole', 'half', 'round', 'more'] as const) ?? 'whole')
    const extra = transfers ? this.#random.between(0, 2_000_00) : 0
    const shares = {
      whole: (owed: number) => owed,
      half: (owed: number) => Math.floor(owed / 2),
      round: (owed: number) => Math.floor(owed / 1_000_00) * 1_000_00,
      more: (owed: number) => owed + extra,
    }
    const share = (owed: Paise): Paise => paiseOf(shares[way](owed))
    return { share, isToldTwice: this.#random.chance(TOLD_TWICE) }
  }

  async #owedBy({ id }: Student): Promise<Paise> {
    const { fee_summary: summary } = dataOf(await this.#desk.bursar.demo.get(`${ERP}/students/${id}`))
    return fromRupees(summary.outstanding)
  }

  async #each<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>): Promise<Result[]> {
    const results: Result[] = []
    for (let from = 0; from < items.length; from += AT_ONCE)
      results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(act))))
    return results
  }
}

const fromRupees = (rupees: number): Paise => paiseOf(Math.round(rupees * 100))

const rounded = (rupees: number): number => Math.round(rupees * 100) / 100

const totalOf = (fees: readonly Json[]): Paise => sumPaise(fees.map(fee => fromRupees(fee.fee_amount)))

function dayInIndia(moment: string): string {
  return new Date(Date.parse(moment) + 5.5 * 3_600_000).toISOString().slice(0, 10)
}

function spread(components: readonly Json[], amountPaise: Paise): Json[] {
  let left: number = amountPaise
  return components.flatMap(({ component_type, outstanding_amount }) => {
    const part = Math.min(left, fromRupees(outstanding_amount))
    left -= part
    return part > 0 ? [{ component_type, amount: part / 100 }] : []
  })
}
