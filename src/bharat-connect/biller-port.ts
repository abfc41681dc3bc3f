import type { Paise } from '../platform/money.ts'

/**
 * What a biller operating unit of Bharat Connect (BBPS) is to us. The unit calls: it asks for the bill of a customer, posts a payment that
 * the network has taken, and tells of a pay-out. An adapter knows how its calls are signed, what they say and how they are answered;
 * it decides nothing and keeps nothing.
 */
export type BillerUnit = {
  readonly name: string
  readonly title: string
  /** Made here and entered at the unit, which signs its calls with them. */
  newCredentials(): UnitCredentials
  /** `now` is real time. */
  isSigned(call: UnitCall, credentials: UnitCredentials, now: Date): boolean
  /** What these bodies say; throws `AnswerError` where one cannot be read. */
  readQuestion(body: Buffer): BillQuestion
  readPosted(body: Buffer): PostedPayment
  readPayOuts(body: Buffer): PayOutNotice[]
  answer(answer: BillerAnswer): UnitAnswer
  /** The same from the unit's side, where this installation plays it: a sandbox, and the test on the settings page. */
  sign(credentials: UnitCredentials, now: Date): Readonly<Record<string, string>>
  ask(question: BillQuestion): string
}

export type UnitCall = { headers: Readonly<Record<string, string | undefined>>; body: Buffer }
export type UnitAnswer = { httpStatus: number; body: Readonly<Record<string, unknown>> }

export type UnitCredentials = {
  /** Names the school to the unit, and the unit to us. */
  schemeId: string
  secret: string
}

/** What an app asks the payer for. The unit's settings name the fields so. */
export const ADMISSION_NUMBER = 'admission_number'
export const SECOND_IDENTIFIERS = ['date_of_birth', 'phone'] as const
export type SecondIdentifier = (typeof SECOND_IDENTIFIERS)[number]

/** What a payer entered, by the names of the fields. */
export type BillQuestion = ReadonlyMap<string, string>

/** Money that the network has taken for a bill. */
export type PostedPayment = {
  /** The network's own reference. */
  reference: string
  /** The unit's name for the bill, by which its pay-outs name the money. */
  unitBillId: string
  /** Ours. */
  billId: string
  amountPaise: Paise
  /** How the payer paid in the app, in the unit's words. */
  instrument: string | null
  /** Null where the unit does not say. */
  paidAt: Date | null
}

/** The unit has paid out what these bills brought, less what it keeps. */
export type PayOutNotice = {
  id: string
  utr: string
  amountPaise: Paise
  unitBillIds: readonly string[]
  at: Date
}

/** How much of a bill an app takes. */
export type Exactness = 'exact' | 'at_least' | 'any'

export type Bill = {
  id: string
  billedAt: Date
  dueAt: Date
  exactness: Exactness
  /** What the app shows as the amount: all that is due, or the least where a part may be paid. */
  amountPaise: Paise
  totalPaise: Paise
  lines: readonly { name: string; amountPaise: Paise }[]
  student: {
    name: string
    admissionNumber: string
    className: string
    academicYear: string
    parentName: string
  }
  school: { name: string; address: string | null }
}

export type BillerAnswer =
  | { kind: 'bill'; bill: Bill }
  | { kind: 'nothing_due'; customerName: string }
  /** Whichever of the identifiers is wrong. */
  | { kind: 'unknown_customer' }
  | { kind: 'receipt'; number: string; at: Date }
  | { kind: 'unknown_bill' }
  /** The reference is known with another amount, or of another bill. */
  | { kind: 'contradicted' }
  | { kind: 'noted' }
  | { kind: 'unreadable'; detail: string }
  | { kind: 'not_signed' }
  /** The unit sends it again. */
  | { kind: 'failed' }
