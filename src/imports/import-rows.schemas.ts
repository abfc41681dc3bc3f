import { Type, type Static, type TObject } from 'typebox'
import { field } from '../http/fields.ts'
import { compileReader } from '../http/reader.ts'
import { BursarError } from '../platform/errors.ts'
import type { Discount } from '../fees/fees.rules.ts'
import { MAX_PROBLEMS_PER_ROW, type ImportKind, type RawProblem, type RawRow } from './imports.rules.ts'
import type { DirectPayment, Identity, Profile } from '../students/students.rules.ts'

/** Rows of an import, read by the formats and limits of the API: this is an edge of the process too. */
type RowOfStudent = { identity: Identity; collectorCode: string | undefined }

export type StudentRow = RowOfStudent & { registrationId: string; profile: Profile }

export type FeeRow = RowOfStudent & {
  componentType: string
  feePaise: number
  /** Undefined: those stored stay; empty: they end. */
  discounts: Discount[] | undefined
}

export type PaymentRow = RowOfStudent & {
  transactionId: string
  /** As JSON holds it. */
  paidAt: string
  line: DirectPayment['lines'][number]
} & Pick<DirectPayment, 'mode' | 'settlementUtr' | 'notes'>

export type RowOf = { students: StudentRow; fees: FeeRow; payments: PaymentRow }

const docs = (description: string) => ({ description })

const identity = {
  identifier: field.identifier(docs('Student identifier.')),
  grade: field.code(docs('Grade or class.')),
  academic_year_start: field.year(docs('Start year.')),
  academic_year_end: field.year(docs('End year.')),
  collector_code: Type.Optional(field.code(docs('Branch code.'))),
}
const ASCENDING = { 'x-ascending': ['academic_year_start', 'academic_year_end'] }

const StudentCells = Type.Object(
  {
    registration_id: field.registrationId(docs('Id of the user.')),
    fullname: field.text(docs('Full name.')),
    ...identity,
    new_admission: field.flag(docs('New admission or not.')),
    date_of_birth: field.day(docs('Date of birth.')),
    primary_contact_name: field.text(docs('Name of the primary contact.')),
    primary_contact_number: field.phone(docs('Phone of the primary contact.')),
    primary_contact_email: field.email(docs('E-mail of the primary contact.')),
    custom_identifier: Type.Optional(field.identifier(docs('A second identifier.'))),
  },
  ASCENDING,
)

const FeeCells = Type.Object(
  {
    ...identity,
    component_type: field.code(docs('What the fee is for.')),
    fee_amount: field.amount(docs('Rupees, before discounts.')),
    discount_type: Type.Optional(field.code(docs('What is taken off.'))),
    discount_amount: Type.Optional(field.amount(docs('Rupees taken off.'))),
  },
  ASCENDING,
)

const PaymentCells = Type.Object(
  {
    ...identity,
    transaction_id: field.identifier(docs('Unique for the student.')),
    component_type: field.code(docs('What was paid for.')),
    amount: field.positiveAmount(docs('Rupees paid for it.')),
    paid_at: field.momentOrDay(docs('When.')),
    mode: field.code(docs('Such as cash.')),
    settlement_utr: Type.Optional(field.identifier(docs('Settlement reference.'))),
    notes: Type.Optional(field.text(docs('A remark.'))),
  },
  ASCENDING,
)

type Reader<Row> = (raw: RawRow) => { kind: 'good'; row: Row } | { kind: 'bad'; problems: RawProblem[] }

function readerOf<Cells extends TObject, Row>(
  cells: Cells,
  toRow: (read: Static<Cells>) => Row,
  check: (read: Static<Cells>) => RawProblem[] = () => [],
): Reader<Row> {
  const read = compileReader(cells)
  return raw => {
    try {
      const values = read(raw) as Static<Cells>
      const problems = check(values)
      return problems.length > 0 ? { kind: 'bad', problems } : { kind: 'good', row: toRow(values) }
    } catch (error) {
      if (!(error instanceof BursarError) || error.problems === undefined) throw error
      const problems = error.problems.map(({ key, message }) => ({ column: key, message }))
      return { kind: 'bad', problems: problems.slice(0, MAX_PROBLEMS_PER_ROW) }
    }
  }
}

export const readRow: { [Kind in ImportKind]: Reader<RowOf[Kind]> } = {
  students: readerOf(StudentCells, row => ({
    ...ownerOf(row),
    registrationId: row.registration_id,
    profile: {
      customIdentifier: row.custom_identifier ?? null,
      fullname: row.fullname,
      newAdmission: row.new_admission,
      dateOfBirth: row.date_of_birth,
      contactName: row.primary_contact_name,
      contactNumber: row.primary_contact_number,
      contactEmail: row.primary_contact_email,
    },
  })),
  fees: readerOf(
    FeeCells,
    row => ({
      ...ownerOf(row),
      componentType: row.component_type,
      feePaise: row.fee_amount,
      discounts: discountsOf(row),
    }),
    discountProblems,
  ),
  payments: readerOf(PaymentCells, row => ({
    ...ownerOf(row),
    transactionId: row.transaction_id,
    paidAt: row.paid_at.toISOString(),
    line: { componentType: row.component_type, amountPaise: row.amount },
    mode: row.mode,
    settlementUtr: row.settlement_utr ?? null,
    notes: row.notes ?? null,
  })),
}

type IdentityCells = Pick<Static<typeof FeeCells>, Exclude<keyof typeof identity, 'collector_code'>> & {
  collector_code?: string
}

function ownerOf(row: IdentityCells): RowOfStudent {
  return {
    identity: {
      identifier: row.identifier,
      grade: row.grade,
      academicYearStart: row.academic_year_start,
      academicYearEnd: row.academic_year_end,
    },
    collectorCode: row.collector_code,
  }
}

/** A discount of 0 without a type ends those stored, as an empty list does in Update Fee. */
function discountsOf(row: Static<typeof FeeCells>): Discount[] | undefined {
  if (row.discount_amount === undefined) return undefined
  if (row.discount_type === undefined) return []
  return [{ discountType: row.discount_type, valuePaise: row.discount_amount }]
}

function discountProblems(row: Static<typeof FeeCells>): RawProblem[] {
  const { discount_type: type, discount_amount: amount } = row
  if (type !== undefined && amount === undefined)
    return [{ column: 'discount_amount', message: 'is required beside a discount_type' }]
  if (type === undefined && amount !== undefined && amount > 0)
    return [{ column: 'discount_type', message: 'is required beside a discount_amount' }]
  return []
}
