import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, ok } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import * as docs from './masterdata.docs.ts'
import * as schemas from './masterdata.schemas.ts'
import { listBranches, listCodes } from './masterdata.service.ts'
import type { SentProfile } from '../profile/profile.rules.ts'
import { changeProfile, changeStatus, listChanges } from '../profile/profile.service.ts'
import { profileChangeView, studentView } from '../student-view.ts'
import { StudentParams } from '../students.schemas.ts'
import type { StudentRecord } from '../students.service.ts'
import { registerUser } from '../users/users.service.ts'

const ERP = '/api/v1/integrations/erp'
const STUDENT = `${ERP}/students/:service_student_id`

export function masterdataRoutes(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ERP}/users/register`,
    docs: docs.registerUserDocs,
    body: schemas.UserBody,
    perform: (act, { caller, body }) => registerUser(ctx, act, caller.institute, body),
    toResponse: ({ registrationId, isNew }) => (isNew ? created : ok)({ registration_id: registrationId }),
  })
  addWrite(app, ctx, {
    method: 'PATCH',
    url: STUDENT,
    docs: docs.changeProfileDocs,
    params: StudentParams,
    body: schemas.ProfileBody,
    perform: (act, { caller: { institute }, params, body }) =>
      changeProfile(ctx, act, { institute, id: params.service_student_id }, toProfile(body)),
    toResponse: (record: StudentRecord) => ok(studentView(record)),
  })
  for (const [verb, status, own] of [
    ['drop', 'dropped', docs.dropDocs],
    ['activate', 'active', docs.activateDocs],
  ] as const) {
    addWrite(app, ctx, {
      method: 'POST',
      url: `${STUDENT}/${verb}`,
      docs: own,
      params: StudentParams,
      perform: (act, { caller: { institute }, params }) =>
        changeStatus(ctx, act, { institute, id: params.service_student_id }, status),
      toResponse: (record: StudentRecord) => ok(studentView(record)),
    })
  }
  addRead(app, {
    url: `${STUDENT}/changes`,
    docs: docs.changesDocs,
    params: StudentParams,
    async answer({ caller: { institute }, params }) {
      const changes = await listChanges(ctx, { institute, id: params.service_student_id })
      return ok(changes.map(profileChangeView))
    },
  })
  addLists(app, ctx)
}

function addLists(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: `${ERP}/branches`,
    docs: docs.branchesDocs,
    query: schemas.BranchQuery,
    answer: async ({ caller, query }) =>
      ok(
        listBranches(caller.institute, query.collector_code).map(branch => ({
          collector_code: branch.collectorCode,
          name: branch.name,
          is_default: branch.isDefault,
        })),
      ),
  })
  for (const [path, kind, key, own] of [
    ['grades', 'grade', 'code', docs.gradesDocs],
    ['fee-components', 'component', 'component_type', docs.componentsDocs],
    ['discounts', 'discount', 'discount_type', docs.discountsDocs],
  ] as const) {
    addRead(app, {
      url: `${ERP}/${path}`,
      docs: own,
      query: schemas.BranchQuery,
      async answer({ caller, query }) {
        const entries = await listCodes(ctx, caller.institute, kind, query.collector_code)
        return ok(entries.map(({ code, name }) => ({ [key]: code, name })))
      },
    })
  }
}

function toProfile(body: Static<typeof schemas.ProfileBody>): SentProfile {
  return {
    fullname: body.fullname,
    identifier: body.identifier,
    collectorCode: body.collector_code,
    grade: body.grade,
    newAdmission: body.new_admission,
    academicYearStart: body.academic_year_start,
    academicYearEnd: body.academic_year_end,
    dateOfBirth: body.date_of_birth,
    contactName: body.primary_contact_name,
    contactNumber: body.primary_contact_number,
    contactEmail: body.primary_contact_email,
    customIdentifier: body.custom_identifier,
  }
}
