import { outputOf } from '../../http/wire/output.ts'
import { STUDENT_ID } from '../student.input.ts'
import { ROLLOVER_ID } from './rollover.input.ts'
import type { Rollover, RolloverProblem } from './rollover.service.ts'

const problem = outputOf<RolloverProblem>()
const problemOutput = problem.object({
  service_student_id: problem.text('The student of the old year.', STUDENT_ID, one => one.studentId),
  identifier: problem.text('Its identifier.', 'ADM-1042'),
  message: problem.text(
    'What is in the way; correct it and start the rollover again.',
    'The grade 5 is not among the grades of the rollover.',
  ),
})

const out = outputOf<Rollover>()
export const rolloverOutput = out.object({
  id: out.text('Id of the rollover; of a preview it leads nowhere.', ROLLOVER_ID),
  state: out.oneOf(['running', 'done'], 'Whether there are students left to look at.'),
  from_academic_year_start: out.integer('Start of the old year.', 2026, one => one.fromYearStart),
  from_academic_year_end: out.integer('Its end.', 2027, one => one.fromYearEnd),
  to_academic_year_start: out.integer('Start of the new year.', 2027, one => one.toYearStart),
  to_academic_year_end: out.integer('Its end.', 2028, one => one.toYearEnd),
  students_seen: out.integer(
    'Active students of the old year looked at so far.',
    412,
    one => one.counts.total,
  ),
  registered: out.integer('Registered for the new year.', 380, one => one.counts.registered),
  known: out.integer('Had a record of the new year already; it stays as it is.', 12, one => one.counts.known),
  leaving: out.integer('Of grades that leave the school.', 19, one => one.counts.leaving),
  problem_count: out.integer('Not registered; see problems.', 1, one => one.counts.problems),
  carried_dues: out.amount(
    'Dues that went over to new records, rupees.',
    84000,
    one => one.counts.carriedDuesPaise,
  ),
  carried_advance: out.amount(
    'Advances that went over to new records, rupees.',
    1500,
    one => one.counts.carriedAdvancePaise,
  ),
  problems: out.list('The first 200.', problemOutput),
  created_at: out.moment('When it was started.', '2027-03-20T04:32:10.000Z'),
  finished_at: out.optional.moment('Present only when it is done.', '2027-03-20T04:33:00.000Z'),
})
