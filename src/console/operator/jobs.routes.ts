import type { FastifyInstance } from 'fastify'
import { retryMessage } from '../../messages/messages.service.ts'
import type { Context } from '../../platform/context.ts'
import type { JobRunner } from '../../platform/jobs/job-runner.ts'
import { addConsoleWrite, addOperatorRead } from '../auth/access.routes.ts'
import { one } from '../../http/reply.ts'
import { addInstallationList } from '../lists/list.routes.ts'
import { jobsOutput } from './jobs.output.ts'
import { readJobs } from './jobs.service.ts'
import { letterList } from './letter.list.ts'
import { messageParams } from './operator.schemas.ts'

export function operatorJobRoutes(app: FastifyInstance, ctx: Context, runner: JobRunner): void {
  addOperatorRead(app, ctx, {
    url: '/jobs',
    output: one(jobsOutput),
    answer: () => readJobs(ctx, runner),
  })
  addInstallationList(app, ctx, { url: '/dead-letters', list: letterList, of: null })
  // The institute's own log has it; a delivery is sent again as developers do it.
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/messages/:message_id/retry',
    roles: ['operator'],
    params: messageParams,
    perform: (command, { institute, params }) =>
      retryMessage(ctx, command, { instituteId: institute.id, id: params.messageId }),
    audit: (_call, { id, channel, about }) => ({
      what: 'message.sent_again',
      about: id,
      after: { channel, about },
    }),
  })
}
