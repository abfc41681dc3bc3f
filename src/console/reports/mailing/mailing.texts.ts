import { formatDay } from '../../../platform/calendar.ts'
import { formatRupees, type Paise } from '../../../platform/money.ts'
import { classOf } from '../../../platform/names.ts'
import type { ClassSheet } from '../class-sheets/class-sheets.rules.ts'
import type { Days } from './mailing.rules.ts'

type Collected = Record<
  'onlinePaise' | 'flexPaise' | 'directPaise' | 'credPaise' | 'collectedPaise' | 'refundedPaise',
  Paise
>

export type Figures = {
  institute: string
  period: Days
  collected: Collected
  earlier: Collected
  owedPaise: Paise
  latePaise: Paise
  /** Lines of bank statements. */
  openLines: number
  url: string
}

/** The figures of a week or month for people of the office. */
export function reportText(figures: Figures): { subject: string; body: string } {
  const { institute, period, collected, earlier, owedPaise, latePaise, openLines, url } = figures
  const days = `${formatDay(period.from)} to ${formatDay(period.to)}`
  const lines = [
    `Fees of ${institute}, ${days}`,
    '',
    `Collected: ${formatRupees(collected.collectedPaise)} (in the same time before: ${formatRupees(earlier.collectedPaise)})`,
    `  Online: ${formatRupees(collected.onlinePaise)}`,
    `  Instalments: ${formatRupees(collected.flexPaise)}`,
    `  At the institute: ${formatRupees(collected.directPaise)}`,
    `  Loans: ${formatRupees(collected.credPaise)}`,
    `Refunded: ${formatRupees(collected.refundedPaise)}`,
    '',
    `Left to pay today: ${formatRupees(owedPaise)}, of which ${formatRupees(latePaise)} is overdue.`,
    ...(openLines === 0 ? [] : [`Lines of bank statements to decide: ${openLines}.`]),
    '',
    `By class, by student and as files: ${url}`,
    '',
    'You get this mail because somebody of the school chose you for it, in Money, Collection.',
  ]
  return {
    subject: `${institute}: ${formatRupees(collected.collectedPaise)} collected, ${days}`,
    body: lines.join('\n'),
  }
}

type TeachersMail = { institute: string; teacher: string; sheet: ClassSheet; today: string }

/** The mail to a class teacher; the list itself is in the attached file. */
export function classSheetText({ institute, teacher, sheet, today }: TeachersMail): {
  subject: string
  body: string
} {
  const { grade, section, children, owedPaise } = sheet
  const named = classOf(grade, section)
  const students = children.length === 1 ? '1 student' : `${children.length} students`
  const lines = [
    `Dear ${teacher},`,
    '',
    `Of class ${named}, ${students} had fees overdue on ${formatDay(today)}: ${formatRupees(owedPaise)} in all.`,
    'The file with this mail lists them, with whom to speak to. It is as of the moment when this mail left.',
    '',
    'Please treat it as confidential: what a family owes concerns nobody but the family and the school.',
    '',
    institute,
  ]
  return { subject: `${institute}: fees overdue in class ${named}`, body: lines.join('\n') }
}
