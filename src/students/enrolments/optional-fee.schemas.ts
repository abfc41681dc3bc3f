import {
  OPTIONAL_KINDS,
  PRORATINGS,
  RHYTHMS,
  type Option,
  type OptionalFee,
  type Period,
} from '../../fees/optional/optional-fee.rules.ts'
import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { badField } from '../../platform/errors.ts'
import { STUDENT_ID } from '../student.input.ts'
import type { Enrolment } from './enrolment.rules.ts'
import { MOST_CHILDREN, type Enrolled, type Enrolling, type Who } from './enrol.service.ts'
import type { CountedFee } from './optional-fees.service.ts'

const FEE_ID = 'opt_01k9zq4m0ve8sbn6yt2hw3c5da'
const ENROLMENT_ID = 'enr_01k9zq4m0ve8sbn6yt2hw3c5da'

export const optionalFeeParams = input({
  optional_fee_id: field.resourceId('The optional fee.', FEE_ID).as('feeId'),
})

export const optionalFeesQuery = input({
  academic_year_start: field.year('Of the academic year that starts in this year.', 2026).as('year'),
})

const period = input({
  name: field.text('Such as June or Term 1; part of its fee.', 'June', 20),
  first_day: field.day('Its first day.', '2026-06-01'),
  last_day: field.day('Its last day.', '2026-06-30'),
  due_date: field.day('When it is due.', '2026-06-10').as('dueOn'),
})

const option = input({
  option_id: optional(field.resourceId('Of an option that is there already.', FEE_ID)).as('id'),
  name: field.text('A route, a kind of room, a club.', 'Route 4', 60),
  stop: optional(field.text('A stop of the route.', 'Gandhi Chowk', 60)),
  amount: field.amount('Rupees for a period; of a fee that is charged once, in all.', 1500),
  places: optional(field.wholeNumber('Places of everything of this name.', 40, [1, 10_000])),
})

export const optionalFeeInput = input({
  academic_year_start: field.year('Start of the academic year.', 2026),
  academic_year_end: field.year('Its end.', 2027),
  collector_code: optional(field.code('Only for children of this branch.', 'MAIN')),
  kind: field.oneOf(OPTIONAL_KINDS, 'What it is for.'),
  name: field.text('Its name.', 'School bus', 60),
  component_type: field.code('The fee that it is charged as.', 'TRANSPORT_FEE'),
  rhythm: field.oneOf(RHYTHMS, 'How often it is charged; `once`: whole, when a child gets it.', 'month'),
  periods: optional(
    field.list('What an amount is for, in order; none with `once`.', period, { max: 14 }),
    [],
  ),
  due_date: optional(field.day('With `once`: when it is due.', '2026-06-10')).as('dueOn'),
  prorating: optional(
    field.oneOf(
      PRORATINGS,
      'A child that begins or ends within a period pays by days, by calendar months that have begun, or all of it.',
    ),
    'days',
  ),
  rounded_to_rupees: optional(field.flag('Parts are whole rupees; otherwise paise.', true), true).as(
    'isRoundedToRupees',
  ),
  takes_concessions: optional(
    field.flag('Concessions by rule in per cent apply to it, and people may give others.', false),
    false,
  ).as('takesConcessions'),
  options: field.list('What can be chosen.', option, { min: 1, max: 300 }),
})

const periodOut = outputOf<Period>()
const periodOutput = periodOut.object({
  name: periodOut.text('Its name.', 'June'),
  first_day: periodOut.day('Its first day.', '2026-06-01'),
  last_day: periodOut.day('Its last day.', '2026-06-30'),
  due_date: periodOut.day('When it is due.', '2026-06-10', one => one.dueOn),
})

type CountedOption = Option & { children: number }
const optionOut = outputOf<CountedOption>()
const optionOutput = optionOut.object({
  option_id: optionOut.text('Its id.', FEE_ID, one => one.id),
  name: optionOut.text('A route, a kind of room, a club.', 'Route 4'),
  stop: optionOut.optional.text('A stop of the route.', 'Gandhi Chowk'),
  amount: optionOut.amount('Rupees for a period, or in all.', 1500),
  places: optionOut.optional.integer('Places of everything of this name.', 40),
  children: optionOut.integer('How many children have it.', 12),
})

const fee = outputOf<OptionalFee>()
const feeFields = {
  optional_fee_id: fee.text('Its id.', FEE_ID, one => one.id),
  academic_year_start: fee.integer('Start of the academic year.', 2026),
  academic_year_end: fee.integer('Its end.', 2027),
  collector_code: fee.optional.text('Only for children of this branch.', 'MAIN'),
  kind: fee.oneOf(OPTIONAL_KINDS, 'What it is for.'),
  name: fee.text('Its name.', 'School bus'),
  component_type: fee.text('The fee that it is charged as.', 'TRANSPORT_FEE'),
  rhythm: fee.oneOf(RHYTHMS, 'How often it is charged.'),
  periods: fee.list('What an amount is for.', periodOutput),
  due_date: fee.optional.day('When it is due, of one that is charged once.', '2026-06-10', one => one.dueOn),
  prorating: fee.oneOf(PRORATINGS, 'How a part of a period is charged.'),
  rounded_to_rupees: fee.flag('Parts are whole rupees.', true, one => one.isRoundedToRupees),
  takes_concessions: fee.flag('Whether concessions apply.', false),
}

const counted = outputOf<CountedFee>()
export const optionalFeeOutput = counted.object({
  ...feeFields,
  options: counted.list('What can be chosen.', optionOutput, one =>
    one.options.map(each => ({ ...each, children: one.children.get(each.id) ?? 0 })),
  ),
  is_used: counted.flag('Children have or had it, so what they pay by stays.', false),
})
export type OptionalFeeAnswer = Shown<typeof optionalFeeOutput>

export const madeFeeOutput = fee.object({ optional_fee_id: feeFields.optional_fee_id })

const who = {
  student_ids: optional(
    field.list('For these children.', field.resourceId('A child.', STUDENT_ID), {
      min: 1,
      max: MOST_CHILDREN,
    }),
  ),
  identifiers: optional(
    field.list(
      'Or those with these admission numbers in the year of the fee.',
      field.identifier('One.', 'ADM-1042'),
      {
        min: 1,
        max: MOST_CHILDREN,
      },
    ),
  ),
  grade: optional(field.code('Or the active ones of this class.', '5')),
  section: optional(field.text('Of this section alone.', 'B', 64)),
}

/** Exactly one of them says who. */
export function whoOf({
  studentIds,
  identifiers,
  grade,
  section,
}: {
  studentIds: readonly string[] | null
  identifiers: readonly string[] | null
  grade: string | null
  section: string | null
}): Who {
  const named = [studentIds, identifiers, grade].filter(one => one !== null)
  if (named.length !== 1)
    throw badField('student_ids', 'or identifiers or grade is required, and only one of them')
  if (studentIds !== null) return { studentIds }
  if (identifiers !== null) return { identifiers }
  return { grade: grade ?? '', section }
}

const preview = optional(field.flag('true: only say what would happen.', false), false).as('isPreview')
const why = optional(
  field.text(
    'Why; of a fine, and where a second person has to approve it, required.',
    'Moved to Gandhi Chowk',
  ),
)

export const enrolInput = input({
  ...who,
  option_id: field.resourceId('Which option they get.', FEE_ID),
  first_day: optional(field.day('From this day on; today if absent.', '2026-06-01')),
  last_day: optional(field.day('Until this day; to the end of the fee if absent.', '2027-03-31')),
  amount: optional(field.positiveAmount('Of a fine, where it is not the usual one.', 200)).as('amountPaise'),
  change: optional(
    field.flag('Whoever has another option gets this one from the first day on.', false),
    false,
  ).as('isChange'),
  preview,
  reason: why,
})

export const endInput = input({
  ...who,
  last_day: optional(field.day('The last day on which they have it; absent with take_back.', '2026-12-31')),
  take_back: optional(field.flag('true: as if they had never had it.', false), false).as('isTakenBack'),
  enrolment_id: optional(field.resourceId('Only this one.', ENROLMENT_ID)),
  preview,
  reason: why,
})

export const carryInput = input({
  from_optional_fee_id: field.resourceId('The fee of the year before.', FEE_ID).as('fromFeeId'),
  preview,
  reason: why,
})

const enrolled = outputOf<Enrolled>()
const enrolledOutput = enrolled.object({
  service_student_id: enrolled.text('Id of the student.', STUDENT_ID, one => one.student.id),
  fullname: enrolled.text('Its name.', 'Kabir Rao', one => one.student.fullname),
  identifier: enrolled.text('Its admission number.', 'ADM-1042', one => one.student.identifier),
  grade: enrolled.text('Its class.', '5', one => one.student.grade),
  section: enrolled.optional.text('Its section.', 'B', one => one.student.section),
  outcome: enrolled.oneOf(['changed', 'unchanged', 'skipped'], 'Whether its fees change, stay, or cannot.'),
  reason: enrolled.optional.text('Why not.', 'has it already'),
  before_amount: enrolled.amount(
    'To pay for this fee in the year, as it was; rupees.',
    0,
    one => one.beforePaise,
  ),
  after_amount: enrolled.amount('As it is afterwards.', 15000, one => one.afterPaise),
})

const enrolling = outputOf<Enrolling>()
export const enrollingOutput = enrolling.object({
  preview: enrolling.flag('Nothing was written.', true, one => one.isPreview),
  students: enrolling.list('Each child, by name.', enrolledOutput),
  unknown: enrolling.texts('Admission numbers that no child of the year has.', ['ADM-9999']),
})
export type EnrollingAnswer = Shown<typeof enrollingOutput>

type OwnEnrolment = { enrolment: Enrolment; fee: OptionalFee; option: Option }
const own = outputOf<OwnEnrolment>()
export const ownEnrolmentOutput = own.object({
  enrolment_id: own.text('Its id.', ENROLMENT_ID, one => one.enrolment.id),
  optional_fee_id: own.text('Of which fee.', FEE_ID, one => one.fee.id),
  option_id: own.text('Which option.', FEE_ID, one => one.option.id),
  name: own.text('The fee.', 'School bus', one => one.fee.name),
  kind: own.oneOf(OPTIONAL_KINDS, 'What it is for.', one => one.fee.kind),
  rhythm: own.oneOf(RHYTHMS, 'How often it is charged.', one => one.fee.rhythm),
  option: own.text('The option.', 'Route 4', one => one.option.name),
  stop: own.optional.text('Its stop.', 'Gandhi Chowk', one => one.option.stop),
  amount: own.amount('Rupees for a period, or in all.', 1500, one => one.enrolment.amountPaise),
  first_day: own.day('From.', '2026-06-01', one => one.enrolment.firstDay),
  last_day: own.day('Until.', '2027-03-31', one => one.enrolment.lastDay),
  reason: own.optional.text('Of a fine.', 'Library book lost', one => one.enrolment.reason),
})
export type OwnEnrolmentAnswer = Shown<typeof ownEnrolmentOutput>
