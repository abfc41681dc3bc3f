import { field, input, optional } from '../http/wire/input.ts'
import { feeFields, pulledStudentFields, SCHOOL_YEAR } from '../students/student.input.ts'
import { actsAs, type ErpRecord, type RefusalCode } from './erp.rules.ts'
import { MAX_COMPONENTS } from '../fees/fees.rules.ts'

/**
 * What an ERP's fetch-student endpoint answers, read by the wire conventions that we hold ourselves to: this is the
 * edge of the process too, only that here we are the client. Readers throw a 400 that names every wrong field.
 */
const MAX_SCHEDULE_ROWS = 366
const MAX_MESSAGE = 2_000

/** The contract's record has no second identifier. */
const { custom_identifier: _unsent, ...studentFields } = pulledStudentFields
const collectorCode = field.code('Branch code.', 'MAIN')
const { component_type, fee_amount } = feeFields

const schedule = field.list(
  'The instalments.',
  input({
    due_date: field.day('YYYY-MM-DD.', '2026-12-05'),
    reference_id: optional(field.identifier("The ERP's own reference.", 'INST-1')),
    identifier: optional(field.identifier("The ERP's own identifier.", 'T1')),
    is_downpayment: optional(field.flag('Paid at set-up.', false), false),
    details: field.list(
      'By component.',
      input({ component_type, amount: field.amount('Payable rupees.', 5500) }),
      { min: 1, max: MAX_COMPONENTS },
    ),
  }),
  { max: MAX_SCHEDULE_ROWS },
)

/** What the settings of an institute make of optional fields. */
export type Demands = { isBranchRequired: boolean; isScheduleRequired: boolean }

function answerInput({ isBranchRequired, isScheduleRequired }: Demands) {
  const student = {
    ...studentFields,
    // Read alike, whichever is demanded.
    collector_code: isBranchRequired ? (collectorCode as typeof leniently) : leniently,
  }
  return input({
    status: field.oneOf(['success'], 'success'),
    data: field.object(
      'The record.',
      input({
        student: field.object('The student.', input(student, SCHOOL_YEAR)),
        fee_components: field
          .list('Totals.', input({ component_type, fee_amount }), { max: MAX_COMPONENTS })
          .as('fees'),
        payment_schedule: isScheduleRequired ? (schedule as typeof lenientSchedule) : lenientSchedule,
        user: optional(
          field.object(
            'The parent.',
            input({ name: field.text('Name.', 'Asha Rao'), phone: field.phone('Phone.', '+91 98765 43210') }),
          ),
        ),
      }),
    ),
  })
}
const leniently = optional(collectorCode)
const lenientSchedule = optional(schedule)

/** One reader for each combination: they are compiled once. */
const inputs = new Map<string, ReturnType<typeof answerInput>>()

function inputFor(demands: Demands): ReturnType<typeof answerInput> {
  const key = JSON.stringify([demands.isBranchRequired, demands.isScheduleRequired])
  const known = inputs.get(key) ?? answerInput(demands)
  inputs.set(key, known)
  return known
}

export function readRecord(body: unknown, demands: Demands): ErpRecord {
  const { student, ...record } = inputFor(demands).read(body).data
  const { identifier, grade, academicYearStart, academicYearEnd, collectorCode: branch, ...profile } = student
  return {
    ...record,
    identity: { identifier, grade, academicYearStart, academicYearEnd },
    collectorCode: branch,
    profile: { ...profile, customIdentifier: null },
  }
}

const refusalInput = input({
  status: field.oneOf(['error'], 'error'),
  message: field.text('For parents.', 'The student has left the school.', MAX_MESSAGE),
  code: field.code('One of the four codes.', 'student_discontinued'),
})

export function readRefusal(body: unknown): { code: string; actsAs: RefusalCode; message: string } {
  const { code, message } = refusalInput.read(body)
  return { code, actsAs: actsAs(code), message }
}
