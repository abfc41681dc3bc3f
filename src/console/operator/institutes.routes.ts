import type { FastifyInstance } from 'fastify'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { addBranch, renameInstitute, setDefaultBranch } from '../../institutes/institutes.service.ts'
import type { Context } from '../../platform/context.ts'
import { addOperatorWrite } from '../auth/access.routes.ts'
import { created } from '../../http/reply.ts'
import { addInstallationList } from '../lists/list.routes.ts'
import { instituteList } from './institute.list.ts'
import {
  createdInstituteOutput,
  defaultBranchInput,
  instituteParams,
  newBranchInput,
  newInstituteInput,
  renameInstituteInput,
} from './operator.schemas.ts'
import { openInstitute } from './operator.service.ts'

export function operatorInstituteRoutes(app: FastifyInstance, ctx: Context): void {
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
