import type { FastifyInstance } from 'fastify'
import { structureInput, toStructure, yearParams } from '../../../fees/structures/structure.input.ts'
import { structureOutput } from '../../../fees/structures/structure.output.ts'
import type { FeeStructure, Year } from '../../../fees/structures/structure.rules.ts'
import {
  getStructure,
  listStructureYears,
  setStructure,
} from '../../../fees/structures/structures.service.ts'
import { all, created, one } from '../../../http/reply.ts'
import { setErpLock, type ErpLock } from '../../../institutes/institutes.service.ts'
import type { PaymentContext } from '../../../payments/context.ts'
import type { Context } from '../../../platform/context.ts'
import { addStudent } from '../../../students/registration/add-student.service.ts'
import type { Registered } from '../../../students/registration/register.service.ts'
import { registeredOutput } from '../../../students/student.output.ts'
import { applyToClass, type ClassApplication } from '../../../students/structures/apply-structure.service.ts'
import { structureAct } from '../../approvals/acts.ts'
import { keptOr } from '../../approvals/approval.output.ts'
import { noteOf } from '../../approvals/approvals.routes.ts'
import { Kept, performOrKeep } from '../../approvals/approvals.service.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { EVERYONE } from '../../console.rules.ts'
import { FINANCE_ROLES } from '../students.rules.ts'
import { addStudentInput, applyInput, erpLockInput } from './fees.input.ts'
import { classApplicationOutput, erpLockOutput, yearOutput } from './fees.output.ts'

const STRUCTURE = '/fee-structures/:academic_year_start/:academic_year_end'

/** What an office without an ERP begins with: students that it adds, and what a year costs. */
export function feeConsoleRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addStudentRoute(app, ctx)
  addReads(app, ctx)
  addWrites(app, ctx)
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
    audit: ({ body }, { studentId }: Registered) => ({
      what: 'student.added',
      about: studentId,
      after: { identifier: body.identifier, fullname: body.fullname, grade: body.grade },
    }),
  })
}

function addReads(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/fee-structures',
    roles: EVERYONE,
    output: all(yearOutput),
    answer: ({ institute }) => listStructureYears(ctx, institute),
  })
  addConsoleRead(app, ctx, {
    url: STRUCTURE,
    roles: EVERYONE,
    params: yearParams,
    output: one(structureOutput),
    answer: ({ institute, params }) => getStructure(ctx, institute, params),
  })
}

function addWrites(app: FastifyInstance, ctx: PaymentContext): void {
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: STRUCTURE,
    roles: FINANCE_ROLES,
    params: yearParams,
    body: structureInput,
    output: one(structureOutput),
    perform: (command, { institute, params, body }) =>
      setStructure(ctx, command, institute, toStructure(params, body)),
    audit: ({ params }, structure: FeeStructure) => ({
      what: 'fees.structure_changed',
      about: `${params.academicYearStart}-${params.academicYearEnd}`,
      after: {
        terms: structure.terms.length,
        fee_heads: structure.heads,
        grades: structure.grades.length,
        amounts: structure.amounts.length,
        concessions: structure.concessions.map(rule => rule.discountType),
      },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${STRUCTURE}/apply`,
    roles: FINANCE_ROLES,
    params: yearParams,
    body: applyInput,
    output: keptOr(one(classApplicationOutput)),
    perform(command, { params, body: { isPreview, ...body }, ...by }) {
      if (isPreview)
        return applyToClass(ctx, command, { institute: by.institute, year: params, isPreview, ...body })
      const request = { ...params, ...body, reason: REASON }
      return performOrKeep(ctx, command, by, { name: 'fee_structure', about: aboutOf(params, body), request })
    },
    audit({ institute, params, body }, result: ClassApplication | Kept) {
      if (result instanceof Kept) return noteOf(result.approval)
      if (result.isPreview) return null
      const about = aboutOf(params, body)
      return structureAct.note({ institute, about }, { ...params, ...body, reason: REASON }, result)
    },
  })
}

const REASON = 'The fee structure was applied'

function aboutOf(year: Year, { grade }: { grade: string }): string {
  return `${year.academicYearStart}-${year.academicYearEnd} ${grade}`
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
