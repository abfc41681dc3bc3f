import { field, input, optional, query } from '../../http/wire/input.ts'
import { MAX_COMPONENTS } from '../../fees/fees.rules.ts'
import { feeFields, STUDENT_ID } from '../student.input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { addByGrade, addCounts, type GradeSum, type RolloverCounts } from './rollover.rules.ts'
import { ROLLOVER_STATES, type Rollover, type RolloverProblem } from './rollover.service.ts'

const ROLLOVER_ID = 'roll_01k9zq4m0ve8sbn6yt2hw3c5da'
const MAX_GRADES = 200

export const rolloverFields = {
  from_academic_year_start: field
    .year('Start of the year whose students are taken.', 2026)
    .as('fromYearStart'),
  from_academic_year_end: field.year('Its end.', 2027).as('fromYearEnd'),
  to_academic_year_start: field
    .year('Start of the year that they are registered for.', 2027)
    .as('toYearStart'),
  to_academic_year_end: field.year('Its end.', 2028).as('toYearEnd'),
  grades: field.list(
    'Where each grade goes. A student of a grade that is not here is reported as a problem.',
    input({
      grade: field.code('Grade of the old year.', '5'),
      next_grade: optional(
        field.code('Grade of the new year; absent: these students leave the school.', '6'),
      ),
    }),
    { min: 1, max: MAX_GRADES },
  ),
  fees: optional(
    field.list(
      'What a grade of the new year costs; one that is not here costs what the fee structure of that year says, if the office keeps one, else nothing yet. A branch with a fee structure of its own always costs what that says.',
      input({
        grade: field.code('Grade of the new year.', '6'),
        fee_components: field.list('The fees.', input(feeFields), { min: 1, max: MAX_COMPONENTS }).as('fees'),
      }),
      { max: MAX_GRADES },
    ),
    [],
  ),
  carry_dues_as: optional(
    field.code(
      'The component of the new record that takes over what is still due of the old one; absent: it stays due there.',
      'PREVIOUS_YEAR_DUES',
    ),
  ).as('duesComponent'),
  carry_advance_as: optional(
    field.code(
      'The component of the new record that takes over what was paid too much; absent: it stays on the old one.',
      'PREVIOUS_YEAR_ADVANCE',
    ),
  ).as('advanceComponent'),
  preview: optional(field.flag('true: only say what would happen.', false), false).as('isPreview'),
}

export const rolloverInput = input(rolloverFields)

export const rolloverParams = input({
  rollover_id: field.resourceId('The id that starting it answered with.', ROLLOVER_ID),
})

export const rolloversQuery = query({ limit: field.pageSize(), cursor: field.cursor(ROLLOVER_ID) })

const problem = outputOf<RolloverProblem>()
const problemOutput = problem.object({
  service_student_id: problem.text('The student of the old year.', STUDENT_ID, one => one.studentId),
  identifier: problem.text('Its identifier.', 'ADM-1042'),
  fullname: problem.text('Its name.', 'Kabir Rao'),
  message: problem.text(
    'What is in the way; correct it and start the rollover again.',
    'The class 5 is not among the classes of the rollover.',
  ),
})

const counts = outputOf<RolloverCounts>()
const countFields = {
  registered: counts.integer('Registered for the new year.', 380),
  known: counts.integer('Had a record of the new year already; it stays as it is.', 12),
  leaving: counts.integer('Of grades that leave the school.', 19),
  problem_count: counts.integer('Not registered; see problems.', 1, one => one.problems),
  not_carried: counts.integer(
    'With a record of the new year, but what is due or held stays on the old one for now; see problems.',
    2,
  ),
  fees: counts.amount('Fees of those registered, after discounts, rupees.', 24700000),
  concessions: counts.amount(
    'In a preview: what the concessions by rule of the fee structure take off afterwards, by the children who are here this year.',
    54000,
    one => one.concessionsPaise,
  ),
  conceded: counts.integer('In a preview: from how many students.', 18),
  carried_dues: counts.amount('Dues that went over to new records, rupees.', 84000),
  carried_advance: counts.amount('Advances that went over to new records, rupees.', 1500),
}

const grade = outputOf<GradeSum>()
const gradeOutput = grade.object({
  grade: grade.text('Grade of the old year.', '5'),
  next_grade: grade.optional.text('Grade of the new year; absent when it leaves, or is not mapped.', '6'),
  students: grade.integer('Active students of the old year looked at.', 414),
  ...countFields,
})

const out = outputOf<Rollover>()
const total = <Key extends keyof RolloverCounts>(key: Key) => {
  return (one: Rollover): RolloverCounts[Key] => addCounts(one.grades)[key]
}
export const rolloverOutput = out.object('Rollover', {
  id: out.text('Id of the rollover; of a preview it leads nowhere.', ROLLOVER_ID),
  state: out.oneOf(
    ROLLOVER_STATES,
    'running while there are students left to look at; stopped half way by a person, or because the fee structure of the new year was changed: start it again to go on.',
  ),
  from_academic_year_start: out.integer('Start of the old year.', 2026, one => one.fromYearStart),
  from_academic_year_end: out.integer('Its end.', 2027, one => one.fromYearEnd),
  to_academic_year_start: out.integer('Start of the new year.', 2027, one => one.toYearStart),
  to_academic_year_end: out.integer('Its end.', 2028, one => one.toYearEnd),
  students_total: out.integer('Active students of the old year when it was started.', 414),
  students_seen: out.integer('Those looked at so far.', 414, total('students')),
  registered: out.integer('Registered for the new year.', 380, total('registered')),
  known: out.integer('Had a record of the new year already; it stays as it is.', 12, total('known')),
  leaving: out.integer('Of grades that leave the school.', 19, total('leaving')),
  problem_count: out.integer('Not registered; see problems.', 1, total('problems')),
  not_carried: out.integer(
    'With a record of the new year, but what is due or held stays on the old one for now; see problems.',
    2,
    total('notCarried'),
  ),
  fees: out.amount('Fees of those registered, after discounts, rupees.', 24700000, total('feesPaise')),
  concessions: out.amount(
    'In a preview: what concessions by rule of the fee structure take off afterwards, rupees.',
    54000,
    total('concessionsPaise'),
  ),
  conceded: out.integer('In a preview: from how many students.', 18, total('conceded')),
  carried_dues: out.amount('Dues that went over to new records, rupees.', 84000, total('carriedDuesPaise')),
  carried_advance: out.amount(
    'Advances that went over to new records, rupees.',
    1500,
    total('carriedAdvancePaise'),
  ),
  grades: out.list('The same for each grade of the old year.', gradeOutput, one => addByGrade(one.grades)),
  problems: out.list('The first 200.', problemOutput),
  created_at: out.moment('When it was started.', '2027-03-20T04:32:10.000Z'),
  finished_at: out.optional.moment('Present only when it is done or stopped.', '2027-03-20T04:33:00.000Z'),
})
export type RolloverAnswer = Shown<typeof rolloverOutput>
