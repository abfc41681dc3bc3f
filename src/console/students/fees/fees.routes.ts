import type { FastifyInstance } from 'fastify'
import {
  branchParams,
  toStructure,
  yearParams,
  structureOutput,
  structureInput,
} from '../../../fees/structures/structure.schemas.ts'
import { aboutOf, type FeeStructure, type StructureKey } from '../../../fees/structures/structure.rules.ts'
import { getStructure, listStructureYears } from '../../../fees/structures/structures.service.ts'
import { all, created, done, one } from '../../../http/reply.ts'
import { type AnyInput, type Read, field, input, optional } from '../../../http/wire/input.ts'
import { setErpLock, type ErpLock } from '../../../institutes/institutes.service.ts'
import type { ConsoleContext } from '../../context.ts'
import type { Context } from '../../../platform/context.ts'
import { addStudent, type RegisteredStudent } from '../../../students/registration/register.service.ts'
import { registeredOutput } from '../../../students/student.output.ts'
import {
  applyToClass,
  listCategories,
  type ClassApplication,
} from '../../../students/structures/apply-structure.service.ts'
import { keptOr } from '../../approvals/approval.list.ts'
import { noteOf } from '../../approvals/approvals.routes.ts'
import { Kept, performOrKeep } from '../../approvals/approvals.service.ts'
import { applyStructureAct, dropStructureAct, setStructureAct } from '../../approvals/rule-acts.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { EVERYONE } from '../../console.rules.ts'
import { FINANCE_ROLES } from '../students.rules.ts'
import { categoryOutput, classApplicationOutput, erpLockOutput, yearOutput } from './fees.output.ts'
import { SCHOOL_YEAR, STUDENT_ID, studentFields } from '../../../students/student.input.ts'

/** The institute has one structure a year, and each branch may have its own. */
const SHARED = {
  url: '/fee-structures/:academic_year_start/:academic_year_end',
  params: yearParams,
  keyOf: (year: Read<typeof yearParams>): StructureKey => ({ ...year, collectorCode: null }),
}
const OF_BRANCH = {
  url: `${SHARED.url}/branches/:collector_code`,
  params: branchParams,
  keyOf: (key: Read<typeof branchParams>): StructureKey => key,
}
type StructureAddress<Params extends AnyInput> = {
  url: string
  params: Params
  keyOf: (params: Read<Params>) => StructureKey
}

/** What an office without an ERP begins with: students that it adds, and what a year costs. */
export function feeConsoleRoutes(app: FastifyInstance, ctx: ConsoleContext): void {
  addStudentRoute(app, ctx)
  addYears(app, ctx)
  addStructure(app, ctx, SHARED)
  addStructure(app, ctx, OF_BRANCH)
  addDrop(app, ctx)
  addErpLock(app, ctx)
}

function addStudentRoute(app: FastifyInstance, ctx: Context): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/students',
    roles: FINANCE_ROLES,
    body: addStudentInput,
    output: created(registeredOutput),
    perform: (command, { institute, body }) => addStudent(ctx, command, institute, body),
    audit: ({ body }, { studentId }: RegisteredStudent) => ({
      what: 'student.added',
      about: studentId,
      after: { identifier: body.identifier, fullname: body.fullname, grade: body.grade },
    }),
  })
}

function addYears(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/fee-structures',
    roles: EVERYONE,
    output: all(yearOutput),
    answer: ({ institute }) => listStructureYears(ctx, institute),
  })
}

function addStructure<Params extends AnyInput>(
  app: FastifyInstance,
  ctx: ConsoleContext,
  { url, params: read, keyOf }: StructureAddress<Params>,
): void {
  addConsoleRead(app, ctx, {
    url,
    roles: EVERYONE,
    params: read,
    output: one(structureOutput),
    answer: ({ institute, params }) => getStructure(ctx, institute, keyOf(params)),
  })
  addConsoleRead(app, ctx, {
    url: `${url}/categories`,
    roles: EVERYONE,
    params: read,
    output: all(categoryOutput),
    answer: ({ institute, params }) => listCategories(ctx, institute, keyOf(params)),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url,
    roles: FINANCE_ROLES,
    params: read,
    body: setStructureInput,
    output: keptOr(one(structureOutput)),
    perform: (command, { params, body: { reason, ...body }, ...by }) =>
      performOrKeep(ctx, command, by, {
        name: 'structure_change',
        about: aboutOf(keyOf(params)),
        request: { ...toStructure(keyOf(params), body), reason },
      }),
    audit({ institute, params, body: { reason, ...body } }, result: FeeStructure | Kept) {
      if (result instanceof Kept) return noteOf(result.approval)
      const key = keyOf(params)
      return setStructureAct.note(
        { institute, about: aboutOf(key) },
        { ...toStructure(key, body), reason },
        result,
      )
    },
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${url}/apply`,
    roles: FINANCE_ROLES,
    params: read,
    body: applyInput,
    output: keptOr(one(classApplicationOutput)),
    perform(command, { params, body: { isPreview, ...body }, ...by }) {
      const of = keyOf(params)
      if (isPreview) return applyToClass(ctx, command, { institute: by.institute, of, isPreview, ...body })
      const request = { ...of, ...body }
      return performOrKeep(ctx, command, by, { name: 'fee_structure', about: classOf(of, body), request })
    },
    audit({ institute, params, body }, result: ClassApplication | Kept) {
      if (result instanceof Kept) return noteOf(result.approval)
      if (result.isPreview) return null
      const of = keyOf(params)
      return applyStructureAct.note({ institute, about: classOf(of, body) }, { ...of, ...body }, result)
    },
  })
}

function classOf(of: StructureKey, { grade }: { grade: string }): string {
  return `${aboutOf(of)} ${grade}`
}

function addDrop(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: OF_BRANCH.url,
    roles: FINANCE_ROLES,
    params: OF_BRANCH.params,
    body: dropStructureInput,
    output: keptOr(done),
    perform: (command, { params, body: { reason }, ...by }) =>
      performOrKeep(ctx, command, by, {
        name: 'structure_drop',
        about: aboutOf(params),
        request: { ...params, reason },
      }),
    audit: ({ institute, params, body: { reason } }, result: null | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : dropStructureAct.note({ institute, about: aboutOf(params) }, { ...params, reason }, result),
  })
}

function addErpLock(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/erp-lock',
    roles: EVERYONE,
    output: one(erpLockOutput),
    answer: async ({ institute }) => ({ isLocked: institute.locksErpStudents }),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/erp-lock',
    roles: FINANCE_ROLES,
    body: erpLockInput,
    output: one(erpLockOutput),
    perform: (command, { institute, body }) => setErpLock(ctx, command, institute, body.isLocked),
    audit: (_call, { before, isLocked }: ErpLock) => ({
      what: 'students.erp_lock_changed',
      about: 'students',
      before: { locked: before },
      after: { locked: isLocked },
    }),
  })
}

/** A student as the office adds one: what it may not know yet is optional. */
const addStudentInput = input(
  {
    ...studentFields,
    primary_contact_email: optional(studentFields.primary_contact_email, ''),
    date_of_birth: optional(studentFields.date_of_birth),
    new_admission: optional(studentFields.new_admission, false),
  },
  SCHOOL_YEAR,
)

/** Lowering fees for many at once asks for a reason. */
export const WHY_LOWER = optional(
  field.text('Why; required where a second person has to approve it.', 'As the board decided'),
  '',
)

const setStructureInput = input({ ...structureInput.fields, reason: WHY_LOWER })

const dropStructureInput = input({ reason: WHY_LOWER })

const applyInput = input({
  grade: field.code('The class whose students get the fees.', '5'),
  preview: optional(field.flag('true: only say what would happen.', false), false).as('isPreview'),
  after: optional(field.resourceId('`next_after` of the part before, in a large class.', STUDENT_ID)),
  reason: WHY_LOWER,
  limit: optional(field.wholeNumber('At most so many students at once.', 3000, [1, 3000]), 3000),
})

const erpLockInput = input({
  locked: field.flag('Whether students that the ERP keeps are locked for the office.', true).as('isLocked'),
})
