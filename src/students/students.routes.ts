import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../http/endpoint.ts'
import { createdIfNew, eachRow, from, one, pageOf } from '../http/reply.ts'
import type { Context } from '../platform/context.ts'
import { registerStudent } from './registration/register.service.ts'
import { feesInput, registerInput, registrationParams, studentParams } from './student.input.ts'
import { studentRecords } from './student.list.ts'
import { feesOutput, registeredOutput, studentOutput, toShownRecord } from './student.output.ts'
import { getFees, getStudent, updateFees } from './students.service.ts'

const ERP = '/api/v1/integrations/erp'
const tag = 'Students'

export function studentRoutes(app: FastifyInstance, ctx: Context): void {
  addWrites(app, ctx)
  addReads(app, ctx)
}

function addWrites(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ERP}/users/:registration_id/students`,
    scope: 'students',
    docs: {
      operationId: 'registerStudent',
      tag,
      summary: 'Register a student',
      description:
        'Under a user, with fees and earlier payments. Safe to repeat: the same student (branch, identifier, grade and ' +
        'academic year) answers 200 with its id. The body applied last changes nothing when it comes again, also after ' +
        'Update Fee; another body brings the profile up to date, its fees merge as in Update Fee, and payments with a new ' +
        'transaction_id are added. Under another registration_id that user is linked too. A known transaction_id with another amount, mode, settlement_utr or ' +
        'fee_components, or another fullname ' +
        'together with another date_of_birth, is 409 with the existing service_student_id.',
    },
    output: createdIfNew(registeredOutput),
    params: registrationParams,
    body: registerInput,
    perform(act, { caller, params, body: { student, fees, payments } }) {
      const { collectorCode, identifier, grade, academicYearStart, academicYearEnd, ...profile } = student
      return registerStudent(ctx, act, caller.institute, {
        registrationIds: [params.registrationId],
        collectorCode,
        identity: { identifier, grade, academicYearStart, academicYearEnd },
        profile,
        fees,
        payments,
      })
    },
  })
  addWrite(app, ctx, {
    method: 'PATCH',
    url: `${ERP}/students/:service_student_id/fee`,
    scope: 'students',
    docs: {
      operationId: 'updateFee',
      tag: 'Fees',
      summary: 'Update the fees of a student',
      description:
        'A component sent is set, one not sent stays. Discounts sent replace those of their component; omitted ones stay, ' +
        'capped at the new fee. A fee_amount of 0 keeps the component at 0 and ends its discounts.',
      errors: [404],
    },
    params: studentParams,
    body: feesInput,
    perform: (act, { caller: { institute }, params, body }) =>
      updateFees(ctx, act, { institute, id: params.studentId }, body.fees),
  })
}

function addReads(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: `${ERP}/students`,
    docs: {
      operationId: 'listStudents',
      tag,
      summary: 'List students',
      description: 'Newest first. Filters add up.',
    },
    output: from(pageOf(studentOutput), eachRow(toShownRecord)),
    query: studentRecords.query,
    answer: ({ caller, query: { cursor, limit, ...filters } }) =>
      studentRecords.page(ctx, caller.institute, filters, { cursor, limit }),
  })
  addRead(app, {
    url: `${ERP}/students/:service_student_id`,
    docs: {
      operationId: 'getStudent',
      tag,
      summary: 'Get a student',
      description: 'Profile and fee summary.',
      errors: [404],
    },
    output: from(one(studentOutput), toShownRecord),
    params: studentParams,
    answer: ({ caller, params }) => getStudent(ctx, caller.institute, params.studentId),
  })
  addRead(app, {
    url: `${ERP}/students/:service_student_id/fee`,
    docs: {
      operationId: 'getFee',
      tag: 'Fees',
      summary: 'Get the fees of a student',
      description: 'Components with their balance and the 100 newest changes of each, newest first.',
      errors: [404],
    },
    output: one(feesOutput),
    params: studentParams,
    answer: ({ caller, params }) => getFees(ctx, caller.institute, params.studentId),
  })
}
