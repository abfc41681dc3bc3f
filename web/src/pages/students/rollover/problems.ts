import { ApiError } from '../../../api/client.ts'
import { yearName } from '../../../ui/when.tsx'
import { readable } from '../../../ui/words.ts'
import type { RolloverRequest } from './preview.tsx'

/** What is wrong with a field of the form. */
export type FieldProblem = { field: string; label: string; message: string }

export const feeField = (grade: string, component: string): string => `fee ${grade} ${component}`
export const nextGradeField = (grade: string): string => `next ${grade}`

const LABELS: Record<string, string> = {
  to_academic_year_start: 'New year begins in',
  to_academic_year_end: 'New year ends in',
  carry_dues_as: 'Dues become the fee',
  carry_advance_as: 'Advance is named',
}

/** The server names fields by their place in what was sent; the form names them by grade and fee. */
export function problemsOf(error: Error | null, sent: RolloverRequest | undefined): FieldProblem[] {
  if (!(error instanceof ApiError) || sent === undefined) return []
  return error.problems.map(({ key, message }) => {
    const [list = '', index = '', , no = '', part] = key.split('.')
    const fees = list === 'fees' ? sent.fees[Number(index)] : undefined
    const fee = fees?.fee_components[Number(no)]
    if (fees !== undefined && fee !== undefined)
      return {
        field: feeField(fees.grade, fee.component_type),
        label: `${readable(fee.component_type)} of class ${fees.grade}`,
        message: part === 'fee_amount' ? 'must be an amount in rupees, such as 55000 or 55000.50' : message,
      }
    const grade = list === 'grades' ? sent.grades[Number(index)] : undefined
    if (grade !== undefined)
      return { field: nextGradeField(grade.grade), label: `Next class after ${grade.grade}`, message }
    return {
      field: key,
      label: LABELS[key] ?? readable(key.toUpperCase()),
      message: plain(key, message, sent),
    }
  })
}

function plain(key: string, message: string, sent: RolloverRequest): string {
  if (key === 'to_academic_year_start' && message.includes('from_academic_year_start'))
    return `must be later than ${yearName(sent.from_academic_year_start, sent.from_academic_year_end)}`
  if (key === 'to_academic_year_end' && message.includes('to_academic_year_start'))
    return 'must not be before the year it begins in'
  return message
}

/** The error of a field, and a mark by which it is found to be focused. */
export function errorProps(problems: readonly FieldProblem[], field: string) {
  const found = problems.find(one => one.field === field)
  if (found === undefined) return {}
  return { error: found.message.charAt(0).toUpperCase() + found.message.slice(1), 'data-problem': true }
}
