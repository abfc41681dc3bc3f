import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { created, ok, page } from '../../http/envelope.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import {
  addBranch,
  renameInstitute,
  setDefaultBranch,
  type NewDefault,
  type Renamed,
} from '../../institutes/institutes.service.ts'
import type { Context } from '../../platform/context.ts'
import { addOperatorRead, addOperatorWrite } from '../auth/access.routes.ts'
import * as schemas from './operator.schemas.ts'
import { listInstitutes, openInstitute, type InstituteRow } from './operator.service.ts'

export function operatorInstituteRoutes(app: FastifyInstance, ctx: Context): void {
  addOperatorRead(app, ctx, {
    url: '/institutes',
    docs: {
      operationId: 'consoleListInstitutes',
      summary: 'List institutes',
      description: 'By code, with their branches.',
      data: Type.Array(schemas.InstituteView),
      isList: true,
    },
    query: schemas.InstitutesQuery,
    async answer({ query: { search, cursor, limit = 50 } }) {
      const { rows, nextCursor } = await listInstitutes(ctx, { search, cursor, limit })
      return page(rows.map(view), nextCursor)
    },
  })
  addOperatorWrite(app, ctx, {
    method: 'POST',
    url: '/institutes',
    docs: {
      operationId: 'consoleCreateInstitute',
      summary: 'Create an institute',
      description: 'With its branches. Its people and its API keys come next.',
      data: Type.Object({ code: schemas.InstituteView.properties.code }),
      creates: true,
    },
    body: schemas.NewInstituteBody,
    perform: (act, { body }) =>
      openInstitute(ctx, act, {
        code: body.code,
        name: body.name,
        strictCatalogue: false,
        branches: body.branches.map(({ collector_code, name }) => ({ collectorCode: collector_code, name })),
      }),
    audit: (_call, { code, name, branches }: Institute) => ({
      what: 'institute.created',
      about: code,
      after: { name, branches: branches.map(({ collectorCode }) => collectorCode) },
    }),
    toResponse: ({ code }: Institute) => created({ code }),
  })
  addOperatorWrite(app, ctx, {
    method: 'PATCH',
    url: '/institutes/:code',
    docs: {
      operationId: 'consoleRenameInstitute',
      summary: 'Rename an institute',
      description: 'On pages, receipts and messages from now on. Its code stays.',
    },
    params: schemas.InstituteParams,
    body: schemas.RenameBody,
    perform: (act, { params, body }) => renameInstitute(ctx, act, params.code, body.name),
    audit: ({ body }, { code, before, after }: Renamed) => ({
      what: 'institute.renamed',
      about: code,
      why: body.reason,
      before: { name: before },
      after: { name: after },
    }),
    toResponse: () => ok(),
  })
  addBranches(app, ctx)
}

function addBranches(app: FastifyInstance, ctx: Context): void {
  addOperatorWrite(app, ctx, {
    method: 'POST',
    url: '/institutes/:code/branches',
    docs: {
      operationId: 'consoleAddBranch',
      summary: 'Add a branch',
      description: 'With a second one, requests of the ERP must name theirs.',
    },
    params: schemas.InstituteParams,
    body: schemas.NewBranchBody,
    perform: (act, { params, body }) =>
      addBranch(
        ctx,
        params.code,
        { collectorCode: body.collector_code, name: body.name, isDefault: body.is_default === true },
        act,
      ),
    audit: ({ params, body }) => ({
      what: 'branch.added',
      about: params.code,
      after: { collector_code: body.collector_code, name: body.name, is_default: body.is_default === true },
    }),
    toResponse: () => ok(),
  })
  addOperatorWrite(app, ctx, {
    method: 'PUT',
    url: '/institutes/:code/default-branch',
    docs: {
      operationId: 'consoleSetDefaultBranch',
      summary: 'Choose the default branch',
      description: 'The branch of whatever names none.',
    },
    params: schemas.InstituteParams,
    body: schemas.DefaultBranchBody,
    perform: (act, { params, body }) =>
      setDefaultBranch(ctx, act, { code: params.code, collectorCode: body.collector_code }),
    audit: ({ body }, { code, before, after }: NewDefault) => ({
      what: 'branch.default.changed',
      about: code,
      why: body.reason,
      before: { default_branch: before },
      after: { default_branch: after },
    }),
    toResponse: () => ok(),
  })
}

function view(row: InstituteRow): schemas.InstituteAnswer {
  return {
    code: row.code,
    name: row.name,
    strict_catalogue: row.strictCatalogue,
    created_at: row.createdAt.toISOString(),
    branches: row.branches.map(({ collectorCode, name, isDefault }) => ({
      collector_code: collectorCode,
      name,
      is_default: isDefault,
    })),
    active_keys: row.activeKeys,
    people: row.people,
  }
}
