import { field, ifSent, input, query } from '../../http/wire/input.ts'
import { SCHOOL_YEAR, studentFields } from '../../students/student.input.ts'
import { outputOf } from '../../http/wire/output.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import { changedField } from '../../students/student.output.ts'
import type { ErpAnswer, ErpRecord, ErpUser, ScheduleRow } from '../erp.rules.ts'
import type { Fetch, FetchTest } from './pull.service.ts'
import { PULL_REASONS } from './pull.store.ts'

/** What the routes of the pull integration take. */
const FETCH_ID = 'fetch_1k092c8gpz8wezh4es8gqprf85'

export const fetchTestInput = input(
  {
    identifier: field.identifier('The student to ask for.', 'ADM-1042'),
    grade: ifSent(field.code('Grade code; sent if the lookup option has it.', '5')),
    custom_identifier: ifSent(field.identifier('Likewise.', 'ROLL-17')),
    collector_code: ifSent(field.code('Branch code: chooses the settings, and is sent likewise.', 'MAIN')),
    academic_year_start: ifSent(studentFields.academic_year_start),
    academic_year_end: ifSent(studentFields.academic_year_end),
  },
  SCHOOL_YEAR,
)

export const listFetchesQuery = query({ limit: field.pageSize(), cursor: field.cursor(FETCH_ID) })

/** What came of asking an ERP, as API, console and command line show it. */
const problem = outputOf<FieldProblem>()
const problemOutput = problem.object({
  key: problem.text("Dotted path in the ERP's answer.", 'data.student.grade'),
  message: problem.text('What is wrong there.', 'is required'),
})

const CODE =
  "The ERP's code when it refused; when it was unavailable the kind of trouble, such as `timeout` or `wrong_record`."
const MESSAGE = "The ERP's words when it refused, otherwise what is to be mended."
const WRONG = 'The answer of the ERP is wrong: data.student.grade is required.'
const HTTP_STATUS = 'That the ERP answered with; absent when no answer came.'
const DURATION = 'How long the call took, ms.'
const PROBLEMS = "What is wrong with the ERP's answer, field by field."

const fetch = outputOf<Fetch>()
export const fetchOutput = fetch.object('ErpFetch', {
  id: fetch.text('Id of the fetch.', FETCH_ID),
  reason: fetch.oneOf(PULL_REASONS, 'Why the ERP was asked.'),
  fetched_at: fetch.moment('When.', '2026-11-15T04:32:10.000Z'),
  duration_ms: fetch.integer(DURATION, 212),
  outcome: fetch.oneOf(['found', 'refused', 'unavailable'], 'What came of it.'),
  http_status: fetch.optional.integer(HTTP_STATUS, 200),
  code: fetch.optional.text(CODE, 'wrong_record'),
  message: fetch.optional.text(MESSAGE, WRONG),
  problems: fetch.list(PROBLEMS, problemOutput),
  changes: fetch.list(
    'What it changed of the student and its fees; what it changed of a plan stands in `decisions` of the plan. A test changes nothing.',
    changedField(
      'Such as `grade`, or `fee_components.TUITION_FEE.fee_amount`.',
      { field: 'fee_components.TUITION_FEE.fee_amount', before: 60000, after: 55000 },
      'As the ERP has it; amounts in rupees.',
    ),
  ),
})

type Understood = ErpRecord['identity'] & ErpRecord['profile'] & Pick<ErpRecord, 'collectorCode'>
const student = outputOf<Understood>()
const understoodOutput = student.object({
  identifier: student.text('Identifier.', 'ADM-1042'),
  fullname: student.text('Full name.', 'Kabir Rao'),
  collector_code: student.optional.text('Present only if sent.', 'MAIN'),
  grade: student.text('Grade code.', '5'),
  new_admission: student.flag('New admission or not.', false),
  academic_year_start: student.integer('Start year.', 2026),
  academic_year_end: student.integer('End year.', 2027),
  date_of_birth: student.optional.day('Present only if sent.', '2015-06-20'),
  primary_contact_name: student.text('Name of the primary contact.', 'Asha Rao', one => one.contactName),
  primary_contact_email: student.text('Its e-mail address.', 'asha@example.in', one => one.contactEmail),
  primary_contact_number: student.text('Its mobile number.', '+91 98765 43210', one => one.contactNumber),
})

const fee = outputOf<ErpRecord['fees'][number]>()
const feeOutput = fee.object({
  component_type: fee.text('What it is for.', 'TUITION_FEE'),
  fee_amount: fee.amount('Total after discounts, rupees.', 55000, one => one.feePaise),
})

const line = outputOf<ScheduleRow['details'][number]>()
const lineOutput = line.object({
  component_type: line.text('What it is for.', 'TUITION_FEE'),
  amount: line.amount('Payable rupees.', 5500),
})

const row = outputOf<ScheduleRow>()
const rowOutput = row.object({
  due_date: row.day('Due date.', '2026-12-05'),
  reference_id: row.optional.text('Present only if sent.', 'INST-1'),
  identifier: row.optional.text('Present only if sent.', 'T1'),
  is_downpayment: row.flag('Paid at set-up.', false),
  details: row.list('By component.', lineOutput),
})

const user = outputOf<ErpUser>()
const userOutput = user.object({
  name: user.text('Name.', 'Asha Rao'),
  phone: user.text('Phone.', '+91 98765 43210'),
})

const test = outputOf<FetchTest>()
export const testOutput = test.object('ErpFetchTest', {
  outcome: test.oneOf(
    ['found', 'refused', 'unavailable', 'not_configured'],
    'not_configured: no fetch URL is set, so nothing was asked.',
    one => (one.kind === 'asked' ? one.answer.kind : one.kind),
  ),
  url: test.optional.text(
    'What was asked; credentials go in a header.',
    'https://erp.example.in/fetch-student?identifier=ADM-1042',
    one => (one.kind === 'asked' ? one.url : null),
  ),
  duration_ms: test.optional.integer(DURATION, 212, one => answerOf(one)?.durationMs),
  http_status: test.optional.integer(HTTP_STATUS, 200, one => answerOf(one)?.httpStatus),
  code: test.optional.text(CODE, 'wrong_record', one => codeOf(answerOf(one))),
  acts_as: test.optional.text(
    'The code that a refusal is treated as; an unknown one is `data_error`.',
    'data_error',
    one => partOf(answerOf(one), 'refused')?.actsAs,
  ),
  message: test.optional.text(MESSAGE, WRONG, one => messageOf(answerOf(one))),
  problems: test.list(
    `${PROBLEMS} Of a record that was found: what a fetch would refuse, leave out or cut.`,
    problemOutput,
    one => partOf(answerOf(one), 'unavailable')?.problems ?? (one.kind === 'asked' ? one.differences : []),
  ),
  student: test.optional.one(
    'The student as it was understood; present only when found.',
    understoodOutput,
    one => {
      const record = recordOf(one)
      return record && { ...record.identity, ...record.profile, collectorCode: record.collectorCode }
    },
  ),
  fee_components: test.optional.list('Present only when found.', feeOutput, one => recordOf(one)?.fees),
  payment_schedule: test.optional.list(
    'Present only if sent.',
    rowOutput,
    one => recordOf(one)?.paymentSchedule,
  ),
  user: test.optional.one('Present only if sent.', userOutput, one => recordOf(one)?.user),
})

function answerOf(one: FetchTest): ErpAnswer | null {
  return one.kind === 'asked' ? one.answer : null
}

function partOf<Kind extends ErpAnswer['kind']>(
  answer: ErpAnswer | null,
  kind: Kind,
): Extract<ErpAnswer, { kind: Kind }> | null {
  return answer?.kind === kind ? (answer as Extract<ErpAnswer, { kind: Kind }>) : null
}

function recordOf(one: FetchTest): ErpRecord | undefined {
  return partOf(answerOf(one), 'found')?.record
}

function codeOf(answer: ErpAnswer | null): string | undefined {
  return partOf(answer, 'refused')?.code ?? partOf(answer, 'unavailable')?.reason
}

function messageOf(answer: ErpAnswer | null): string | undefined {
  return answer === null || answer.kind === 'found' ? undefined : answer.message
}
