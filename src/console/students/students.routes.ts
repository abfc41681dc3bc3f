import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { FlexContext } from '../../flex/context.ts'
import { planHistoryOutput, planOutput } from '../../flex/plans/plan.output.ts'
import { ok, page } from '../../http/envelope.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { studentActRoutes } from './actions.routes.ts'
import * as schemas from './students.schemas.ts'
import * as service from './students.service.ts'
import { moneyView, pageView, rowView, timelineView } from './students-view.ts'

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
      data: Type.Array(schemas.StudentRowView),
      isList: true,
    },
    query: schemas.StudentsQuery,
    async answer({ institute, query }) {
      const wanted = {
        typed: query.q,
        collectorCode: query.collector_code,
        grade: query.grade,
        status: query.status,
        isOwing: query.owing === undefined ? undefined : query.owing === 'yes',
        cursor: query.cursor,
      }
      const { rows, nextCursor } = await service.listStudents(flex, institute, wanted, query.limit ?? 50)
      return page(rows.map(rowView), nextCursor)
    },
  })
  addConsoleRead(app, flex, {
    url: '/student-choices',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetStudentChoices',
      summary: 'Read what students can be chosen by',
      description: 'Branches, grades, fee components and discounts of the institute.',
      data: schemas.ChoicesView,
    },
    answer: async ({ institute }) => ok(await service.readChoices(flex, institute)),
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
      data: schemas.StudentPageView,
    },
    params: schemas.StudentParams,
    async answer({ institute, params }) {
      const student = await service.readStudent(flex, targetOf(institute, params))
      return ok(pageView(student, { instituteCode: institute.code, publicUrl: flex.publicUrl }))
    },
  })
  addConsoleRead(app, flex, {
    url: `${STUDENT}/payments`,
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListStudentPayments',
      summary: "Read a student's payments",
      description: 'Online and at the counter.',
      data: schemas.PaymentsView,
    },
    params: schemas.StudentParams,
    answer: async ({ institute, params }) =>
      ok(moneyView(await service.readPayments(flex, targetOf(institute, params)))),
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
      data: Type.Array(schemas.TimelineEntryView),
      isList: true,
    },
    params: schemas.StudentParams,
    query: schemas.TimelineQuery,
    async answer({ institute, params, query: { cursor, limit = 50 } }) {
      const target = targetOf(institute, params)
      const { rows, nextCursor } = await service.readTimeline(flex, target, { cursor, limit })
      return page(rows.map(timelineView), nextCursor)
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
      data: schemas.PlansView,
    },
    params: schemas.StudentParams,
    async answer({ institute, params }) {
      const plans = await service.listPlans(flex, targetOf(institute, params))
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
      data: schemas.WholePlanView,
    },
    params: schemas.PlanParams,
    async answer({ institute, params }) {
      const plan = await service.readStudentPlan(flex, targetOf(institute, params), params.plan_id)
      return ok(planHistoryOutput.toJson(plan, flex))
    },
  })
}

function targetOf(institute: Institute, params: { service_student_id: string }): service.Target {
  return { institute, studentId: params.service_student_id }
}
