const BEFORE_SCHOOL = ['NURSERY', 'LKG', 'UKG']
const ROMAN = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII']
const LAST = 12

/** What a form begins with; a person looks at it. 'leaves' after grade 12; null when the name says nothing. */
export function suggestNextGrade(grade: string): { next: string } | 'leaves' | null {
  const [, head = '', digits, tail = ''] = /^(\D*)(\d{1,2})(\D*)$/.exec(grade) ?? []
  if (digits !== undefined) {
    const next = Number(digits) + 1
    return next > LAST ? 'leaves' : { next: head + String(next).padStart(digits.length, '0') + tail }
  }
  const roman = ROMAN.indexOf(grade.toUpperCase())
  if (roman >= 0) return roman + 1 === LAST ? 'leaves' : { next: ROMAN[roman + 1] ?? '' }
  const early = BEFORE_SCHOOL.indexOf(grade.toUpperCase())
  return early < 0 ? null : { next: BEFORE_SCHOOL[early + 1] ?? '1' }
}
