import { defineEvent } from '../events/define-event.ts'
import { outputOf } from '../http/wire/output.ts'
import { STUDENT_ID } from './student.input.ts'
import type { Student } from './students.rules.ts'

/** A student as events carry it. */
export type StudentInEvent = { student: Student; registrationId: string; gradeName: string }

const out = outputOf<StudentInEvent>()
const gradeBlock = out.object({
  code: out.text('Grade code.', '5', ({ student }) => student.grade),
  name: out.text('Grade name.', 'Class V', ({ gradeName }) => gradeName),
})

export const studentBlock = out.object({
  identifier: out.text("The institute's identifier.", 'ADM-1042', ({ student }) => student.identifier),
  custom_identifier: out.optional.text(
    'Present only if provided.',
    'ROLL-17',
    ({ student }) => student.customIdentifier,
  ),
  collector_code: out.text('Branch code.', 'MAIN', ({ student }) => student.collectorCode),
  fullname: out.text('Full name.', 'Kabir Rao', ({ student }) => student.fullname),
  grade: out.one('Grade.', gradeBlock, source => source),
  academic_year_start: out.integer('Start year.', 2026, ({ student }) => student.academicYearStart),
  academic_year_end: out.integer('End year.', 2027, ({ student }) => student.academicYearEnd),
  primary_contact_name: out.text(
    'Name of the primary contact.',
    'Asha Rao',
    ({ student }) => student.contactName,
  ),
  primary_contact_number: out.text(
    'Phone of the primary contact.',
    '+91 98765 43210',
    ({ student }) => student.contactNumber,
  ),
  primary_contact_email: out.text(
    'E-mail of the primary contact.',
    'asha@example.in',
    ({ student }) => student.contactEmail,
  ),
})

/** What every event about a student begins with. */
export const ofStudent = {
  service_student_id: out.text('Id of the student here.', STUDENT_ID, ({ student }) => student.id),
  registration_id: out.text('Id of the user.', 'parent-77', ({ registrationId }) => registrationId),
  student: out.one('The student.', studentBlock, source => source),
}
const payload = out.object(ofStudent)

export const studentEvents = {
  'masterdata.student.registered': defineEvent('A student is registered.', payload),
  'masterdata.student.dropped': defineEvent('A student is marked dropped.', payload),
  'masterdata.student.activated': defineEvent('A dropped student is active again.', payload),
}
