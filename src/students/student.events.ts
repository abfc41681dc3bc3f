import { defineEvent } from '../events/define-event.ts'
import { outputOf } from '../http/wire/output.ts'
import { eventProfile } from './profile/profile.output.ts'
import { STUDENT_ID } from './student.input.ts'
import type { Student } from './students.rules.ts'

/** A student as events carry it. */
export type StudentInEvent = { student: Student; registrationId: string; gradeName: string }

const out = outputOf<StudentInEvent>()
const gradeBlock = out.object('StudentGrade', {
  code: out.text('Grade code.', '5', ({ student }) => student.grade),
  name: out.text('Grade name.', 'Class V', ({ gradeName }) => gradeName),
})

const { fullname, ...profile } = eventProfile
export const studentBlock = out.object('StudentBlock', {
  identifier: out.text("The institute's identifier.", 'ADM-1042', ({ student }) => student.identifier),
  collector_code: out.text('Branch code.', 'MAIN', ({ student }) => student.collectorCode),
  fullname,
  grade: out.one('Grade.', gradeBlock, source => source),
  academic_year_start: out.integer('Start year.', 2026, ({ student }) => student.academicYearStart),
  academic_year_end: out.integer('End year.', 2027, ({ student }) => student.academicYearEnd),
  ...profile,
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
