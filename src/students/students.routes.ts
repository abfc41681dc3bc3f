import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { addRead, addWrite } from '../http/endpoint.ts'
import { created, ok, page } from '../http/envelope.ts'
import type { Context } from '../platform/context.ts'
import type { SentFee } from '../fees/fees.rules.ts'
import { registerStudent, type Registration } from './registration/register.service.ts'
import { feeView, studentView } from './student-view.ts'
import * as docs from './students.docs.ts'
import type { DirectPayment } from './students.rules.ts'
import * as schemas from './students.schemas.ts'
import { getFees, getStudent, listStudents, updateFees } from './students.service.ts'

const ERP = '/api/v1/integrations/erp'

export function studentRoutes(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ERP}/users/:registration_id/students`,
    docs: docs.registerDocs,
    params: schemas.RegistrationParams,
    body: schemas.RegisterBody,
    perform: (act, { caller, params, body }) =>
      registerStudent(ctx, act, caller.institute, toRegistration(params.registration_id, body)),
    toResponse: ({ studentId, isNew }) => (isNew ? created : ok)({ service_student_id: studentId }),
  })
  addWrite(app, ctx, {
    method: 'PATCH',
    url: `${ERP}/students/:service_student_id/fee`,
    docs: docs.updateFeeDocs,
    params: schemas.StudentParams,
    body: schemas.UpdateFeeBody,
    perform: (act, { caller, params, body }) =>
      updateFees(
        ctx,
        act,
        { institute: caller.institute, id: params.service_student_id },
        body.fee_components.map(toSentFee),
      ),
    toResponse: () => ok(),
  })
  addReads(app, ctx)
}

function addReads(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: `${ERP}/students`,
    docs: docs.listStudentsDocs,
    query: schemas.ListStudentsQuery,
    async answer({ caller, query }) {
      const { records, nextCursor } = await listStudents(
        ctx,
        caller.institute,
        toFilter(query),
        query.limit ?? 50,
      )
      return page(records.map(studentView), nextCursor)
    },
  })
  addRead(app, {
    url: `${ERP}/students/:service_student_id`,
    docs: docs.getStudentDocs,
    params: schemas.StudentParams,
    answer: async ({ caller, params }) =>
      ok(studentView(await getStudent(ctx, caller.institute, params.service_student_id))),
  })
  addRead(app, {
    url: `${ERP}/students/:service_student_id/fee`,
    docs: docs.getFeeDocs,
    params: schemas.StudentParams,
    async answer({ caller, params }) {
      const { record, history } = await getFees(ctx, caller.institute, params.service_student_id)
      return ok(feeView(record, history))
    },
  })
}

function toFilter(query: Static<typeof schemas.ListStudentsQuery>) {
  return {
    identifier: query.identifier,
    grade: query.grade,
    collectorCode: query.collector_code,
    academicYearStart: query.academic_year_start,
    academicYearEnd: query.academic_year_end,
    registrationId: query.registration_id,
    status: query.status,
    cursor: query.cursor,
  }
}

function toRegistration(registrationId: string, body: Static<typeof schemas.RegisterBody>): Registration {
  const { student } = body
  return {
    registrationId,
    collectorCode: student.collector_code,
    identity: {
      identifier: student.identifier,
      grade: student.grade,
      academicYearStart: student.academic_year_start,
      academicYearEnd: student.academic_year_end,
    },
    profile: {
      customIdentifier: student.custom_identifier ?? null,
      fullname: student.fullname,
      newAdmission: student.new_admission,
      dateOfBirth: student.date_of_birth,
      contactName: student.primary_contact_name,
      contactNumber: student.primary_contact_number,
      contactEmail: student.primary_contact_email,
    },
    fees: (body.fee_components ?? []).map(toSentFee),
    payments: (body.payments ?? []).map(toPayment),
  }
}

type BodyFee = Static<typeof schemas.UpdateFeeBody>['fee_components'][number]
type BodyPayment = NonNullable<Static<typeof schemas.RegisterBody>['payments']>[number]

function toSentFee(fee: BodyFee): SentFee {
  // Cleared is replaced by none.
  const discounts = fee.discounts === null ? [] : fee.discounts
  return {
    componentType: fee.component_type,
    feePaise: fee.fee_amount,
    discounts: discounts?.map(discount => ({
      discountType: discount.discount_type,
      valuePaise: discount.value,
    })),
  }
}

function toPayment(payment: BodyPayment): DirectPayment {
  return {
    transactionId: payment.transaction_id,
    amountPaise: payment.amount,
    paidAt: payment.paid_at,
    mode: payment.mode,
    settlementUtr: payment.settlement_utr ?? null,
    notes: payment.notes ?? null,
    lines: payment.fee_components.map(line => ({
      componentType: line.component_type,
      amountPaise: line.amount,
    })),
  }
}
