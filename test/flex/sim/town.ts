import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import { downpaymentOrder, openSetup } from '../../../src/flex/plans/open-setup.service.ts'
import { createPlan } from '../../../src/flex/plans/plans.service.ts'
import type { LoadedPlan } from '../../../src/flex/rules/plan.rules.ts'
import type { Rail } from '../../../src/flex/rules/rails.rules.ts'
import type { Institute } from '../../../src/institutes/institutes.rules.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { startPayment } from '../../../src/payments/start/start-payment.service.ts'
import { dayOf } from '../../../src/platform/calendar.ts'
import { isUnavailable } from '../../../src/platform/errors.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import type { Bursar } from '../../../src/app/bursar.ts'
import { ErpCallLimiter } from '../../../src/erp/context.ts'
import type { Client } from '../../harness/client.ts'
import { startFakeErp } from '../../harness/fakes/erp.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { answerOf, isSlow, type Pupil } from './erp.ts'
import { drawPupil } from './pupils.ts'
import { Random, seedOf } from '../../sim/random.ts'
import { expireLeases, World } from '../../sim/world.ts'

/** What people, ERPs and banks do to plans in the course of a year. */
export type FlexAct = { name: string; weight: number; run: (town: Town, pupil: Pupil) => Promise<string> }

/** Where a town's payments and mandates go: the sandbox's bank, or a vendor's emulator. */
export type TownBank = {
  /** The settings of Bursar that it needs. */
  env: Record<string, string>
  /** What people do at it. */
  acts: readonly FlexAct[]
  prepare?(town: Town): Promise<void>
  /** What a payer does who has been led to the bank's page. */
  payer: {
    pay(town: Town, pupil: Pupil, paymentId: string): Promise<void>
    fail(town: Town, pupil: Pupil, paymentId: string): Promise<void>
    /** Approves, and the bank takes its time; absent where the bank always answers at once. */
    leavePending?(town: Town, pupil: Pupil, paymentId: string): Promise<void>
  }
  /** Sends money to the account number of a child, or again what it has sent under this UTR. */
  transfer(town: Town, pupil: Pupil, sent: { paise: number; utr: string }): Promise<void>
  /** The parent says yes to the mandate that the plan waits for. */
  authorise(town: Town, pupil: Pupil): Promise<void>
  /** Whether it takes back what was paid: a refund besides would be a case for a person. */
  isGoingBack(town: Town, orderId: string): Promise<boolean>
  /** What it does in the course of a day, where it does not act by itself. */
  passDay?(town: Town): Promise<void>
  /** In the end everything that happened there is known here, once. */
  expectSame?(town: Town): Promise<void>
}

/** A town of schools with their ERPs, a bank that bounces by every code, and a clock that goes from day to day. */
export type OpenBank = (owner: Owner, now: () => Date) => Promise<TownBank>
type Owner = { after(done: () => Promise<void> | void): void }

const SET_UP_AT_ONCE = 8
const SANDBOX = '/api/v1/sandbox'
const DAY_MS = 86_400_000
const MOST_PASSES = 50
const MOST_STATEMENTS = 400
const SLOW_MS = 300

export class Town {
  /** What somebody does on a later day. */
  readonly later: { day: string; run: () => Promise<void> }[] = []
  readonly seed: number
  readonly random: Random
  readonly world: World
  readonly bank: TownBank
  readonly pupils: Pupil[] = []
  readonly holidays = new Set<string>()
  readonly #institutes = new Map<string, Institute>()
  /** From a day on both ERPs answer well, so that everything can come to its end. */
  isCalm = false

  private constructor(seed: number, world: World, bank: TownBank) {
    this.seed = seed
    this.random = new Random(seed)
    this.world = world
    this.bank = bank
  }

  static async open(owner: Owner, seed: number, openBank: OpenBank): Promise<Town> {
    let town: Town | null = null
    const bank = await openBank(owner, () => town?.now ?? new Date())
    town = new Town(seed, await World.open(owner, { DEMO: 'off', ...bank.env }), bank)
    town.#measureInTownTime()
    for (const code of ['demo-school', 'demo-group'])
      town.#institutes.set(code, await getInstitute(town.ctx, code))
    await town.#openErps(owner)
    await bank.prepare?.(town)
    await town.#settings()
    // Where the year begins does not depend on the day of the test, only on its year.
    await town.moveTo(new Date(`${new Date().getUTCFullYear() + 1}-04-01T10:00:00+05:30`))
    return town
  }

  get ctx(): Bursar['ctx'] {
    return this.world.app.ctx
  }

  get sql(): World['sql'] {
    return this.world.sql
  }

  get now(): Date {
    return this.ctx.clock.now()
  }

  /** The circuit in the town's time: a real half minute is weeks here. */
  #measureInTownTime(): void {
    const { erp, db } = this.ctx
    erp.callLimiter = new ErpCallLimiter(db.semaphore, () => this.now.getTime())
  }

  get today(): string {
    return dayOf(this.now)
  }

  institute(pupil: Pick<Pupil, 'school'>): Institute {
    const institute = this.#institutes.get(pupil.school)
    assert.ok(institute)
    return institute
  }

  get institutes(): Institute[] {
    return [...this.#institutes.values()]
  }

  as(pupil: Pick<Pupil, 'school'>): Client {
    return this.world.as(pupil.school)
  }

  /** A number for each name, in whatever order they are asked for. */
  lot(...of: readonly (string | number)[]): Random {
    return new Random(seedOf(this.seed, of.join(' ')))
  }

  /** As the sandbox's own page moves it. */
  async moveTo(to: Date): Promise<void> {
    const { status, text } = await this.world
      .as('demo-school')
      .post(`${SANDBOX}/clock`, { to: to.toISOString() })
    assert.equal(status, 200, text)
  }

  /** The same from stop to stop, without the pauses in which a real one waits for other processes. */
  async hurryTo(to: Date, isAlive = (): boolean => true): Promise<void> {
    const { worker, sandboxClock } = this.world.app
    assert.ok(sandboxClock)
    for (let isThere = false, last = 0; !isThere && isAlive();) {
      const stop = (await worker.nextStop())?.getTime() ?? Number.POSITIVE_INFINITY
      assert.ok(
        stop !== last || stop > this.now.getTime(),
        `what was due at ${String(new Date(stop))} is still due`,
      )
      last = stop
      isThere = stop >= to.getTime()
      sandboxClock.advanceTo(Math.min(stop, to.getTime()) - Date.now())
      for (let done = 1, left = MOST_PASSES; done > 0 && isAlive(); left--) {
        assert.ok(left > 0, 'the work that is due does not end')
        const counts = await worker.runAllDue().catch(passOver)
        done = Object.entries(counts).reduce((sum, [, count]) => sum + count, 0)
      }
    }
  }

  /** The same, and on the way the process dies at some statement, whose answer is lost or which is never done. */
  async hurryThroughCrash(to: Date): Promise<void> {
    const { line } = this.world
    const isCrashed = await this.crashDuring(MOST_STATEMENTS, keepMoment =>
      this.hurryTo(to, () => {
        if (!line.isCut()) keepMoment()
        return !line.isCut()
      }),
    )
    if (isCrashed) await this.hurryTo(to)
  }

  /** The process dies at one of so many statements, if there are as many, and another one takes over. */
  async crashDuring(
    statements: number,
    work: (keepMoment: () => void) => Promise<unknown>,
  ): Promise<boolean> {
    const { line } = this.world
    line.cutAt(this.random.between(1, statements), this.random.chance(0.5))
    let moment = this.now
    await work(() => {
      moment = this.now
    }).catch((error: unknown) => {
      if (!line.isCut()) throw error
    })
    if (!line.isCut()) {
      line.mend()
      return false
    }
    // What hurries leaves its clock in memory alone.
    await this.world.crash(() => this.#keepMoment(moment))
    await expireLeases(this.sql)
    this.#measureInTownTime()
    return true
  }

  async #keepMoment(moment: Date): Promise<void> {
    await this.sql(
      `insert into instance_settings (key, value) values ('clock_offset_ms', $1)
       on conflict (key) do update set value = excluded.value`,
      [String(moment.getTime() - Date.now())],
    )
  }

  /** Days that are no working days, known before anything is planned. */
  async addHolidays(fromDay: number, toDay: number, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const day = dayOf(new Date(this.now.getTime() + this.random.between(fromDay, toDay) * DAY_MS))
      this.holidays.add(day)
      await this.sql(`insert into holidays (day, name) values ($1, 'a holiday') on conflict do nothing`, [
        day,
      ])
    }
  }

  async #openErps(owner: Owner): Promise<void> {
    for (const code of ['demo-school', 'demo-group'] as const) {
      const erp = await startFakeErp(owner)
      erp.disturb(identifier => {
        const pupil = this.pupils.find(one => one.identifier === identifier)
        // What has come is not looked at; a year of it is a lot.
        if (erp.requests.length > 1_000) erp.requests.length = 0
        if (pupil === undefined) return null
        const answer = answerOf(this, pupil)
        return isSlow(this, pupil) ? wait(SLOW_MS, answer) : answer
      })
      const client = this.as({ school: code })
      const settings = { url: erp.url, max_calls: 32 }
      const answers = [await client.send('PUT', `${SANDBOX}/erp`, settings)]
      if (code === 'demo-group') {
        const own = { ...settings, collector_code: 'SOUTH', custom_schedule: true }
        answers.push(await client.send('PUT', `${SANDBOX}/erp`, own))
      }
      for (const { status, text } of answers) assert.equal(status, 200, text)
    }
  }

  async #settings(): Promise<void> {
    await this.sql(
      `insert into flex_settings (institute_id, instalments, day_of_month, downpayment_percent)
       select i.id, s.instalments, s.day, s.percent from institutes i
       join (values ('demo-school', 9, 14, 0), ('demo-group', 7, 12, 10)) s (code, instalments, day, percent)
         on s.code = i.code`,
    )
  }

  /** Pupils with a plan each, set up as their parents would. */
  async enrol(count: number, draw: (town: Town, n: number) => Pupil = drawPupil): Promise<void> {
    const pupils = Array.from({ length: count }, (_, n) => draw(this, n))
    this.pupils.push(...pupils)
    this.isCalm = true
    const queue = pupils.values()
    const clerk = async (): Promise<void> => {
      for (const pupil of queue) await this.#setUp(pupil)
    }
    await Promise.all(Array.from({ length: SET_UP_AT_ONCE }, clerk))
    this.isCalm = false
  }

  async register(pupil: Pupil): Promise<string> {
    const { identifier, branch, fees, payments } = pupil
    const body = {
      student: sampleStudent({ identifier, collector_code: branch, fullname: `Pupil ${identifier}` }),
      fee_components: [...fees].map(([type, paise]) => ({ component_type: type, fee_amount: paise / 100 })),
      payments,
    }
    const path = `${ERP}/users/parent-${identifier}/students`
    const { status, text, body: answer } = await this.as(pupil).post(path, body)
    assert.ok(status === 200 || status === 201, text)
    return answer.data.service_student_id
  }

  async #setUp(pupil: Pupil): Promise<void> {
    const flex = this.ctx
    const institute = this.institute(pupil)
    pupil.studentId = await this.register(pupil)
    const rows =
      pupil.rows.length === 0
        ? null
        : pupil.rows.map(row => ({
            dueOn: row.due_date,
            isDownpayment: false,
            referenceId: row.reference_id,
            identifier: null,
            lines: row.details.map(one => ({
              componentType: one.component_type,
              amountPaise: paiseOf(one.paise),
            })),
          }))
    const wanted = { studentId: pupil.studentId, rows }
    const file = await createPlan(flex, { instituteId: institute.id }, institute, wanted)
    pupil.planId = file.plan.id
    const shown = await this.#showPlan(pupil)
    const key = { instituteId: institute.id, planId: pupil.planId }
    const orderId = await downpaymentOrder(flex, key, 'http://127.0.0.1/')
    if (orderId !== null) await this.bank.payer.pay(this, pupil, await this.startPaying(pupil, orderId))
    const isFailed = orderId !== null && (await this.#isUnpaid(pupil, orderId))
    // A magic amount: the payer tries again another day, which this model leaves out.
    if (isFailed) return
    const isSmall = shown.instalments.every(
      ({ lines, isDownpayment }) =>
        isDownpayment || lines.reduce((sum, line) => sum + line.amountPaise, 0) <= 15_000_00,
    )
    const wantsUpi = this.lot('rail', pupil.identifier).chance(0.6)
    await this.giveMandate(pupil, isSmall && wantsUpi ? 'upi_autopay' : 'enach')
  }

  async #isUnpaid(pupil: Pupil, orderId: string): Promise<boolean> {
    const [row] = await this.sql<{ state: string }>(
      'select state from orders where institute_id = $1 and id = $2',
      [this.institute(pupil).id, orderId],
    )
    return row?.state !== 'paid'
  }

  /** The page asks the ERP, and the parent comes again while the ERP is in trouble. */
  async #showPlan(pupil: Pupil): Promise<LoadedPlan> {
    for (let left = 20; left > 0; left--) {
      const view = await openSetup(this.ctx, this.institute(pupil), pupil.planId)
      if (view.kind === 'ready') return view.loaded
      assert.equal(view.kind, 'try_later')
    }
    throw new Error('the ERP never answers')
  }

  /** A payer presses Pay and is led to the bank's page; answers the payment. */
  async startPaying(pupil: Pupil, orderId: string): Promise<string> {
    const how = { mode: 'upi', returnUrl: 'http://127.0.0.1/' } as const
    return (await startPayment(this.ctx, this.institute(pupil), orderId, how)).id
  }

  async giveMandate(pupil: Pupil, rail: Rail): Promise<void> {
    const key = { instituteId: this.institute(pupil).id, planId: pupil.planId }
    const chargeComponents = this.lot('charges', pupil.identifier).chance(0.8) ? ['PICNIC_FEE'] : []
    await startMandate(this.ctx, key, {
      rail,
      language: 'en',
      returnUrl: 'http://127.0.0.1/',
      chargeComponents,
    })
    await this.bank.authorise(this, pupil)
  }
}

/** What met a vendor's fault is done again in its time; every other failure is one. */
function passOver(error: unknown): Record<string, number> {
  if (isUnavailable(error)) return { failed: 1 }
  throw error
}
