import { startReceiver, type Behaviour, type Received } from '../receiver.ts'

/** An ERP's fetch-student endpoint on a real socket: students by identifier, and whatever trouble a test wants. */
export type FakeErp = {
  /** The fetch URL. */
  url: string
  origin: string
  requests: Received[]
  readonly inFlight: number
  readonly maxInFlight: number
  /** Adds a student, or replaces the one of this identifier. */
  put(record: ErpRecordJson): void
  /** Answers this one with a refusal from now on. */
  refuse(identifier: string, code: string, message: string): void
  /** Answers each request as told; null lets the ERP answer by itself. A promise holds the answer back. */
  disturb(how: ((identifier: string, n: number) => Disturbance | Promise<Disturbance>) | null): void
  /** Resolves when so many have come in all. */
  waitForRequests(count: number): Promise<Received[]>
}

export type Disturbance = Behaviour | null

// Records are written as a test wants them, also wrongly.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any
export type ErpRecordJson = { student: Json; fee_components: Json; payment_schedule?: Json; user?: Json }

type Owner = { after(done: () => Promise<void> | void): void }
type Options = NonNullable<Parameters<typeof startReceiver>[1]> & { username?: string; password?: string }

export async function startFakeErp(owner: Owner, options: Options = {}): Promise<FakeErp> {
  const receiver = await startReceiver(owner, options)
  const answers = new Map<string, Behaviour>()
  let disturbance: Parameters<FakeErp['disturb']>[0] = null
  const expected =
    options.username === undefined
      ? null
      : `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`
  receiver.answer(async ({ path, headers }, n) => {
    const identifier = new URL(path, receiver.origin).searchParams.get('identifier') ?? ''
    const disturbed = (await disturbance?.(identifier, n)) ?? null
    if (disturbed !== null) return disturbed
    if (expected !== null && headers.authorization !== expected) return json(401, { status: 'error' })
    return answers.get(identifier) ?? refusal('student_not_found', 'We do not know this student.')
  })
  return {
    url: `${receiver.origin}/fetch-student`,
    origin: receiver.origin,
    requests: receiver.requests,
    get inFlight() {
      return receiver.inFlight
    },
    get maxInFlight() {
      return receiver.maxInFlight
    },
    put: record => void answers.set(record.student.identifier, found(record)),
    refuse: (identifier, code, message) => void answers.set(identifier, refusal(code, message)),
    disturb: how => void (disturbance = how),
    waitForRequests: count => receiver.waitForRequests(count),
  }
}

export function found(record: unknown): Behaviour {
  return json(200, { status: 'success', data: record })
}

export function refusal(code: string, message: string): Behaviour {
  return json(422, { status: 'error', message, code })
}

export function json(status: number, body: unknown): Behaviour {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** A record that is right as it stands; it says what `sampleStudent` registers. */
export function sampleRecord(student: Record<string, unknown> = {}, rest: object = {}): ErpRecordJson {
  return {
    student: {
      fullname: 'Kabir Rao',
      identifier: 'ADM-1042',
      grade: '5',
      new_admission: false,
      academic_year_start: '2026',
      academic_year_end: '2027',
      date_of_birth: '2015-06-20',
      primary_contact_name: 'Asha Rao',
      primary_contact_email: 'asha@example.in',
      primary_contact_number: '9876543210',
      ...student,
    },
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60000 }],
    ...rest,
  }
}
