import type { FastifyInstance } from 'fastify'
import { all, created, one } from '../../../http/reply.ts'
import type { Context } from '../../../platform/context.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { EVERYONE, KEEPERS } from '../../console.rules.ts'
import { reportMailInput, reportMailParams, reportMailOutput } from './mailing.schemas.ts'
import * as service from './mailing.service.ts'

/** Who gets the figures by mail. An owner decides: the mail leaves the console. */
export function reportMailRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/money/report-mails',
    roles: EVERYONE,
    output: all(reportMailOutput),
    answer: ({ institute }) => service.listReportMails(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/money/report-mails',
    roles: KEEPERS,
    body: reportMailInput,
    output: created(reportMailOutput),
    perform: (command, { who, body }) => service.addReportMail(ctx, command, { ...body, by: who.email }),
    audit: (_call, { id, what, every, day, recipients }: service.ReportMail) => ({
      what: 'report_mail.added',
      about: id,
      after: { what, every, day, recipients },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/money/report-mails/:report_id',
    roles: KEEPERS,
    params: reportMailParams,
    output: one(reportMailOutput),
    perform: (command, { params }) => service.removeReportMail(ctx, command, params.reportId),
    audit: (_call, { id, what, every, day, recipients }: service.ReportMail) => ({
      what: 'report_mail.removed',
      about: id,
      before: { what, every, day, recipients },
    }),
  })
}
