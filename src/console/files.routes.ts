import type { FastifyInstance, FastifyRequest } from 'fastify'
import { answerCommand, compileCall, readIdempotency } from '../http/endpoint.ts'
import { successBody } from '../http/envelope.ts'
import { documentFile } from '../http/openapi/openapi.ts'
import type { Readable, SentBy } from '../http/wire/readable.ts'
import { fileOf, type ReceivedFile } from '../http/upload.ts'
import { assert } from '../platform/assert.ts'
import type { Context } from '../platform/context.ts'
import type { Command } from '../platform/idempotency.ts'
import { recordAudit, type AuditNote } from './audit/audit.service.ts'
import type { ConsoleRole } from './console.rules.ts'
import { admit, atInstitute, type InstituteVisit } from './auth/roles.routes.ts'
import { documentConsole } from './auth/access.docs.ts'
import type { Reply } from './auth/replies.output.ts'
import { INSTITUTE, withInstitute } from './auth/access.routes.ts'

/** The console's routes for files: those that it answers with, and those that it is sent. */
type FileEndpoint<Params extends Readable> = {
  url: string
  roles: readonly ConsoleRole[]
  params: Params
  mediaType: string
  answer(call: { params: SentBy<Params> } & InstituteVisit): Promise<{
    body: string | Buffer
    /** What a browser saves it as; absent: it shows it. */
    saveAs?: string
  }>
}

export function addConsoleFile<Params extends Readable>(
  app: FastifyInstance,
  ctx: Context,
  endpoint: FileEndpoint<Params>,
): void {
  const { mediaType, roles } = endpoint
  const url = INSTITUTE + endpoint.url
  const params = withInstitute(url, endpoint.params) as Params
  const access = atInstitute(ctx, roles)
  const readCall = compileCall<SentBy<Params>, unknown, unknown>({ params })
  const schema: Record<string, unknown> = { ...documentFile({ params, mediaType }), 'x-roles': roles }
  app.get(url, {
    schema,
    handler: async (request, reply) => {
      const visit = await access.enter(await admit(ctx, request, reply))
      const { body, saveAs } = await endpoint.answer({ params: readCall(request).params, ...visit })
      reply.header('content-type', mediaType)
      // Whatever stands in a file of ours, it runs nothing.
      reply.header('content-security-policy', "default-src 'none'; sandbox")
      if (saveAs !== undefined) reply.header('content-disposition', `attachment; filename="${saveAs}"`)
      return reply.send(body)
    },
  })
}

type UploadEndpoint<Query extends Readable, Result> = {
  url: string
  roles: readonly ConsoleRole[]
  output: Reply<Result>
  query: Query
  mediaTypes: readonly string[]
  perform(
    command: Command<Result>,
    call: { query: SentBy<Query>; file: ReceivedFile } & InstituteVisit,
  ): Promise<Result>
  audit(result: Result): AuditNote
}

/** In a scope that receives files (`receiveFiles` of http/upload.ts). Who may not is told before the file is read. */
export function addConsoleUpload<Query extends Readable, Result>(
  scope: FastifyInstance,
  ctx: Context,
  endpoint: UploadEndpoint<Query, Result>,
): void {
  const url = INSTITUTE + endpoint.url
  const access = atInstitute(ctx, endpoint.roles)
  const params = withInstitute(url, undefined) as Readable
  const readCall = compileCall<unknown, SentBy<Query>, unknown>({ query: endpoint.query })
  const visits = new WeakMap<FastifyRequest, InstituteVisit>()
  const reply = endpoint.output
  const answerOf = (result: Result) => {
    const success = reply.toSuccess(result)
    return { httpStatus: success.httpStatus, body: successBody(success) }
  }
  scope.route({
    method: 'POST',
    url,
    schema: {
      ...documentConsole({ query: endpoint.query, method: 'POST', params }, reply, endpoint.roles),
      body: { content: Object.fromEntries(endpoint.mediaTypes.map(type => [type, FILE])) },
    },
    onRequest: async (request, reply) => {
      visits.set(request, await access.enter(await admit(ctx, request, reply)))
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
        const call = { query: readCall(request).query, file: fileOf(request), ...visit }
        return endpoint.perform({ ...command, audit }, call)
      })
    },
  })
}

const FILE = { schema: { type: 'string', format: 'binary', description: 'The file itself.' } }
