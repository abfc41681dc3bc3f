import type { FastifyInstance } from 'fastify'
import type { ConsoleContext } from '../context.ts'
import { all, created, one } from '../../http/reply.ts'
import { input, query, type Read, field, optional } from '../../http/wire/input.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { messageList } from '../../messages/message.list.ts'
import { CARD_CODES, demandNotices, studentCards } from '../../reminders/demand-notices.service.ts'
import * as inputs from '../../reminders/reminder.schemas.ts'
import { reminderList, runList, runOutput } from '../../reminders/reminder.list.ts'
import { previewOutput, textOutput } from '../../reminders/reminder.schemas.ts'
import * as service from '../../reminders/runs.service.ts'
import { PILES } from '../../platform/limits.rules.ts'
import { studentParams } from '../../students/student.input.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { addList } from '../lists/list.routes.ts'
import { FINANCE_ROLES } from '../students/students.rules.ts'
import { selectStudents } from './selection.service.ts'
import { defaulterList } from '../reports/dues.list.ts'
import { studentList } from '../students/student.list.ts'

const MOST_PICKED = 500

/** Whom an act in bulk is for: those that were picked, or all that a list shows with its filters. */
const selectionFields = {
  student_ids: optional(
    field.list(
      'Those that were picked.',
      field.resourceId('A student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'),
      {
        max: MOST_PICKED,
      },
    ),
  ),
  list: optional(field.oneOf(['defaulters', 'students'], 'All that this list shows.')),
  ...defaulterList.filterQuery.fields,
  ...studentList.filterQuery.fields,
}

const RUNS = '/reminder-runs'
const previewBody = input({ ...selectionFields, ...inputs.messageFields })
const runBody = input({ ...selectionFields, ...inputs.runFields })

/** Reminding families of what they owe, and who was told what and when. */
export function reminderConsoleRoutes(app: FastifyInstance, ctx: ConsoleContext): void {
  addTexts(app, ctx)
  addStart(app, ctx)
  addLists(app, ctx)
  addPapers(app, ctx)
}

function addTexts(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleRead(app, ctx, {
    url: '/reminder-texts',
    roles: EVERYONE,
    output: all(textOutput),
    answer: ({ institute }) => service.listTexts(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/reminder-texts',
    roles: FINANCE_ROLES,
    body: inputs.textInput,
    output: one(textOutput),
    perform: (command, { institute, body }) => service.saveText(ctx, command, institute, body),
    audit: ({ institute }, { isOurs: _isOurs, ...text }: service.SchoolText) => ({
      what: 'reminder_text.changed',
      about: institute.code,
      after: text,
    }),
  })
}

async function messageOf(
  ctx: ConsoleContext,
  institute: Institute,
  body: Read<typeof previewBody>,
): Promise<Parameters<typeof service.previewRun>[3]> {
  const { language, subject, body: text, scope, channels, ...selection } = body
  const studentIds = await selectStudents(ctx, institute, selection, service.MOST_STUDENTS)
  return { studentIds, language, subject, body: text, scope, channels }
}

function addStart(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RUNS}/preview`,
    roles: FINANCE_ROLES,
    body: previewBody,
    output: one(previewOutput),
    perform: async (command, { institute, body }) =>
      service.previewRun(ctx, command, institute, await messageOf(ctx, institute, body)),
    audit: () => null,
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: RUNS,
    roles: FINANCE_ROLES,
    body: runBody,
    output: created(runOutput),
    perform: async (command, { institute, who, body: { isForced, ...body } }) => {
      const message = await messageOf(ctx, institute, body)
      return service.startRun(ctx, command, institute, { ...message, isForced, madeBy: who.email })
    },
    audit: (_call, run: service.CountedRun) => ({
      what: 'reminders.started',
      about: run.id,
      after: { families: run.families, scope: run.scope, channels: run.channels, subject: run.subject },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${RUNS}/:run_id/cancel`,
    roles: FINANCE_ROLES,
    params: inputs.runParams,
    output: one(runOutput),
    perform: (command, { institute, params }) => service.cancelRun(ctx, command, institute, params.runId),
    audit: (_call, run: service.CountedRun) => ({
      what: 'reminders.cancelled',
      about: run.id,
      after: { sent: run.sent, withheld: run.withheld },
    }),
  })
}

function addLists(app: FastifyInstance, ctx: ConsoleContext): void {
  addList(app, ctx, { url: '/messages', list: messageList })
  addList(app, ctx, { url: RUNS, list: runList })
  addConsoleRead(app, ctx, {
    url: `${RUNS}/:run_id`,
    roles: EVERYONE,
    params: inputs.runParams,
    output: one(runOutput),
    answer: ({ institute, params }) => service.getRun(ctx, institute, params.runId),
  })
  addList(app, ctx, {
    url: `${RUNS}/:run_id/families`,
    list: reminderList,
    params: inputs.runParams,
    of: ({ institute, params }) => ({ instituteId: institute.id, runId: params.runId }),
  })
  addList(app, ctx, {
    url: '/students/:service_student_id/reminders',
    list: reminderList,
    params: studentParams,
    of: ({ institute, params }) => ({ instituteId: institute.id, studentId: params.studentId }),
  })
}

/** Papers for the children of a list, to be handed out. */
function addPapers(app: FastifyInstance, ctx: ConsoleContext): void {
  const { student_ids: _ids, ...fields } = selectionFields
  addConsoleFile(app, ctx, {
    url: '/demand-notices',
    roles: EVERYONE,
    query: query(fields),
    mediaType: 'application/pdf',
    async answer({ institute, query: sent }) {
      const ids = await selectStudents(ctx, institute, { list: 'defaulters', ...sent }, PILES.students)
      return { name: 'demand-notices.pdf', content: await demandNotices(ctx, institute, ids) }
    },
  })
  addConsoleFile(app, ctx, {
    url: '/student-cards',
    roles: EVERYONE,
    query: query({
      ...fields,
      code: optional(
        field.oneOf(CARD_CODES, 'page: what is due that day. upi: the student’s own UPI ID, for any amount.'),
        'page',
      ),
    }),
    mediaType: 'application/pdf',
    async answer({ institute, query: { code, ...sent } }) {
      const ids = await selectStudents(ctx, institute, { list: 'students', ...sent }, PILES.students)
      return { name: 'student-cards.pdf', content: await studentCards(ctx, institute, ids, code) }
    },
  })
}
