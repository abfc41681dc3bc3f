import { Type, type Static, type TObject } from 'typebox'
import { field } from '../http/wire/fields.ts'
import { compileReader } from '../http/wire/reader.ts'
import { actsAs, type ErpRecord, type RefusalCode, type ScheduleRow } from './erp.rules.ts'
import { MAX_COMPONENTS } from '../fees/fees.rules.ts'

/**
 * What an ERP's fetch-student endpoint answers, read by the wire conventions that we hold ourselves to: this is the
 * edge of the process too, only that here we are the client. Readers throw a 400 that names every wrong field.
 */
const MAX_SCHEDULE_ROWS = 366
const MAX_MESSAGE = 2_000

const student = {
  fullname: field.text({ description: 'Full name.' }),
  identifier: field.identifier({ description: 'The student that was asked for.' }),
  grade: field.code({ description: 'Grade code.' }),
  new_admission: field.flag({ description: 'New admission or not.' }),
  academic_year_start: field.year({ description: 'Start year.' }),
  academic_year_end: field.year({ description: 'End year.' }),
  date_of_birth: Type.Optional(field.day({ description: 'YYYY-MM-DD.' })),
  primary_contact_name: field.text({ description: 'Name of the primary contact.' }),
  primary_contact_email: field.email({ description: 'Its e-mail address.' }),
  primary_contact_number: field.phone({ description: 'Its mobile number.' }),
}
const collectorCode = field.code({ description: 'Branch code.' })
const ASCENDING = { 'x-ascending': ['academic_year_start', 'academic_year_end'] }

const componentType = field.code({ description: 'As agreed between the service and the ERP.' })

const schedule = Type.Array(
  Type.Object({
    due_date: field.day({ description: 'YYYY-MM-DD.' }),
    reference_id: Type.Optional(field.identifier({ description: "The ERP's own reference." })),
    identifier: Type.Optional(field.identifier({ description: "The ERP's own identifier." })),
    is_downpayment: Type.Optional(field.flag({ description: 'Paid at set-up.' })),
    details: Type.Array(
      Type.Object({
        component_type: componentType,
        amount: field.amount({ description: 'Payable rupees.' }),
      }),
      { minItems: 1, maxItems: MAX_COMPONENTS },
    ),
  }),
  { maxItems: MAX_SCHEDULE_ROWS },
)

const fees = Type.Array(
  Type.Object({
    component_type: componentType,
    fee_amount: field.amount({ description: 'Total of the component.' }),
  }),
  { maxItems: MAX_COMPONENTS },
)

const user = Type.Optional(
  Type.Object({
    name: field.text({ description: 'Name.' }),
    phone: field.phone({ description: 'Phone.' }),
  }),
)

const status = field.oneOf(['success'], { description: 'success' })

/** The most lenient form: its static type is that of all of them. */
const Answer = Type.Object({
  status,
  data: Type.Object({
    student: Type.Object({ ...student, collector_code: Type.Optional(collectorCode) }, ASCENDING),
    fee_components: fees,
    payment_schedule: Type.Optional(schedule),
    user,
  }),
})
type Answer = Static<typeof Answer>

const Refusal = Type.Object({
  status: field.oneOf(['error'], { description: 'error' }),
  message: field.text({ description: 'For parents.' }, MAX_MESSAGE),
  code: field.code({ description: 'One of the four codes.' }),
})

/** What the settings of an institute make of optional fields. */
export type Demands = { isBranchRequired: boolean; isScheduleRequired: boolean }

/** One reader for each combination: they are compiled once. */
const readers = new Map<string, (value: unknown) => unknown>()

function readerFor({ isBranchRequired, isScheduleRequired }: Demands): (value: unknown) => unknown {
  const key = `${isBranchRequired} ${isScheduleRequired}`
  const known = readers.get(key)
  if (known !== undefined) return known
  const branch = isBranchRequired ? collectorCode : Type.Optional(collectorCode)
  const data: TObject = Type.Object({
    student: Type.Object({ ...student, collector_code: branch }, ASCENDING),
    fee_components: fees,
    payment_schedule: isScheduleRequired ? schedule : Type.Optional(schedule),
    user,
  })
  const reader = compileReader(Type.Object({ status, data }))
  readers.set(key, reader)
  return reader
}

export function readRecord(body: unknown, demands: Demands): ErpRecord {
  const { data } = readerFor(demands)(body) as Answer
  const { student: sent } = data
  return {
    identity: {
      identifier: sent.identifier,
      grade: sent.grade,
      academicYearStart: sent.academic_year_start,
      academicYearEnd: sent.academic_year_end,
    },
    collectorCode: sent.collector_code ?? null,
    profile: {
      fullname: sent.fullname,
      newAdmission: sent.new_admission,
      dateOfBirth: sent.date_of_birth ?? null,
      contactName: sent.primary_contact_name,
      contactNumber: sent.primary_contact_number,
      contactEmail: sent.primary_contact_email,
    },
    fees: data.fee_components.map(fee => ({ componentType: fee.component_type, feePaise: fee.fee_amount })),
    paymentSchedule: data.payment_schedule?.map(toScheduleRow) ?? null,
    user: data.user ?? null,
  }
}

function toScheduleRow(row: Static<typeof schedule>[number]): ScheduleRow {
  return {
    dueDate: row.due_date,
    referenceId: row.reference_id ?? null,
    identifier: row.identifier ?? null,
    isDownpayment: row.is_downpayment ?? false,
    details: row.details.map(line => ({ componentType: line.component_type, amountPaise: line.amount })),
  }
}

const readRefusalBody = compileReader(Refusal)

export function readRefusal(body: unknown): { code: string; actsAs: RefusalCode; message: string } {
  const { code, message } = readRefusalBody(body) as Static<typeof Refusal>
  return { code, actsAs: actsAs(code), message }
}
