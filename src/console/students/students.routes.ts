import type { FastifyInstance } from 'fastify'
import { printCertificate } from '../../dues/certificate/certificate.service.ts'
import type { ConsoleContext } from '../context.ts'
import { datedPlanOutput, planHistoryOutput } from '../../flex/plans/plan.schemas.ts'
import { studentParams } from '../../students/student.input.ts'
import { AT_COUNTER, EVERYONE } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { all, one, pageOf } from '../../http/reply.ts'
import { studentActRoutes, studentLinkRoutes } from './actions.routes.ts'
import { certificateQuery, planOfStudentParams, timelineQuery } from './students.input.ts'
import * as output from './students.output.ts'
import { addConsoleFile } from '../files.routes.ts'
import { addList } from '../lists/list.routes.ts'
import { leaverList } from '../../leaving/leaver.list.ts'
import { studentList } from './student.list.ts'
import * as service from './students.service.ts'

const STUDENT = '/students/:service_student_id'

export function studentConsoleRoutes(app: FastifyInstance, flex: ConsoleContext): void {
  addLists(app, flex)
  addPage(app, flex)
  addCertificate(app, flex)
  addPlans(app, flex)
  studentActRoutes(app, flex)
  studentLinkRoutes(app, flex)
}

function addLists(app: FastifyInstance, flex: ConsoleContext): void {
  addList(app, flex, { url: '/leavers', list: leaverList })
  addList(app, flex, { url: '/students', list: studentList, readers: AT_COUNTER, isActedOn: true })
  addConsoleRead(app, flex, {
    url: '/choices',
    roles: EVERYONE,
    output: one(output.choicesOutput),
    answer: async ({ institute }) => ({
      ...(await service.readChoices(flex, institute)),
      givesAccountNumbers: await service.offersAccountNumbers(flex, institute),
    }),
  })
}

function addPage(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleRead(app, flex, {
    url: STUDENT,
    roles: AT_COUNTER,
    output: one(output.studentPageOutput),
    params: studentParams,
    async answer({ institute, params }) {
      const student = await service.readStudent(flex, { institute, ...params })
      return output.toShownStudent(student, { instituteCode: institute.code, publicUrl: flex.publicUrl })
    },
  })
  addConsoleRead(app, flex, {
    url: `${STUDENT}/payments`,
    roles: EVERYONE,
    output: one(output.paymentsOutput),
    params: studentParams,
    answer: ({ institute, params }) => service.readPayments(flex, { institute, ...params }),
  })
  addConsoleRead(app, flex, {
    url: `${STUDENT}/timeline`,
    roles: EVERYONE,
    output: pageOf(output.timelineEntryOutput),
    params: studentParams,
    query: timelineQuery,
    answer: ({ institute, params, query }) => service.readTimeline(flex, { institute, ...params }, query),
  })
}

function addCertificate(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleFile(app, flex, {
    url: `${STUDENT}/fee-certificate`,
    roles: EVERYONE,
    params: studentParams,
    query: certificateQuery,
    mediaType: 'application/pdf',
    isShown: true,
    answer: ({ institute, params, query }) => printCertificate(flex, institute, { ...params, ...query }),
  })
}

function addPlans(app: FastifyInstance, flex: ConsoleContext): void {
  addConsoleRead(app, flex, {
    url: `${STUDENT}/plans`,
    roles: EVERYONE,
    output: all(datedPlanOutput, () => flex),
    params: studentParams,
    answer: ({ institute, params }) => service.listPlans(flex, { institute, ...params }),
  })
  addConsoleRead(app, flex, {
    url: `${STUDENT}/plans/:plan_id`,
    roles: EVERYONE,
    output: one(planHistoryOutput, () => flex),
    params: planOfStudentParams,
    answer: ({ institute, params: { planId, ...params } }) =>
      service.readStudentPlan(flex, { institute, ...params }, planId),
  })
}
