import type { FastifyInstance } from 'fastify'
import type { ConsoleContext } from '../../context.ts'
import { readUnsettled } from '../../../flex/plans/plans.service.ts'
import { receiveFiles } from '../../../http/upload.ts'
import { MEDIA_TYPES } from '../../../imports/imports.rules.ts'
import {
  readStructureFile,
  type ReadStructure,
} from '../../../imports/rollover-file/rollover-file.service.ts'
import { badField } from '../../../platform/errors.ts'
import { toRupees } from '../../../platform/money.ts'
import {
  rolloverParams,
  rolloversQuery,
  rolloverOutput,
} from '../../../students/rollover/rollover.schemas.ts'
import { addCounts } from '../../../students/rollover/rollover.rules.ts'
import {
  getRollover,
  listRollovers,
  startRollover,
  stopRollover,
  type Rollover,
} from '../../../students/rollover/rollover.service.ts'
import { yearName } from '../../../students/students.rules.ts'
import { keptOr } from '../../approvals/approval.list.ts'
import { noteOf } from '../../approvals/approvals.routes.ts'
import { Kept, performOrKeep } from '../../approvals/approvals.service.ts'
import { rolloverAct } from '../../approvals/bulk-acts.ts'
import { EVERYONE } from '../../console.rules.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { all, created, one, pageOf } from '../../../http/reply.ts'
import { addConsoleUpload } from '../../files.routes.ts'
import { FINANCE_ROLES } from '../students.rules.ts'
import {
  rolloverNeedsQuery,
  startRolloverInput,
  stopRolloverInput,
  uploadQuery,
  gradeOfYearOutput,
  rolloverNeedsOutput,
  structureOutput,
} from './rollover.schemas.ts'
import { listGrades, listMissing, requireStructure } from './rollover.service.ts'

const ROLLOVERS = '/rollovers'

export async function rolloverConsoleRoutes(app: FastifyInstance, ctx: ConsoleContext): Promise<void> {
  await app.register(async scope => {
    receiveFiles(scope, 'structure')
    addFile(scope, ctx)
  })
  addReads(app, ctx)
  addWrites(app, ctx)
}

function addFile(scope: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleUpload(scope, ctx, {
    url: '/rollover-files',
    roles: FINANCE_ROLES,
    output: one(structureOutput),
    query: uploadQuery,
    mediaTypes: MEDIA_TYPES,
    perform: (command, { file }) => readStructureFile(ctx, command, file),
    audit: ({ grades, problems }: ReadStructure) => ({
      what: 'rollover.file_read',
      about: 'rollover',
      after: { grades: grades.length, problems: problems.length },
    }),
  })
}

function addReads(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleRead(app, ctx, {
    url: '/rollover-grades',
    roles: EVERYONE,
    output: all(gradeOfYearOutput),
    answer: ({ institute }) => listGrades(ctx, institute),
  })
  addConsoleRead(app, ctx, {
    url: '/rollover-needs',
    roles: EVERYONE,
    output: one(rolloverNeedsOutput),
    query: rolloverNeedsQuery,
    answer: async ({ institute, query }) => ({ missing: await listMissing(ctx, institute, query) }),
  })
  addConsoleRead(app, ctx, {
    url: ROLLOVERS,
    roles: EVERYONE,
    output: pageOf(rolloverOutput),
    query: rolloversQuery,
    answer: ({ institute, query }) => listRollovers(ctx, institute, query),
  })
  addConsoleRead(app, ctx, {
    url: `${ROLLOVERS}/:rollover_id`,
    roles: EVERYONE,
    params: rolloverParams,
    output: one(rolloverOutput),
    answer: ({ institute, params }) => getRollover(ctx, institute, params.rolloverId),
  })
}

function addWrites(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: ROLLOVERS,
    roles: FINANCE_ROLES,
    body: startRolloverInput,
    output: keptOr(created(rolloverOutput)),
    async perform(command, { body: { reason, isPreview, ...body }, ...by }) {
      const { isWithoutStructure: _said, ...wanted } = body
      if (isPreview) return startRollover(ctx, command, by.institute, { ...wanted, isPreview, readUnsettled })
      if (reason === null) throw badField('reason', 'is required')
      await requireStructure(ctx, by.institute, body)
      const about = yearName(wanted.toYearStart, wanted.toYearEnd)
      return performOrKeep(ctx, command, by, { name: 'rollover', about, request: { ...body, reason } })
    },
    audit({ institute, body: { isPreview, reason, ...body } }, result: Rollover | Kept) {
      if (result instanceof Kept) return noteOf(result.approval)
      if (isPreview) return null
      return rolloverAct.note({ institute, about: result.id }, { ...body, reason: reason ?? '' }, result)
    },
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: `${ROLLOVERS}/:rollover_id`,
    roles: FINANCE_ROLES,
    params: rolloverParams,
    body: stopRolloverInput,
    output: one(rolloverOutput),
    perform: (command, { institute, params }) => stopRollover(ctx, command, institute, params.rolloverId),
    audit({ body }, { id, grades }: Rollover) {
      const { registered, carriedDuesPaise } = addCounts(grades)
      return {
        what: 'rollover.stopped',
        about: id,
        why: body.reason,
        after: { registered, carried_dues: toRupees(carriedDuesPaise) },
      }
    },
  })
}
