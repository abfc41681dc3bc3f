import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import {
  answerBy,
  answerCommand,
  compileCall,
  NOTHING,
  readIdempotency,
  type SentRequest,
} from '../http/endpoint.ts'
import type { AnyInput, Read } from '../http/wire/input.ts'
import { documentFile } from '../http/openapi/operation.ts'
import { fileOf, type ReceivedFile } from '../http/upload.ts'
import { assert } from '../platform/assert.ts'
import type { Context } from '../platform/context.ts'
import type { Command } from '../platform/idempotency.ts'
import { recordAudit, type AuditNote } from './audit/audit.service.ts'
import type { ConsoleRole } from './console.rules.ts'
import {
  type AccessRule,
  admit,
  type ApplicationVisit,
  atApplication,
  atInstitute,
  documentConsole,
  type InstituteVisit,
  APPLICATION,
  INSTITUTE,
  withPlace,
} from './auth/access.routes.ts'
import type { Reply } from '../http/reply.ts'

/** The console's routes for files: those that it answers with, and those that it is sent. */
type FileEndpoint<Visit, Params extends AnyInput, Query extends AnyInput> = {
  url: string
  params?: Params
  query?: Query
  /** The type that the API document names; a route with several files names one of them. */
  mediaType: string
  /** Shown in the browser instead of saved. */
  isShown?: true
  answer(call: SentRequest<Read<Params>, Read<Query>, unknown> & Visit): Promise<AnsweredFile>
}

/** `mediaType` where it is not the endpoint's. */
type AnsweredFile = { name: string; mediaType?: string; content: Readable | Buffer | string }

/** A read that answers with a file instead of the envelope; its errors have the envelope as everywhere. */
export function addConsoleFile<
  Params extends AnyInput = typeof NOTHING,
  Query extends AnyInput = typeof NOTHING,
>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: FileEndpoint<InstituteVisit, Params, Query> & { roles: readonly ConsoleRole[] },
): void {
  addFile(app, ctx, { ...endpoint, url: INSTITUTE + endpoint.url }, atInstitute(ctx, endpoint.roles))
}

/** A file about an application, for the people of its lender. */
export function addDeskFile<Query extends AnyInput>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: FileEndpoint<ApplicationVisit, typeof NOTHING, Query>,
): void {
  addFile(app, ctx, { ...endpoint, url: APPLICATION + endpoint.url }, atApplication(ctx))
}

function addFile<Visit extends object, Params extends AnyInput, Query extends AnyInput>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: FileEndpoint<Visit, Params, Query>,
  access: AccessRule<Visit>,
): void {
  const { url, query = NOTHING, isShown = false } = endpoint
  const params = withPlace(url, endpoint.params) as Params
  const readCall = compileCall<Read<Params>, Read<Query>, unknown>({ params, query })
  app.get(url, {
    config: { limitedBy: 'route' },
    schema: {
      ...documentFile({ params, mediaType: endpoint.mediaType }),
      querystring: query.schema,
      'x-roles': access.reach,
    } as FastifySchema,
    handler: async (request, reply) => {
      const visit = await access.enter(await admit(ctx, request, reply))
      const file = await endpoint.answer({ ...readCall(request), ...visit })
      return (
        reply
          .header('content-type', file.mediaType ?? endpoint.mediaType)
          .header('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename="${file.name}"`)
          // Nothing in a file of ours is run.
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
          .send(file.content)
      )
    },
  })
}

/** What the audit log needs of who was let in. */
type ActedOn = Pick<InstituteVisit, 'who' | 'origin' | 'institute'>

type UploadEndpoint<Visit, Query extends AnyInput, Result> = {
  url: string
  output: Reply<Result>
  query: Query
  mediaTypes: readonly string[]
  perform(command: Command<Result>, call: { query: Read<Query>; file: ReceivedFile } & Visit): Promise<Result>
  audit(result: Result): AuditNote
}

/** The scope receives files (`receiveFiles` of http/upload.ts). Who may not is told before the file is read. */
export function addConsoleUpload<Query extends AnyInput, Result>(
  scope: FastifyInstance,
  ctx: Context,
  endpoint: UploadEndpoint<InstituteVisit, Query, Result> & { roles: readonly ConsoleRole[] },
): void {
  addUpload(scope, ctx, { ...endpoint, url: INSTITUTE + endpoint.url }, atInstitute(ctx, endpoint.roles))
}

/** A file that people of the lender add to an application. */
export function addDeskUpload<Query extends AnyInput, Result>(
  scope: FastifyInstance,
  ctx: Context,
  endpoint: UploadEndpoint<ApplicationVisit, Query, Result>,
): void {
  addUpload(scope, ctx, { ...endpoint, url: APPLICATION + endpoint.url }, atApplication(ctx))
}

function addUpload<Visit extends ActedOn, Query extends AnyInput, Result>(
  scope: FastifyInstance,
  ctx: Context,
  endpoint: UploadEndpoint<Visit, Query, Result>,
  access: AccessRule<Visit>,
): void {
  const { url, mediaTypes } = endpoint
  const params = withPlace(url, undefined) as AnyInput
  const readCall = compileCall<unknown, Read<Query>, unknown>({ query: endpoint.query })
  const visits = new WeakMap<FastifyRequest, Visit>()
  const reply = endpoint.output
  const answerOf = answerBy(reply, null)
  scope.route({
    method: 'POST',
    url,
    config: { limitedBy: 'route', file: scope.fileKind },
    schema: {
      ...documentConsole({ query: endpoint.query, method: 'POST', params }, reply, access.reach),
      body: { content: Object.fromEntries(mediaTypes.map(type => [type, FILE])) },
    },
    onRequest: async (request, reply) => {
      const visit = await access.enter(await admit(ctx, request, reply))
      visits.set(request, visit)
      request.uploader = { key: visit.who.userId, instituteId: visit.institute.id }
    },
    handler: (request, response) => {
      const visit = visits.get(request)
      assert(visit !== undefined, 'onRequest lets nobody else through')
      const { who, origin, institute } = visit
      const by = { instituteId: institute.id, actor: { who, origin } }
      const idempotency = readIdempotency(request, answerOf, `console ${who.userId} `)
      const command: Command<Result> = { instituteId: institute.id, idempotency }
      const audit: Command<Result>['audit'] = (tx, result) => recordAudit(tx, ctx, by, endpoint.audit(result))
      return answerCommand(ctx, command, { request, reply: response, answerOf }, async () => {
        const call = { query: readCall(request).query, file: fileOf(request, mediaTypes), ...visit }
        return endpoint.perform({ ...command, audit }, call)
      })
    },
  })
}

const FILE = { schema: { type: 'string', format: 'binary', description: 'The file itself.' } }
