import type { FastifyInstance } from 'fastify'
import type { LoanContext } from '../../loans/context.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { one, created } from '../../http/reply.ts'
import type { Context } from '../../platform/context.ts'
import { addOperatorRead, addOperatorWrite, addConsoleWrite } from '../auth/access.routes.ts'
import {
  isRequiredOfAll,
  requireOfAll,
  requirementNote,
  type RequirementChange,
} from '../auth/second-factor/second-factor.service.ts'
import { requirementInput } from '../team/team.schemas.ts'
import { retryMessage } from '../../messages/messages.service.ts'
import type { JobRunner } from '../../platform/jobs/job-runner.ts'
import { addInstallationList } from '../lists/list.routes.ts'
import {
  jobsOutput,
  messageParams,
  createdInstituteOutput,
  defaultBranchInput,
  instituteParams,
  newBranchInput,
  newInstituteInput,
  renameInstituteInput,
  holidayParams,
  newHolidayInput,
  reasonInput,
  healthOutput,
  setupOutput,
} from './operator.schemas.ts'
import { readJobs, describeSetup, readHealth, type Installation, openInstitute } from './health.service.ts'
import { letterList, holidayList, instituteList } from './operator.list.ts'
import { type Metrics, readKeyNumbers } from '../../http/metrics.ts'
import { auditList } from '../audit/audit.list.ts'
import { NO_INSTITUTE } from '../audit/audit.service.ts'
import type { RequestLog } from '../../request-log/requests.service.ts'
import { resolveReport } from '../../payments/settlements/settlements.service.ts'
import { reportParams, resolutionInput } from '../money/books.schemas.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { addBranch, renameInstitute, setDefaultBranch } from '../../institutes/institutes.service.ts'
import { addHoliday, removeHoliday, type Holiday } from '../../payments/holidays.service.ts'

/** The installation and every institute on it, for the person who looks after them. */
export function operatorRoutes(app: FastifyInstance, ctx: LoanContext, watched: Watched): void {
  operatorInstituteRoutes(app, ctx)
  operatorHolidayRoutes(app, ctx)
  operatorSignInRoutes(app, ctx)
  operatorJobRoutes(app, ctx, watched.installation.jobs)
  operatorHealthRoutes(app, ctx, watched)
}

const out = outputOf<boolean>()
const signInRulesOutput = out.object({
  second_factor_required: out.flag(
    'Whether everybody needs a second factor.',
    false,
    isRequired => isRequired,
  ),
})
export type SignInRulesAnswer = Shown<typeof signInRulesOutput>

/** How everybody signs in to the console, whatever their school asks for. */
function operatorSignInRoutes(app: FastifyInstance, ctx: Context): void {
  addOperatorRead(app, ctx, {
    url: '/sign-in',
    output: one(signInRulesOutput),
    answer: () => isRequiredOfAll(ctx),
  })
  addOperatorWrite(app, ctx, {
    method: 'PUT',
    url: '/sign-in',
    body: requirementInput,
    perform: (command, { body }) => requireOfAll(ctx, command, body.required),
    audit: ({ body }, change: RequirementChange) => ({
      ...requirementNote('installation', change),
      why: body.reason,
    }),
  })
}

function operatorJobRoutes(app: FastifyInstance, ctx: Context, runner: JobRunner): void {
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

/** What the process knows of itself. */
type Watched = { installation: Installation; metrics: Metrics; requestLog: RequestLog }

function operatorHealthRoutes(app: FastifyInstance, ctx: LoanContext, watched: Watched): void {
  const { installation, metrics, requestLog } = watched
  addOperatorRead(app, ctx, {
    url: '/health',
    output: one(healthOutput),
    async answer() {
      const [health, numbers] = await Promise.all([readHealth(ctx, installation), readKeyNumbers(metrics)])
      return { ...health, numbers: { ...numbers, requestsNotLogged: requestLog.dropped } }
    },
  })
  addOperatorRead(app, ctx, {
    url: '/providers',
    output: one(setupOutput),
    answer: async () => describeSetup(ctx, installation),
  })
  addOperatorWrite(app, ctx, {
    method: 'POST',
    url: '/providers/unmatched/:report_id/resolve',
    params: reportParams,
    body: resolutionInput,
    perform: (command, { who, params, body }) =>
      resolveReport(ctx, command, { id: params.reportId, by: who.email }, body.reason),
    audit: ({ body }, { id }) => ({ what: 'report.resolved', about: id, why: body.reason }),
  })
  // The log of acts on the installation: institutes, holidays and accounts.
  addInstallationList(app, ctx, { url: '/audit', list: auditList, of: { id: NO_INSTITUTE } })
}

function operatorInstituteRoutes(app: FastifyInstance, ctx: Context): void {
  addInstallationList(app, ctx, { url: '/institutes', list: instituteList, of: null })
  addOperatorWrite(app, ctx, {
    method: 'POST',
    url: '/institutes',
    body: newInstituteInput,
    output: created(createdInstituteOutput),
    perform: (command, { body }) => openInstitute(ctx, command, { ...body, strictCatalogue: false }),
    audit: (_call, { code, name, branches }: Institute) => ({
      what: 'institute.created',
      about: code,
      after: { name, branches: branches.map(({ collectorCode }) => collectorCode) },
    }),
  })
  addOperatorWrite(app, ctx, {
    method: 'PATCH',
    url: '/institutes/:code',
    params: instituteParams,
    body: renameInstituteInput,
    perform: (command, { params, body }) => renameInstitute(ctx, command, params.code, body.name),
    audit: ({ body }, { code, before, after }) => ({
      what: 'institute.renamed',
      about: code,
      why: body.reason,
      before: { name: before },
      after: { name: after },
    }),
  })
  addBranches(app, ctx)
}

function addBranches(app: FastifyInstance, ctx: Context): void {
  addOperatorWrite(app, ctx, {
    method: 'POST',
    url: '/institutes/:code/branches',
    params: instituteParams,
    body: newBranchInput,
    perform: (command, { params, body }) => addBranch(ctx, params.code, body, command),
    audit: ({ params, body }) => ({
      what: 'branch.added',
      about: params.code,
      after: { collector_code: body.collectorCode, name: body.name, is_default: body.isDefault },
    }),
  })
  addOperatorWrite(app, ctx, {
    method: 'PUT',
    url: '/institutes/:code/default-branch',
    params: instituteParams,
    body: defaultBranchInput,
    perform: (command, { params, body }) =>
      setDefaultBranch(ctx, command, { code: params.code, collectorCode: body.collectorCode }),
    audit: ({ body }, { code, before, after }) => ({
      what: 'branch.default.changed',
      about: code,
      why: body.reason,
      before: { default_branch: before },
      after: { default_branch: after },
    }),
  })
}

/** Bank holidays: no debit is presented and no settlement expected on them. */
function operatorHolidayRoutes(app: FastifyInstance, ctx: Context): void {
  addInstallationList(app, ctx, { url: '/holidays', list: holidayList, of: null })
  addOperatorWrite(app, ctx, {
    method: 'POST',
    url: '/holidays',
    body: newHolidayInput,
    output: created(holidayList.output),
    perform: (command, { body: { day, name } }) => addHoliday(ctx, command, { day, name }),
    audit: ({ body }, holiday: Holiday) => ({
      what: 'holiday.added',
      about: holiday.day,
      why: body.reason,
      after: holiday,
    }),
  })
  // Debits that were moved because of a holiday do not move back when it is deleted.
  addOperatorWrite(app, ctx, {
    method: 'DELETE',
    url: '/holidays/:day',
    params: holidayParams,
    body: reasonInput,
    perform: (command, { params }) => removeHoliday(ctx, command, params.day),
    audit: ({ body }, holiday: Holiday) => ({
      what: 'holiday.removed',
      about: holiday.day,
      why: body.reason,
      before: holiday,
    }),
  })
}
