import {
  structureFor,
  type FeeStructure,
  type YearStructures,
} from '../../../fees/structures/structure.rules.ts'

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

type YearBefore = { now: YearStructures; next: YearStructures; nextYear: string }

/** What the new year lacks to be charged as this one is, in sentences for whoever starts it. */
export function missingForYear(
  { now, next, nextYear }: YearBefore,
  branches: readonly { collectorCode: string; name: string }[],
): string[] {
  const unpriced = branches.filter(({ collectorCode }) => structureFor(next, collectorCode) === null)
  if (unpriced.length === branches.length) return [`There is no fee structure for ${nextYear}.`]
  const priced = branches.filter(branch => !unpriced.includes(branch))
  return [
    ...unpriced.map(({ name }) => `There is no fee structure for ${nextYear} in ${name}.`),
    ...priced.flatMap(({ collectorCode: code, name }) =>
      now.own.has(code) && !next.own.has(code)
        ? [`${name} has a fee structure of its own this year and none for ${nextYear}.`]
        : [],
    ),
    ...priced.flatMap(({ collectorCode: code, name }) =>
      hasSiblings(structureFor(now, code)) && !hasSiblings(structureFor(next, code))
        ? [
            `The fees of ${name} for ${nextYear} have no concessions for brothers and sisters, as those of this year have.`,
          ]
        : [],
    ),
  ]
}

function hasSiblings(structure: FeeStructure | null): boolean {
  return structure?.concessions.some(({ kind }) => kind === 'sibling') ?? false
}
