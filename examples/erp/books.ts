import { DatabaseSync } from 'node:sqlite'

/**
 * The ERP's own data. A student has one record for each academic year. Money is never added up in place: every payment,
 * refund and returned debit is a row with the id that Bursar gave it, so a repeat changes nothing, and rows that arrive
 * in the wrong order come to the same sum.
 */
export class Books {
  readonly #db: DatabaseSync

  constructor(file = ':memory:') {
    this.#db = new DatabaseSync(file)
    this.#db.exec(SCHEMA)
  }

  addStudent(student: Student, fees: Record<string, number>): void {
    this.#db.prepare(INSERT_STUDENT).run(student)
    for (const [component, paise] of Object.entries(fees)) this.setFee(student, component, paise)
  }

  /** Without a year: the newest record. */
  findStudent(identifier: string, year: number | null = null): Student | null {
    return (this.#db
      .prepare(
        'select * from students where identifier = ? and year = coalesce(?, year) order by year desc limit 1',
      )
      .get(identifier, year) ?? null) as Student | null
  }

  listStudents(): Student[] {
    return this.#db.prepare('select * from students order by identifier, year').all() as Student[]
  }

  setState({ identifier, year }: StudentKey, state: Student['state']): void {
    this.#db
      .prepare('update students set state = ? where identifier = ? and year = ?')
      .run(state, identifier, year)
  }

  setServiceId({ identifier, year }: StudentKey, serviceStudentId: string): void {
    this.#db
      .prepare('update students set service_student_id = ? where identifier = ? and year = ?')
      .run(serviceStudentId, identifier, year)
  }

  setFee({ identifier, year }: StudentKey, component: string, paise: number): void {
    this.#db
      .prepare('insert or replace into fees values (?, ?, ?, ?)')
      .run(identifier, year, component, paise)
  }

  feesOf({ identifier, year }: StudentKey): { component: string; paise: number }[] {
    return this.#db
      .prepare('select component, paise from fees where identifier = ? and year = ?')
      .all(identifier, year) as { component: string; paise: number }[]
  }

  /** Does the work of an event once; all of it, or nothing when it fails. False: the event was here before. */
  once(eventId: string, work: () => void): boolean {
    this.#db.exec('begin immediate')
    try {
      const { changes } = this.#db.prepare('insert or ignore into events values (?)').run(eventId)
      if (changes === 1) work()
      this.#db.exec('commit')
      return changes === 1
    } catch (error) {
      this.#db.exec('rollback')
      throw error
    }
  }

  /** Two events tell of one payment: its id is the key. */
  bookPayment(payment: Payment): void {
    this.#db.prepare(INSERT_PAYMENT).run(payment)
    if (payment.utr === null) return
    this.#db.prepare('update payments set utr = ? where payment_id = ?').run(payment.utr, payment.payment_id)
  }

  bookRefund(refund: Refund): void {
    this.#db
      .prepare('insert or ignore into refunds values ($refund_id, $payment_id, $paise, $student_id)')
      .run(refund)
  }

  /** A debit that the bank takes back, perhaps days after it was booked. */
  bookReturn(instalmentId: string, attempt: number): void {
    this.#db.prepare('insert or ignore into returned_debits values (?, ?)').run(instalmentId, attempt)
  }

  addTask(about: string, text: string): void {
    this.#db.prepare('insert into tasks values (?, ?)').run(about, text)
  }

  listTasks(): { about: string; text: string }[] {
    return this.#db.prepare('select * from tasks').all() as { about: string; text: string }[]
  }

  findPayment(paymentId: string): (Payment & { is_returned: 0 | 1 }) | null {
    const found = this.#db.prepare(`${PAYMENTS} where payment_id = ?`).get(paymentId)
    return (found ?? null) as (Payment & { is_returned: 0 | 1 }) | null
  }

  refundsOf(paymentId: string): Refund[] {
    return this.#db.prepare('select * from refunds where payment_id = ?').all(paymentId) as Refund[]
  }

  /** What a student still owes: fees less what stands of the payments. */
  outstandingOf(student: StudentKey): number {
    const fees = this.feesOf(student).reduce((sum, { paise }) => sum + paise, 0)
    const { paid } = this.#db
      .prepare(`select coalesce(sum(paise), 0) as paid from (${PAYMENTS}) where is_returned = 0
        and identifier = ? and year = ?`)
      .get(student.identifier, student.year) as { paid: number }
    const { refunded } = this.#db
      .prepare(`select coalesce(sum(r.paise), 0) as refunded from refunds r join payments p using (payment_id)
        where p.identifier = ? and p.year = ?`)
      .get(student.identifier, student.year) as { refunded: number }
    return fees - paid + refunded
  }

  /** Where the daily catch-up goes on. */
  get lastEventId(): string | undefined {
    const row = this.#db.prepare('select id from cursor').get() as { id: string } | undefined
    return row?.id
  }

  set lastEventId(id: string) {
    this.#db.exec('delete from cursor')
    this.#db.prepare('insert into cursor values (?)').run(id)
  }
}

export type StudentKey = { identifier: string; year: number }
export type Student = StudentKey & {
  fullname: string
  grade: string
  date_of_birth: string
  contact_name: string
  /** Empty while the office has none: such a record cannot be used for collection. */
  contact_email: string
  contact_number: string
  state: 'active' | 'discontinued' | 'transferred'
  service_student_id: string | null
}
export type Payment = {
  payment_id: string
  /** Null: money of nobody that we know; a person has to look. */
  identifier: string | null
  year: number | null
  paise: number
  mode: string
  utr: string | null
  instalment_id: string | null
  attempt: number | null
}
export type Refund = { refund_id: string; payment_id: string; paise: number; student_id: string | null }

const SCHEMA = `
  create table if not exists students (identifier text, year int, fullname text, grade text, date_of_birth text,
    contact_name text, contact_email text, contact_number text, state text, service_student_id text,
    primary key (identifier, year)) strict;
  create table if not exists fees (identifier text, year int, component text, paise int,
    primary key (identifier, year, component)) strict;
  create table if not exists events (event_id text primary key) strict;
  create table if not exists payments (payment_id text primary key, identifier text, year int, paise int, mode text,
    utr text, instalment_id text, attempt int) strict;
  create table if not exists refunds (refund_id text primary key, payment_id text, paise int, student_id text) strict;
  create table if not exists returned_debits (instalment_id text, attempt int, primary key (instalment_id, attempt)) strict;
  create table if not exists tasks (about text, text text) strict;
  create table if not exists cursor (id text) strict;`
const INSERT_STUDENT = `insert or replace into students values ($identifier, $year, $fullname, $grade, $date_of_birth,
  $contact_name, $contact_email, $contact_number, $state, $service_student_id)`
const INSERT_PAYMENT = `insert or ignore into payments values ($payment_id, $identifier, $year, $paise, $mode, $utr,
  $instalment_id, $attempt)`
const PAYMENTS = `select p.*, r.instalment_id is not null as is_returned from payments p
  left join returned_debits r on r.instalment_id = p.instalment_id and r.attempt = p.attempt`
