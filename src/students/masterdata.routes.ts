import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../http/endpoint.ts'
import { all, createdIfNew, from, one } from '../http/reply.ts'
import type { Context } from '../platform/context.ts'
import { listBranches, listCodes } from './masterdata.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import type { Command } from '../platform/idempotency.ts'
import { changeProfile, listChanges, type ChangedProfile } from './profile/profile.service.ts'
import { branchQuery, profileInput, studentParams, userInput } from './student.input.ts'
import * as output from './student.output.ts'
import type { Student } from './students.rules.ts'
import type { StudentRecord } from './students.service.ts'
import { registerUser } from './users/users.service.ts'

const ERP = '/api/v1/integrations/erp'
const STUDENT = `${ERP}/students/:service_student_id`
const tag = 'Students'

/** The plans of a student who leaves end with it; they rank above students. */
type ChangeStatus = (
  command: Command<StudentRecord>,
  student: { institute: Institute; id: string },
  status: Student['status'],
) => Promise<StudentRecord>

export function masterdataRoutes(app: FastifyInstance, ctx: Context, changeStatus: ChangeStatus): void {
  addUser(app, ctx)
  addProfile(app, ctx)
  addStatus(app, ctx, changeStatus)
  addLists(app, ctx)
}

function addUser(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ERP}/users/register`,
    scope: 'students',
    docs: {
      operationId: 'registerUser',
      tag,
      summary: 'Register a user',
      description:
        'Finds or makes the user with this phone and e-mail. Both are compared as people mean them: a phone by its digits, ' +
        'with or without +91 or a leading 0, an e-mail in any case. When several have them, the oldest is answered. A user ' +
        'who is found stays as it is.',
    },
    output: createdIfNew(output.userOutput),
    body: userInput,
    perform: (act, { caller, body }) => registerUser(ctx, act, caller.institute, body),
  })
}

function addProfile(app: FastifyInstance, ctx: Context): void {
  addWrite(app, ctx, {
    method: 'PATCH',
    url: STUDENT,
    scope: 'students',
    docs: {
      operationId: 'updateStudent',
      tag,
      summary: 'Update the profile of a student',
      description:
        'Fields sent are set, others stay; null or "" clears date_of_birth and custom_identifier and is refused elsewhere. ' +
        'Identifier, grade and branch can change too: it stays the same student with its fees and payments. Another academic ' +
        'year is 409: it is a student record of its own; register the student for it, or roll the year over. ' +
        'When another student has that identity already, it is 409 with the other service_student_id. What it was stays on ' +
        'record: List the changes of a student.',
      errors: [404],
    },
    output: from(one(output.studentOutput), ({ record }: ChangedProfile) => output.toShownRecord(record)),
    params: studentParams,
    body: profileInput,
    perform: (act, { caller: { institute }, params, body }) =>
      changeProfile(ctx, act, { institute, id: params.studentId }, body),
  })
  addRead(app, {
    url: `${STUDENT}/changes`,
    docs: {
      operationId: 'listStudentChanges',
      tag,
      summary: 'List the changes of a student',
      description:
        'What a repeated registration, an update or an import changed of the profile, newest first: the 100 newest. What a ' +
        'fetch from your ERP changed stands in its log, what was paid and charged in theirs.',
      errors: [404],
    },
    output: all(output.profileChangeOutput),
    params: studentParams,
    answer: ({ caller: { institute }, params }) => listChanges(ctx, { institute, id: params.studentId }),
  })
}

const VERBS = [
  {
    verb: 'drop',
    status: 'dropped',
    docs: {
      operationId: 'dropStudent',
      summary: 'Mark a student as dropped',
      description:
        'No new Flex plan can be made for a dropped student. A plan that it has is cancelled with it: nothing more is ' +
        'announced or debited, and a debit that is at the bank already has its result. What the student owes stays owed ' +
        'until the office settles it. Dropping it again changes nothing.',
    },
  },
  {
    verb: 'activate',
    status: 'active',
    docs: {
      operationId: 'activateStudent',
      summary: 'Make a dropped student active again',
      description:
        'A plan that was cancelled stays cancelled; make a new one. Activating an active student changes nothing.',
    },
  },
] as const

function addStatus(app: FastifyInstance, ctx: Context, changeStatus: ChangeStatus): void {
  for (const { verb, status, docs } of VERBS) {
    addWrite(app, ctx, {
      method: 'POST',
      url: `${STUDENT}/${verb}`,
      scope: 'students',
      docs: { ...docs, tag, errors: [404] },
      output: from(one(output.studentOutput), output.toShownRecord),
      params: studentParams,
      perform: (act, { caller: { institute }, params }) =>
        changeStatus(act, { institute, id: params.studentId }, status),
    })
  }
}

const LISTS = [
  { path: 'grades', kind: 'grade', id: 'listGrades', summary: 'List grades', of: output.gradeOutput },
  {
    path: 'fee-components',
    kind: 'component',
    id: 'listFeeComponents',
    summary: 'List fee components',
    of: output.componentTypeOutput,
  },
  {
    path: 'discounts',
    kind: 'discount',
    id: 'listDiscounts',
    summary: 'List discount types',
    of: output.discountTypeOutput,
  },
] as const

function addLists(app: FastifyInstance, ctx: Context): void {
  addRead(app, {
    url: `${ERP}/branches`,
    docs: {
      operationId: 'listBranches',
      tag: 'Catalogue',
      summary: 'List branches',
      description: 'The branches of the institute, by code.',
    },
    output: all(output.branchOutput),
    query: branchQuery,
    answer: async ({ caller, query }) => listBranches(caller.institute, query.collectorCode),
  })
  for (const { path, kind, id, summary, of } of LISTS) {
    addRead(app, {
      url: `${ERP}/${path}`,
      docs: {
        operationId: id,
        tag: 'Catalogue',
        summary,
        description: 'All branches share the codes of the institute. The whole list, by code.',
      },
      output: all(of),
      query: branchQuery,
      answer: ({ caller, query }) => listCodes(ctx, caller.institute, kind, query.collectorCode),
    })
  }
}
