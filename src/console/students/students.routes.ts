import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { FlexContext } from '../../flex/context.ts'
import { planHistoryOutput, planOutput } from '../../flex/plans/plan.output.ts'
import { ok, page } from '../../http/envelope.ts'
import { studentParams } from '../../students/student.input.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { studentActRoutes } from './actions.routes.ts'
import { planOfStudentParams, studentsQuery, timelineQuery } from './students.input.ts'
import * as output from './students.output.ts'
import * as service from './students.service.ts'

const STUDENT = '/students/:service_student_id'

export function studentConsoleRoutes(app: FastifyInstance, flex: FlexContext): void {
  addLists(app, flex)
  addPage(app, flex)
  addPlans(app, flex)
  studentActRoutes(app, flex)
}

function addLists(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: '/students',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListStudents',
      summary: 'List students',
      description: 'By name. With `q` those whom it finds, while somebody types.',
      data: Type.Array(output.studentRowOutput.schema),
      isList: true,
    },
    query: studentsQuery,
    async answer({ institute, query: { limit, owing, ...filter } }) {
      const wanted = { ...filter, isOwing: owing === undefined ? undefined : owing === 'yes' }
      const { rows, nextCursor } = await service.listStudents(flex, institute, wanted, limit)
      return page(
        rows.map(row => output.studentRowOutput.toJson(row)),
        nextCursor,
      )
    },
  })
  addConsoleRead(app, flex, {
    url: '/student-choices',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetStudentChoices',
      summary: 'Read what students can be chosen by',
      description: 'Branches, grades, fee components and discounts of the institute.',
      data: output.choicesOutput.schema,
    },
    answer: async ({ institute }) =>
      ok(output.choicesOutput.toJson(await service.readChoices(flex, institute))),
  })
}

function addPage(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: STUDENT,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetStudent',
      summary: 'Read a student',
      description: 'Who it is, its family, what it owes and what can still be paid.',
      data: output.studentPageOutput.schema,
    },
    params: studentParams,
    async answer({ institute, params }) {
      const student = await service.readStudent(flex, { institute, ...params })
      return ok(
        output.toStudentPageJson(student, { instituteCode: institute.code, publicUrl: flex.publicUrl }),
      )
    },
  })
  addConsoleRead(app, flex, {
    url: `${STUDENT}/payments`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListStudentPayments',
      summary: "Read a student's payments",
      description: 'Online and at the counter.',
      data: output.paymentsOutput.schema,
    },
    params: studentParams,
    answer: async ({ institute, params }) =>
      ok(output.paymentsOutput.toJson(await service.readPayments(flex, { institute, ...params }))),
  })
  addConsoleRead(app, flex, {
    url: `${STUDENT}/timeline`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListStudentTimeline',
      summary: 'Read what happened to a student',
      description:
        'Events of the student, its plans, orders and loans, acts of people, fetches from the ERP and changes of fees; ' +
        'the newest first.',
      data: Type.Array(output.timelineEntryOutput.schema),
      isList: true,
    },
    params: studentParams,
    query: timelineQuery,
    async answer({ institute, params, query: { cursor, limit } }) {
      const target = { institute, ...params }
      const { rows, nextCursor } = await service.readTimeline(flex, target, { cursor, limit })
      return page(
        rows.map(row => output.timelineEntryOutput.toJson(row)),
        nextCursor,
      )
    },
  })
}

function addPlans(app: FastifyInstance, flex: FlexContext): void {
  addConsoleRead(app, flex, {
    url: `${STUDENT}/plans`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListStudentPlans',
      summary: "Read a student's instalment plans",
      description: 'The ten newest, the newest first.',
      data: Type.Array(planOutput.schema),
    },
    params: studentParams,
    async answer({ institute, params }) {
      const plans = await service.listPlans(flex, { institute, ...params })
      return ok(plans.map(plan => planOutput.toJson(plan, flex)))
    },
  })
  addConsoleRead(app, flex, {
    url: `${STUDENT}/plans/:plan_id`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetStudentPlan',
      summary: 'Read a plan with its reasons',
      description: 'Every instalment with every attempt, and what was decided and why.',
      data: planHistoryOutput.schema,
    },
    params: planOfStudentParams,
    async answer({ institute, params: { planId, ...params } }) {
      const plan = await service.readStudentPlan(flex, { institute, ...params }, planId)
      return ok(planHistoryOutput.toJson(plan, flex))
    },
  })
}
