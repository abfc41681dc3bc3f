import { DAY_MS, dayOf, startOfDay } from '../../src/platform/calendar.ts'
import { yearStartOf } from '../../src/sandbox/seed/seed.rules.ts'
import type { PastSandbox } from './past-sandbox.ts'

/** Days after today; the past is negative. */
type DayOffset = number

const OPENS_MS = 11 * 3_600_000
const TUITION = 60_000
const TERM = TUITION / 2
const TERMS = ['TUITION_FEE_TERM_1', 'TUITION_FEE_TERM_2'] as const
const TRANSPORT = 12_000
const INSTALMENT = 10_000
/** The first pupils' tuition is debited in instalments; the others pay it by the term, and the bus. */
const PLANS = 6
const SKIPPED = 2
const BOUNCED = 3
/** The sandbox's bank returns a debit that ends in these paise for want of money. */
const RETURNED = 0.81
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9'

const PUPILS = [
  ['Aarohi Kulkarni', 'Sunita Kulkarni'],
  ['Vivaan Nair', 'Lakshmi Nair'],
  ['Ishita Banerjee', 'Anirban Banerjee'],
  ['Reyansh Gowda', 'Savitha Gowda'],
  ['Myra Qureshi', 'Salman Qureshi'],
  ['Atharv Joshi', 'Prakash Joshi'],
  ['Navya Reddy', 'Madhavi Reddy'],
  ['Dhruv Malhotra', 'Ritu Malhotra'],
  ['Sara Thomas', 'Joseph Thomas'],
  ['Krish Patel', 'Hetal Patel'],
  ['Tanvi Deshpande', 'Ashok Deshpande'],
  ['Yuvan Nair', 'Lakshmi Nair'],
] as const

type Pupil = { id: string; name: string; parent: string; phone: string; email: string }

/** What a school, its families, their banks and a lender did in half a year, as calls of the public API on their days. */
export class SunriseSchool {
  readonly #past: PastSandbox
  readonly #today: Date
  readonly #pupils: Pupil[] = []

  constructor(past: PastSandbox, today: Date) {
    this.#past = past
    this.#today = startOfDay(dayOf(today))
  }

  async liveThrough(): Promise<void> {
    const days: readonly [DayOffset, () => Promise<unknown>][] = [
      // First, so that a look at what is late finds something while the rest still happens.
      [-150, () => this.#setDueDates()],
      [-150, () => this.#register()],
      [-146, () => this.#payAtCounter(8, [20_000, 0], 'cash')],
      [-145, () => this.#payAtCounter(9, [TERM, 6_000], 'cheque')],
      [-140, () => this.#setUpPlans()],
      [-139, () => this.#clearCheque(9)],
      [-138, () => this.#payIn(20_000)],
      [-120, () => this.#payOnline(6, 12_000)],
      [-96, () => this.#refund(6, 1_500)],
      [-84, () => this.#failOnline(7)],
      [-83, () => this.#payOnline(7, 24_000)],
      [-60, () => this.#borrow(10)],
      // The ERP does not answer on the day before this debit: it is skipped.
      [-38, () => this.#connectErp()],
      [-34, () => this.#disconnectErp()],
      [-30, () => this.#payAtCounter(8, [TERM - 20_000, 5_000], 'cash')],
      [-28, () => this.#payIn(TERM - 20_000 + 5_000)],
      [-26, () => this.#payAtCounter(7, [10_000, 0], 'cheque')],
      [-22, () => this.#bounceCheque(7)],
      [-21, () => this.#sendLink(11, 'Lab coat and workbook', 1_850, { isPaid: true })],
      [-20, () => this.#runBus()],
      [-12, () => this.#openPage()],
      [-8, () => this.#keepPostDated(6)],
      [-6, () => this.#sendLink(5, 'Excursion to Hampi', 4_200, { isPaid: false })],
      [-1, () => this.#subscribe()],
      [0, () => this.#payOnline(11, 18_000)],
      [0, () => this.#payOnline(9, 5_500)],
      [0, () => this.#payAtCounter(8, [0, 4_000], 'cash')],
      [0, () => this.#payAtCounter(6, [0, 2_500], 'cheque')],
    ]
    for (const [day, act] of days) {
      await this.#past.goTo(this.#at(day))
      await act()
    }
    await this.#past.finishDue()
  }

  #at(day: DayOffset): Date {
    return new Date(this.#today.getTime() + day * DAY_MS + (day === 0 ? 0 : OPENS_MS))
  }

  #date(day: DayOffset): string {
    return dayOf(this.#at(day))
  }

  #pupil(no: number): Pupil {
    const pupil = this.#pupils[no]
    if (pupil === undefined) throw new Error(`there is no pupil ${no}`)
    return pupil
  }

  async #register(): Promise<void> {
    const year = yearStartOf(this.#date(0))
    for (const [no, [name, parent]] of PUPILS.entries()) {
      // Brothers and sisters have one parent.
      const eldest = PUPILS.findIndex(([, other]) => other === parent)
      const registration = `parent-${eldest + 1}`
      const phone = `98450${10_000 + eldest * 37}`
      const email = `${parent.toLowerCase().replace(' ', '.')}@example.in`
      const { service_student_id: id } = await this.#past.call(
        'POST',
        `integrations/erp/users/${registration}/students`,
        {
          student: {
            fullname: name,
            identifier: `SUN-${1_001 + no}`,
            grade: String(1 + ((no * 5) % 12)),
            academic_year_start: year,
            academic_year_end: year + 1,
            new_admission: no % 4 === 0,
            date_of_birth: `${year - 11 + (no % 4)}-0${1 + (no % 9)}-14`,
            primary_contact_name: parent,
            primary_contact_number: phone,
            primary_contact_email: email,
          },
          fee_components:
            no < PLANS
              ? [{ component_type: 'TUITION_FEE', fee_amount: no === BOUNCED ? TUITION + RETURNED : TUITION }]
              : [
                  ...TERMS.map(term => ({ component_type: term, fee_amount: TERM })),
                  { component_type: 'TRANSPORT_FEE', fee_amount: TRANSPORT },
                ],
        },
      )
      this.#pupils.push({ id: String(id), name, parent, phone, email })
    }
  }

  /** What is paid of each term. */
  #payAtCounter(no: number, parts: readonly number[], mode: 'cash' | 'cheque'): Promise<unknown> {
    const { id } = this.#pupil(no)
    const amount = parts.reduce((sum, part) => sum + part, 0)
    const lines = TERMS.map((term, index) => ({ component_type: term, amount: parts[index] ?? 0 }))
    const cheque = { number: `0042${10 + no}`, bank: 'Canara Bank', date: dayOf(this.#past.now()) }
    return this.#past.doAtConsole('POST', 'counter/takings', {
      children: [{ service_student_id: id, fee_components: lines.filter(line => line.amount > 0) }],
      ways: [{ mode, amount, ...(mode === 'cheque' ? { instrument: cheque } : {}) }],
      waive_late_fee_reason: 'Paid as agreed with the office',
    })
  }

  async #cheque(no: number): Promise<string> {
    const cheques = await this.#past.doAtConsole<{ payment_id: string; service_student_id: string }[]>(
      'GET',
      'counter/cheques',
    )
    const own = cheques.find(cheque => cheque.service_student_id === this.#pupil(no).id)
    if (own === undefined) throw new Error(`no cheque of pupil ${no}`)
    return `counter/cheques/${own.payment_id}`
  }

  async #clearCheque(no: number): Promise<void> {
    await this.#past.doAtConsole('POST', `${await this.#cheque(no)}/clear`, { day: dayOf(this.#past.now()) })
  }

  async #bounceCheque(no: number): Promise<void> {
    await this.#past.doAtConsole('POST', `${await this.#cheque(no)}/bounce`, {
      day: dayOf(this.#past.now()),
      reason: 'Funds insufficient',
      charge_amount: 350,
    })
  }

  /** Cash to the bank, in notes of 500. */
  async #payIn(amount: number): Promise<void> {
    const [known] = await this.#past.doAtConsole<{ id: string }[]>('GET', 'bank-accounts')
    const { id } =
      known ??
      (await this.#past.doAtConsole<{ id: string }>('POST', 'bank-accounts', {
        name: 'Canara Bank, current account',
      }))
    await this.#past.doAtConsole('POST', 'counter/deposits', {
      account_id: id,
      denominations: [{ value: 500, count: amount / 500 }],
    })
  }

  async #keepPostDated(no: number): Promise<void> {
    await this.#past.doAtConsole('POST', 'counter/post-dated-cheques', {
      service_student_id: this.#pupil(no).id,
      cheques: [{ number: '004330', bank: 'State Bank of India', date: this.#date(9), amount: 10_000 }],
    })
  }

  /** Two routes, three stops, three children. */
  async #runBus(): Promise<void> {
    const year = yearStartOf(this.#date(0))
    const { optional_fee_id: id } = await this.#past.doAtConsole('POST', 'optional-fees', {
      academic_year_start: year,
      academic_year_end: year + 1,
      kind: 'transport',
      name: 'School bus',
      component_type: 'BUS_FEE',
      rhythm: 'year',
      periods: [
        {
          name: 'Winter half',
          first_day: this.#date(-20),
          last_day: this.#date(130),
          due_date: this.#date(12),
        },
      ],
      options: [
        { name: 'Route 4', stop: 'Gandhi Chowk', amount: 6_000, places: 40 },
        { name: 'Route 4', stop: 'Lake Road', amount: 6_500, places: 40 },
        { name: 'Route 7', stop: 'Railway station', amount: 7_500, places: 32 },
      ],
    })
    const path = `optional-fees/${String(id)}`
    const { options } = await this.#past.doAtConsole<{ options: { option_id: string }[] }>('GET', path)
    for (const [index, no] of [8, 9, 11].entries())
      await this.#past.doAtConsole('POST', `${path}/children`, {
        student_ids: [this.#pupil(no).id],
        option_id: options[index]?.option_id,
      })
  }

  /** Six families, six instalments each, about a month apart; the last one is due tomorrow. */
  async #setUpPlans(): Promise<void> {
    for (let no = 0; no < PLANS; no++) {
      const { plan_id: planId } = await this.#past.call(
        'POST',
        `integrations/flex/students/${this.#pupil(no).id}/plans`,
        { payment_schedule: this.#schedule(no) },
      )
      const rail = no % 2 === 0 ? 'upi_autopay' : 'enach'
      await this.#past.call('POST', `sandbox/flex/plans/${String(planId)}/authorise`, { rail })
    }
  }

  #schedule(no: number): object[] {
    const days = no === SKIPPED ? [-130, -100, -70, -34, -4, 1] : [-130, -100, -70, -40, -10, 1]
    return days.map(day => ({
      due_date: this.#date(day),
      details: [
        {
          component_type: 'TUITION_FEE',
          amount: no === BOUNCED && day === -10 ? INSTALMENT + RETURNED : INSTALMENT,
        },
      ],
    }))
  }

  async #order(no: number, amount: number): Promise<string> {
    const path = `integrations/pay/students/${this.#pupil(no).id}/orders`
    return String((await this.#past.call('POST', path, { amount, take_over: true }))['order_id'])
  }

  async #payOnline(no: number, amount: number): Promise<void> {
    const order = await this.#order(no, amount)
    await this.#past.call('POST', `sandbox/pay/orders/${order}/pay`, { outcome: 'success', mode: 'upi' })
  }

  async #failOnline(no: number): Promise<void> {
    const order = await this.#order(no, 24_000)
    await this.#past.call('POST', `sandbox/pay/orders/${order}/pay`, { outcome: 'failure', mode: 'card' })
  }

  async #refund(no: number, amount: number): Promise<void> {
    const path = `integrations/pay/students/${this.#pupil(no).id}/payments`
    const [paid] = await this.#past.call<{ order_id: string }[]>('GET', path)
    await this.#past.call('POST', `integrations/pay/orders/${paid?.order_id}/refunds`, {
      amount,
      reason: 'Bus route changed',
    })
  }

  async #borrow(no: number): Promise<void> {
    const amount = TUITION
    const made = await this.#past.call(
      'POST',
      `integrations/cred/students/${this.#pupil(no).id}/applications`,
      { amount },
    )
    const loan = `sandbox/loans/${String(made['application_id'])}`
    await this.#past.call('POST', `${loan}/fill`, {})
    await this.#past.goTo(this.#at(-57))
    await this.#past.call('POST', `${loan}/approve`, { amount })
    await this.#past.goTo(this.#at(-55))
    await this.#past.call('POST', `${loan}/sign`, { tranches: [{ date: this.#date(-53), amount }] })
    await this.#past.goTo(this.#at(-53))
    await this.#past.call('POST', `${loan}/disburse`, {})
  }

  #connectErp(): Promise<unknown> {
    return this.#past.call('PUT', 'sandbox/erp', { url: `${NOWHERE}/fetch-student`, lookup: ['identifier'] })
  }

  #disconnectErp(): Promise<unknown> {
    return this.#past.call('PUT', 'sandbox/erp', { url: null })
  }

  async #sendLink(no: number, label: string, amount: number, { isPaid }: { isPaid: boolean }): Promise<void> {
    const { parent, phone, email, name } = this.#pupil(no)
    const made = await this.#past.call('POST', 'integrations/pay/payment_links', {
      name: parent,
      phone,
      email,
      student_name: name,
      details: [{ component_type: 'ACTIVITY_FEE', amount }],
      notes: [{ key: 'for', value: label }],
    })
    if (!isPaid) return
    const path = `sandbox/pay/orders/${String(made['order_id'])}/pay`
    await this.#past.call('POST', path, { outcome: 'success', mode: 'netbanking' })
  }

  #openPage(): Promise<unknown> {
    return this.#past.call('POST', 'integrations/pay/pages', {
      title: 'Annual day tickets',
      slug: 'annual-day',
      description: 'In the assembly hall, at five in the afternoon.',
      details: [{ component_type: 'EVENT_FEE', label: 'Ticket', amount: 250, max_quantity: 5 }],
      is_published: true,
    })
  }

  /** The first term and the bus have passed, the rest is due tomorrow. */
  #setDueDates(): Promise<unknown> {
    const rule = (component: string, day: DayOffset) => ({
      component_type: component,
      due_date: this.#date(day),
      grace_days: 3,
      kind: 'per_day',
      amount_per_day: 25,
      max_amount: 500,
    })
    return this.#past.call('PUT', 'integrations/erp/payment-rules', {
      part_payments: true,
      min_amount: 500,
      allocation: 'oldest_due',
      surplus: 'refund',
      late_fees: [
        rule(TERMS[0], -75),
        rule('TRANSPORT_FEE', -20),
        rule(TERMS[1], 1),
        rule('TUITION_FEE_TERM_3', 26),
        rule('TUITION_FEE', 1),
      ],
    })
  }

  /** To a receiver that is down: its deliveries fail, are tried again and can be looked into. */
  #subscribe(): Promise<unknown> {
    return this.#past.call('POST', 'integrations/erp/webhooks', {
      event_code: 'pay.payment.debited',
      url: `${NOWHERE}/fees/webhook`,
      failure_notification_email: 'it@sunrise-school.example',
    })
  }
}
