import type { ErpAnswer, ErpRecord, RefusalCode } from '../../erp/erp.rules.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import { failed, passed, type Verdict } from './check.rules.ts'

type Asked = { url: string; answer: ErpAnswer; differences: readonly FieldProblem[] }

/** What comes of a wrong code. */
const WHY: Readonly<Record<RefusalCode, string>> = {
  student_not_found: 'Fees would be collected for somebody who is not your student.',
  student_discontinued: 'Debits of a student who has left would go on.',
  student_transferred: 'Debits would go on under the old branch.',
  data_error: 'Debits would be made from data that you know to be wrong.',
}

export function judgeFound({ answer, differences }: Asked, identifier: string): Verdict {
  if (answer.kind === 'refused')
    return failed(
      `Your ERP answered ${answer.code} for ${identifier}. Answer 200 with the record of an active student, or name another identifier.`,
    )
  if (answer.kind === 'unavailable') return failed(answer.message)
  const { profile, identity, fees } = answer.record
  const [first] = differences
  if (first !== undefined)
    return failed(
      `The record was understood, but a fetch would not take all of it: ${first.key} ${first.message}.`,
    )
  return passed(`Understood: ${profile.fullname}, grade ${identity.grade}, ${fees.length} fee components.`)
}

export function judgeRefusal(wanted: RefusalCode, identifier: string, answer: ErpAnswer): Verdict {
  const shape = `422 with {"status": "error", "code": "${wanted}", "message": …}`
  if (answer.kind === 'found')
    return failed(`Your ERP answered 200 with a record for ${identifier}. Answer ${shape}. ${WHY[wanted]}`)
  if (answer.kind === 'unavailable')
    return failed(
      answer.reason === 'http_status'
        ? `Your ERP answered ${answer.httpStatus} for ${identifier}. Answer ${shape}: any other status counts as your ERP being away.`
        : answer.message,
    )
  if (answer.code !== wanted)
    return failed(`Your ERP answered ${answer.code} for ${identifier}. Answer ${shape}. ${WHY[wanted]}`)
  return passed(`Parents will read: ${answer.message}`)
}

export function judgeProtection(httpStatus: number | null): Verdict {
  if (httpStatus === 401 || httpStatus === 403) return passed(`Refused with ${httpStatus}.`)
  if (httpStatus === null) return failed('No answer came to a call without credentials. Answer 401.')
  return failed(
    `Your ERP answered ${httpStatus} to a call without credentials. Answer 401: otherwise anybody who knows the address reads your students.`,
  )
}

type Year = Pick<ErpRecord['identity'], 'academicYearStart' | 'academicYearEnd'>

/** `next`: what was answered for the year after. */
export function judgeYear(year: Year, same: Asked, next: Asked): Verdict {
  if (!next.url.includes('academic_year_start='))
    return failed(
      'Your ERP is not asked for a year. Switch on the lookup parameters academic_year_start and academic_year_end: after the year’s end nothing else tells it which record is meant.',
    )
  if (
    same.answer.kind !== 'found' ||
    same.answer.record.identity.academicYearStart !== year.academicYearStart
  )
    return failed(
      `Asked for the year ${yearText(year)} by name, your ERP did not answer with the record of that year. Answer for the year that is asked for.`,
    )
  const { answer } = next
  const wanted = { academicYearStart: year.academicYearStart + 1, academicYearEnd: year.academicYearEnd + 1 }
  if (answer.kind === 'refused' && answer.code === 'student_not_found')
    return passed(`There is no record of ${yearText(wanted)} yet, and your ERP says so.`)
  if (answer.kind === 'found' && answer.record.identity.academicYearStart === wanted.academicYearStart)
    return passed(`Each year has its own record: ${yearText(year)} and ${yearText(wanted)}.`)
  if (answer.kind === 'found')
    return failed(
      `Asked for the year ${yearText(wanted)}, your ERP answered with the record of ${yearText(answer.record.identity)}. Answer for the year that is asked for, and student_not_found for a year without a record: debits of the old year would be skipped after its end.`,
    )
  return failed(
    answer.kind === 'refused'
      ? `Asked for the year ${yearText(wanted)}, your ERP answered ${answer.code}. Answer with that year’s record, or student_not_found while there is none.`
      : answer.message,
  )
}

function yearText({ academicYearStart, academicYearEnd }: Year): string {
  return `${academicYearStart}-${academicYearEnd}`
}

/** What came back, in a line. */
export function describeAnswer(answer: ErpAnswer): string {
  switch (answer.kind) {
    case 'found':
      return `${answer.record.profile.fullname}, grade ${answer.record.identity.grade}, ${yearText(answer.record.identity)}`
    case 'refused':
      return `${answer.code}: ${answer.message}`
    default:
      return answer.message
  }
}
