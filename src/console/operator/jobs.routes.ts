import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ok, page } from '../../http/envelope.ts'
import type { Message } from '../../messages/messages.rules.ts'
import { retryMessage } from '../../messages/messages.service.ts'
import type { Context } from '../../platform/context.ts'
import type { JobRunner } from '../../platform/jobs/job-runner.ts'
import { addConsoleWrite, addOperatorRead } from '../auth/access.routes.ts'
import * as schemas from './jobs.schemas.ts'
import { listDeadLetters, readJobs, type DeadLetter, type Jobs } from './jobs.service.ts'
import type { LetterKind } from './operator.rules.ts'

export function operatorJobRoutes(app: FastifyInstance, ctx: Context, runner: JobRunner): void {
  addOperatorRead(app, ctx, {
    url: '/jobs',
    docs: {
      operationId: 'consoleGetJobs',
      summary: 'Read the jobs',
      description: 'What is due by kind, how each job runs in this process, and how much was given up.',
      data: schemas.JobsView,
    },
    answer: async () => ok(view(await readJobs(ctx, runner))),
  })
  addOperatorRead(app, ctx, {
    url: '/dead-letters',
    docs: {
      operationId: 'consoleListDeadLetters',
      summary: 'List what was given up',
      description: 'Of all institutes, the newest first.',
      data: Type.Array(schemas.LetterView),
      isList: true,
    },
    query: schemas.LettersQuery,
    async answer({ query: { kind = 'delivery', cursor, limit = 50 } }) {
      const { rows, nextCursor } = await listDeadLetters(ctx, kind, { cursor, limit })
      return page(
        rows.map(letter => letterView(kind, letter)),
        nextCursor,
      )
    },
  })
  // In the institute's own log; a delivery is sent again as developers do it.
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/messages/:message_id/retry',
    roles: ['operator'],
    docs: {
      operationId: 'consoleRetryMessage',
      summary: 'Send a failed message again',
      description: 'As if it had never been tried.',
    },
    params: schemas.MessageParams,
    perform: (act, { institute, params }) =>
      retryMessage(ctx, act, { instituteId: institute.id, id: params.message_id }),
    audit: (_call, { id, channel, about }: Message) => ({
      what: 'message.sent_again',
      about: id,
      after: { channel, about },
    }),
    toResponse: () => ok(),
  })
}

function view({ jobs, runsHere, runs, deadLetters }: Jobs): schemas.JobsAnswer {
  return {
    jobs: jobs.map(({ kind, due, lateMs, oldestAt, nextAt }) => ({
      kind,
      due,
      late_seconds: Math.round(lateMs / 1_000),
      ...(oldestAt === null ? {} : { oldest_at: oldestAt.toISOString() }),
      ...(nextAt === null ? {} : { next_at: nextAt.toISOString() }),
    })),
    runs_here: runsHere,
    runs: runs.map(run => ({
      job: run.name,
      kind: run.kind,
      rows: run.rows,
      failures_in_a_row: run.failuresInARow,
      ...(run.lastRunAt === null ? {} : { last_run_at: run.lastRunAt.toISOString() }),
      ...(run.lastDurationMs === null ? {} : { duration_ms: Math.round(run.lastDurationMs) }),
      ...(run.oldestDueMs === null ? {} : { oldest_due_seconds: Math.round(run.oldestDueMs / 1_000) }),
      ...(run.lastFailure === null
        ? {}
        : { last_failure: { at: run.lastFailure.at.toISOString(), message: run.lastFailure.message } }),
    })),
    dead_letters: deadLetters,
  }
}

function letterView(kind: LetterKind, letter: DeadLetter): schemas.LetterAnswer {
  return {
    id: letter.id,
    kind,
    institute_code: letter.instituteCode,
    institute_name: letter.instituteName,
    at: letter.at.toISOString(),
    subject: letter.subject,
    ...(letter.problem === null ? {} : { problem: letter.problem }),
    ...(letter.tries === null ? {} : { tries: letter.tries }),
  }
}
