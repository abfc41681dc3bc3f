import assert from 'node:assert/strict'
import { yearEnd } from '../../../src/app/jobs.ts'
import { readHome } from '../../../src/console/home/home.service.ts'
import { countList } from '../../../src/console/lists/lists.service.ts'
import { GROUPINGS, DEFAULTER_BUCKETS } from '../../../src/console/reports/reports.rules.ts'
import { defaulterList } from '../../../src/console/reports/dues.list.ts'
import { readAgeing } from '../../../src/console/reports/dues.service.ts'
import { countChanges } from '../../../src/console/sums/sums.service.ts'
import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import type { FlexContext } from '../../../src/flex/context.ts'
import type { Institute } from '../../../src/institutes/institutes.rules.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { dayOf } from '../../../src/platform/calendar.ts'
import { advanceRollovers } from '../../../src/students/rollover/rollover.service.ts'
import { FLEX } from '../../flex/support.ts'
import type { TestBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP, PAY, sampleStudent } from '../../harness/samples.ts'
import { csv, feeRow, importFile, paymentRow } from '../../imports/support.ts'
import type { Random } from '../../sim/random.ts'
import { demoVisitor, type Visitor } from '../support.ts'
import { FromScratch } from './from-scratch.ts'

/** Demo Group, with two branches: everything that changes what a child owes, since when, and in which class. */
export class SumsModel {
  readonly bursar: TestBursar
  readonly random: Random
  readonly acts: Record<string, number> = {}
  readonly #ctx: FlexContext
  readonly #institute: Institute
  readonly #office: Visitor
  readonly #truth: FromScratch
  readonly #students: { id: string; identifier: string; grade: string; year: number; branch: string }[] = []
  readonly #transactions: { id: string; transaction: string }[] = []
  readonly #orders: string[] = []
  readonly #cheques: string[] = []
  readonly #plans: string[] = []
  #number = 0
  #rolled = false

  private constructor(bursar: TestBursar, random: Random, institute: Institute, office: Visitor) {
    this.bursar = bursar
    this.random = random
    this.#institute = institute
    this.#office = office
    this.#ctx = bursar.app.ctx
    this.#truth = new FromScratch(bursar, institute.id)
  }

  static async open(bursar: TestBursar, random: Random): Promise<SumsModel> {
    const institute = await getInstitute(bursar.app.ctx, 'demo-group')
    const office = await demoVisitor(bursar.url, 'bursar@demo-group.example')
    const model = new SumsModel(bursar, random, institute, office)
    for (let n = 0; n < 6; n++) await model.#register()
    await model.#setRules()
    return model
  }

  get institute(): Institute {
    return this.#institute
  }

  async act(): Promise<string> {
    const { name, run } = this.random.weighed(this.#acts)
    this.acts[name] = (this.acts[name] ?? 0) + 1
    await run()
    return name
  }

  readonly #acts: readonly { name: string; weight: number; run: () => Promise<void> }[] = [
    { name: 'register', weight: 4, run: () => this.#register() },
    { name: 'same child in another year', weight: 3, run: () => this.#registerAgain() },
    { name: 'fee and concession', weight: 5, run: () => this.#changeFee() },
    { name: 'pay at the counter', weight: 6, run: () => this.#record() },
    { name: 'cancel it', weight: 3, run: () => this.#cancel() },
    { name: 'pay online', weight: 6, run: () => this.#payOnline() },
    { name: 'refund', weight: 4, run: () => this.#refund() },
    { name: 'import', weight: 3, run: () => this.#import() },
    { name: 'drop or take back', weight: 3, run: () => this.#drop() },
    { name: 'move', weight: 4, run: () => this.#move() },
    { name: 'waive a late fee', weight: 5, run: () => this.#waive() },
    { name: 'due days', weight: 6, run: () => this.#setDueDays() },
    { name: 'cheque', weight: 2, run: () => this.#takeCheque() },
    { name: 'cheque bounces', weight: 3, run: () => this.#bounce() },
    { name: 'plan', weight: 3, run: () => this.#plan() },
    { name: 'hold, resume or cancel a plan', weight: 3, run: () => this.#changePlan() },
    { name: 'rollover', weight: 1, run: () => this.#rollOver() },
    { name: 'days pass', weight: 2, run: () => this.#pass() },
  ]

  /** Counts what waits, all of it or a part. */
  async count(): Promise<void> {
    await countChanges(this.#ctx, { least: 1 })
  }

  /** Every page says what is true, whatever has been counted. */
  async check(after: string): Promise<void> {
    const { db, clock } = this.#ctx
    const today = dayOf(clock.now())
    const { outstanding, collectedToday } = await readHome(this.#ctx, this.#institute)
    const { onTheWayPaise: _, ...home } = outstanding
    assert.deepEqual(home, await this.#truth.outstanding(today), `Home after ${after}`)
    assert.deepEqual(collectedToday, await this.#truth.collected(today), `collected after ${after}`)
    for (const by of GROUPINGS)
      for (const filter of this.#filters()) {
        const asked = { by, ...filter }
        const { groups, total } = await readAgeing(this.#ctx, this.#institute, asked)
        const said = [...groups, total].map(Object.values)
        const isTrue = (await this.#truth.ageing(today, asked)).map(Object.values)
        assert.deepEqual(said, isTrue, `ageing ${JSON.stringify(asked)} after ${after}`)
      }
    for (const bucket of DEFAULTER_BUCKETS)
      for (const filter of this.#filters().slice(0, 2)) {
        const asked = { bucket, ...filter }
        const isTrue = await this.#truth.defaulters(today, asked)
        const name = `defaulters ${JSON.stringify(asked)} after ${after}`
        assert.deepEqual(await this.#everyPage(asked), isTrue, name)
        const counted = await defaulterList.counted(this.#ctx, this.#institute, asked)
        assert.equal((await countList(this.#ctx, counted)).count, isTrue.length, name)
        const all = await defaulterList.all(this.#ctx, this.#institute, asked)
        const { text, values } = all ?? { text: '', values: [] }
        assert.deepEqual((await db.query<Json>(text, values)).map(shown), isTrue, name)
      }
  }

  async #everyPage(asked: { bucket: (typeof DEFAULTER_BUCKETS)[number] }) {
    const rows: Json[] = []
    for (let cursor: string | undefined; ;) {
      const page = await defaulterList.page(this.#ctx, this.#institute, asked, { cursor, limit: 4 })
      rows.push(...page.rows)
      cursor = page.nextCursor
      if (cursor === undefined) return rows.map(shown)
    }
  }

  #filters() {
    const { grade, branch, year } = this.#any
    return [{}, { grade, academicYearStart: year }, { collectorCode: branch }, { grade }]
  }

  get #any() {
    const student = this.random.pick(this.#students)
    assert.ok(student)
    return student
  }

  get #component(): string {
    return this.random.pick(['TUITION_FEE', 'BUS_FEE', 'LAB_FEE']) ?? ''
  }

  get #amount(): number {
    return this.random.between(1, 40) * 100
  }

  get #day(): string {
    return dayOf(new Date(this.#ctx.clock.now().getTime() + this.random.between(-120, 30) * 86_400_000))
  }

  async #register(
    { identifier, branch, year } = {
      identifier: `SUM-${++this.#number}`,
      branch: this.random.pick(['NORTH', 'SOUTH']) ?? '',
      year: this.random.between(2025, 2026),
    },
  ): Promise<void> {
    const grade = this.random.pick(['5', '6']) ?? ''
    const answer = await this.bursar.group.post(`${ERP}/users/parent-${identifier}/students`, {
      student: sampleStudent({
        identifier,
        grade,
        collector_code: branch,
        academic_year_start: year,
        academic_year_end: year + 1,
      }),
      fee_components: [
        { component_type: 'TUITION_FEE', fee_amount: this.#amount },
        ...(this.random.chance(0.5) ? [{ component_type: 'BUS_FEE', fee_amount: this.#amount }] : []),
      ],
    })
    this.#fine(answer, 200, 201)
    const id: string = answer.body.data.service_student_id
    if (!this.#students.some(one => one.id === id))
      this.#students.push({ id, identifier, grade, year, branch })
  }

  async #registerAgain(): Promise<void> {
    const { identifier, branch } = this.#any
    await this.#register({ identifier, branch, year: this.random.between(2024, 2027) })
  }

  async #changeFee(): Promise<void> {
    const fee = this.#amount
    const discounts = this.random.chance(0.5) ? [{ discount_type: 'SIBLING', value: fee / 4 }] : []
    const body = { fee_components: [{ component_type: this.#component, fee_amount: fee, discounts }] }
    this.#fine(await this.bursar.group.patch(`${ERP}/students/${this.#any.id}/fee`, body), 200)
  }

  async #record(): Promise<void> {
    const { id } = this.#any
    const amount = this.#amount
    const body = { amount, paid_at: this.#day, fee_components: [{ component_type: this.#component, amount }] }
    const answer = await this.bursar.group.post(`${ERP}/students/${id}/payments`, body)
    this.#fine(answer, 201)
    this.#transactions.push({ id, transaction: answer.body.data.transaction_id })
  }

  async #cancel(): Promise<void> {
    const one = this.random.pick(this.#transactions)
    if (one === undefined) return
    const at = `${ERP}/students/${one.id}/payments/${one.transaction}`
    this.#fine(await this.bursar.group.delete(at), 200, 404, 409)
  }

  async #payOnline(): Promise<void> {
    const wanted = this.random.chance(0.5) ? {} : { amount: this.#amount }
    const order = await this.bursar.group.post(`${PAY}/students/${this.#any.id}/orders`, wanted)
    if (!this.#fine(order, 201, 400, 409)) return
    const outcome = this.random.pick(['success', 'success', 'pending', 'failure'])
    const id = order.body.data.order_id
    this.#fine(await this.bursar.group.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome }), 200, 409)
    this.#orders.push(id)
  }

  async #refund(): Promise<void> {
    const order = this.random.pick(this.#orders)
    if (order === undefined) return
    const body = { amount: this.#amount / 10, reason: 'Asked for' }
    this.#fine(await this.bursar.group.post(`${PAY}/orders/${order}/refunds`, body), 201, 400, 409)
    await this.bursar.app.worker.runAllDue()
  }

  async #import(): Promise<void> {
    const { identifier, grade, year, branch } = this.#any
    const who = {
      identifier,
      grade,
      academic_year_start: year,
      academic_year_end: year + 1,
      collector_code: branch,
    }
    const component_type = this.#component
    const [kind, row] = this.random.chance(0.5)
      ? (['fees', feeRow({ ...who, component_type, fee_amount: this.#amount })] as const)
      : ([
          'payments',
          paymentRow({ ...who, component_type, amount: this.#amount, transaction_id: `F-${++this.#number}` }),
        ] as const)
    const { group: client } = this.bursar
    await importFile(this.bursar, `kind=${kind}&mode=good`, csv([row]), { client, institute: 'demo-group' })
  }

  async #drop(): Promise<void> {
    const act = this.random.pick(['drop', 'activate'])
    this.#fine(await this.bursar.group.post(`${ERP}/students/${this.#any.id}/${act}`), 200, 409)
  }

  /** To another class, branch or number; the number of another child makes them one. */
  async #move(): Promise<void> {
    const student = this.#any
    const to = this.random.pick([
      { grade: student.grade === '5' ? '6' : '5' },
      { collector_code: student.branch === 'NORTH' ? 'SOUTH' : 'NORTH' },
      { identifier: this.random.chance(0.5) ? this.#any.identifier : `SUM-${++this.#number}` },
    ])
    const answer = await this.bursar.group.patch(`${ERP}/students/${student.id}`, to)
    if (!this.#fine(answer, 200, 409)) return
    const { collector_code: branch, grade, identifier } = answer.body.data
    Object.assign(student, { branch, grade, identifier })
  }

  async #setDueDays(): Promise<void> {
    if (this.random.chance(0.5)) return this.#setRules()
    const branch = this.random.pick(['NORTH', 'SOUTH', null])
    await this.bursar.sql(
      `insert into fee_due_days (institute_id, academic_year_start, collector_code, component_type, due_on)
       values ($1, $2, $3, $4, $5) on conflict (institute_id, academic_year_start, component_type, collector_code)
       do update set due_on = excluded.due_on`,
      [this.#institute.id, this.#any.year, branch, this.#component, this.#day],
    )
  }

  async #setRules(): Promise<void> {
    const rest = this.random.chance(0.5) ? [{ due_date: this.#day, ...this.#charge }] : []
    const own = { component_type: this.#component, due_date: this.#day, ...this.#charge }
    const rules = { late_fees: [own, ...rest] }
    this.#fine(await this.bursar.group.send('PUT', `${ERP}/payment-rules`, rules), 200)
  }

  get #charge(): Json {
    return this.random.pick([
      { kind: 'none' },
      { kind: 'per_day', amount_per_day: this.random.between(1, 20), grace_days: this.random.between(0, 40) },
      { kind: 'per_day', amount_per_day: 7, max_amount: 250 },
      {
        kind: 'slab',
        max_amount: 150,
        slabs: [
          { from_day: 1, amount: 50 },
          { from_day: 31, amount: 200 },
        ],
      },
    ])
  }

  async #waive(): Promise<void> {
    const { id } = this.#any
    const body = { reason: 'Bank holiday' }
    const at = `${ERP}/students/${id}/late-fee-waivers`
    const dues = await this.bursar.group.get(`${ERP}/students/${id}/dues`)
    const [fee] = dues.body.data.late_fees
    const part = this.random.chance(0.5) && fee !== undefined && fee.amount > 1
    const wanted = part ? { ...body, late_fee_id: fee.late_fee_id, amount: 1 } : body
    this.#fine(await this.bursar.group.post(at, wanted), 200, 201, 400, 409)
  }

  async #takeCheque(): Promise<void> {
    const amount = this.#amount
    const taken = await this.#office.post(`${this.#desk}/students/${this.#any.id}/payments`, {
      amount,
      paid_at: dayOf(this.#ctx.clock.now()),
      mode: 'cheque',
      waive_late_fee_reason: 'Let off',
      fee_components: [{ component_type: this.#component, amount }],
      instrument: { number: String(100_000 + ++this.#number), bank: 'Canara Bank' },
    })
    if (this.#fine(taken, 201, 409)) this.#cheques.push(taken.body.data.id)
  }

  async #bounce(): Promise<void> {
    const cheque = this.#cheques.pop()
    if (cheque === undefined) return
    const body = { day: dayOf(this.#ctx.clock.now()), reason: 'Funds insufficient' }
    this.#fine(await this.#office.post(`${this.#desk}/counter/cheques/${cheque}/bounce`, body), 200, 409)
  }

  readonly #desk = '/console/api/institutes/demo-group'

  async #plan(): Promise<void> {
    const { group } = this.bursar
    const drafted = await group.post(`${FLEX}/students/${this.#any.id}/plans`, {})
    if (!this.#fine(drafted, 200, 201, 400, 409)) return
    const planId: string = drafted.body.data.plan_id
    const key = { instituteId: this.#institute.id, planId }
    await startMandate(this.#ctx, key, { rail: 'enach', language: 'en', returnUrl: `${this.bursar.url}/` })
    this.#fine(await group.post(`/api/v1/sandbox/flex/plans/${planId}/authorise`), 200, 409)
    this.#plans.push(planId)
  }

  async #changePlan(): Promise<void> {
    const plan = this.random.pick(this.#plans)
    const act = this.random.pick(['hold', 'hold', 'resume', 'cancel'])
    if (plan !== undefined) this.#fine(await this.bursar.group.post(`${FLEX}/plans/${plan}/${act}`), 200, 409)
  }

  /** Once: dues of 2025 become dues of 2026 with the days that they had. */
  async #rollOver(): Promise<void> {
    if (this.#rolled) return
    this.#rolled = true
    const fee = [{ component_type: 'TUITION_FEE', fee_amount: 900 }]
    const started = await this.bursar.group.post(`${ERP}/academic-years/rollover`, {
      from_academic_year_start: 2025,
      from_academic_year_end: 2026,
      to_academic_year_start: 2026,
      to_academic_year_end: 2027,
      grades: [
        { grade: '5', next_grade: '6' },
        { grade: '6', next_grade: '7' },
      ],
      fees: ['6', '7'].map(grade => ({ grade, fee_components: fee })),
      carry_dues_as: 'PREVIOUS_YEAR_DUES',
      carry_advance_as: 'PREVIOUS_YEAR_ADVANCE',
    })
    this.#fine(started, 201)
    for (let rows = 1; rows > 0;) rows = await advanceRollovers(this.#ctx, yearEnd)
  }

  /** Amounts become late, and debits are made or come back. */
  async #pass(): Promise<void> {
    const advance = `P${this.random.between(1, 12)}D`
    this.#fine(await this.bursar.group.post('/api/v1/sandbox/clock', { advance }), 200)
  }

  /** Whether it was done; what the school's rules refuse is no act. */
  #fine(answer: Answer, ...statuses: number[]): boolean {
    assert.ok(statuses.includes(answer.status), answer.text)
    return answer.status < 300
  }
}

const shown = ({ studentId, owedPaise, totalPaise, oldestDueOn }: Json): Json => ({
  studentId,
  owedPaise,
  totalPaise,
  oldestDueOn,
})
