import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Scope } from '../institutes/institutes.rules.ts'
import { BursarError, badRequest } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import {
  AlreadyDone,
  rememberAnswer,
  rememberResult,
  replayIfDone,
  type Command,
  type StoredAnswer,
  type Idempotency,
} from '../platform/idempotency.ts'
import { callerOf } from './auth.ts'
import { bodyMark, parseBody } from './body.ts'
import { errorBody, JSON_TYPE, successBody, done, type Reply } from './reply.ts'
import { type Deprecation, deprecationHeaders } from './openapi/deprecation.ts'
import { documentEndpoint, type EndpointDocs } from './openapi/operation.ts'
import { input, type AnyInput, type Read } from './wire/input.ts'
import { JSON_BODY, type FileKind } from '../platform/limits.rules.ts'

/**
 * An operation of the API in one definition: where it is, what it takes, what it answers, what it says of
 * itself in the reference. Reading, idempotency, envelope and documentation follow from it.
 */
type Shape<Params extends AnyInput, Query extends AnyInput, Body extends AnyInput> = {
  url: string
  docs: EndpointDocs
  params?: Params
  query?: Query
  body?: Body
}

/** The parts of the request, as read by their inputs. */
export type SentRequest<Params, Query, Body> = {
  params: Params
  query: Query
  body: Body
}

type Call<Params, Query, Body> = SentRequest<Params, Query, Body> & { caller: Caller }

type ReadEndpoint<Params extends AnyInput, Query extends AnyInput, Result> = Shape<
  Params,
  Query,
  AnyInput
> & {
  /** What its key needs; `read` unless the answer gives its reader power to act. */
  scope?: Scope
  output: Reply<Result, Caller>
  answer(call: Call<Read<Params>, Read<Query>, unknown>): Promise<Result>
}

type WriteEndpoint<Params extends AnyInput, Query extends AnyInput, Body extends AnyInput, Result> = Shape<
  Params,
  Query,
  Body
> & {
  method: 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  /** What its key needs. */
  scope: Scope
  /** Nothing happens before the statement that takes the Idempotency-Key: it need not be looked up first, which saves a round trip. */
  takesKeyFirst?: true
  /** The answer holds a secret, such as a sign-in token: what is stored of it for a repeat is sealed. */
  hasSecret?: true
  /**
   * Does it, in a transaction that stores the answer when the command is to be done once. What no transaction can hold, such as
   * an act at the sandbox's bank, leaves the command alone: then the answer is stored when it is done.
   */
  perform(command: Command<Result>, call: Call<Read<Params>, Read<Query>, Read<Body>>): Promise<Result>
  /** An endpoint without an output answers that it was done. */
  output?: Reply<Result, Caller>
}

export const NOTHING = input({})

export function addRead<
  Result,
  Params extends AnyInput = typeof NOTHING,
  Query extends AnyInput = typeof NOTHING,
>(app: FastifyInstance, endpoint: ReadEndpoint<Params, Query, Result>): void {
  const readCall = compileCall<Read<Params>, Read<Query>, unknown>(endpoint)
  const { scope = 'read', output } = endpoint
  app.get(endpoint.url, {
    config: { scope },
    schema: documentEndpoint({ ...endpoint, ...output, scope }),
    handler: async (request, reply) => {
      const caller = callerOf(request)
      const success = output.toSuccess(await endpoint.answer({ ...readCall(request), caller }), caller)
      return send(reply, success.httpStatus, successBody(success))
    },
  })
}

export function addWrite<
  Result,
  Params extends AnyInput = typeof NOTHING,
  Query extends AnyInput = typeof NOTHING,
  Body extends AnyInput = typeof NOTHING,
>(app: FastifyInstance, ctx: Context, endpoint: WriteEndpoint<Params, Query, Body, Result>): void {
  const readCall = compileCall<Read<Params>, Read<Query>, Read<Body>>(endpoint)
  const { takesKeyFirst, hasSecret, output = done } = endpoint
  app.route({
    method: endpoint.method,
    url: endpoint.url,
    config: { scope: endpoint.scope },
    schema: documentEndpoint({ ...endpoint, ...output }),
    handler: (request, reply) => {
      const caller = callerOf(request)
      const instituteId = caller.institute.id
      const answerOf = answerBy(output, caller)
      let isStored = false
      const idempotency = readIdempotency(request, (result: Result) => {
        isStored = true
        return answerOf(result)
      })
      const command: Command<Result> = {
        instituteId,
        idempotency: hasSecret && idempotency ? sealed(ctx, instituteId, idempotency) : idempotency,
      }
      return answerCommand(ctx, command, { request, reply, answerOf, takesKeyFirst }, async () => {
        const result = await endpoint.perform(command, { ...readCall(request), caller })
        if (!isStored) await rememberResult(ctx.db, command, result)
        return result
      })
    },
  })
}

/** The bytes of the answer to whom asked. */
export function answerBy<Result, Asker>(
  output: Reply<Result, Asker>,
  asker: Asker,
): (result: Result) => StoredAnswer {
  return result => {
    const success = output.toSuccess(result, asker)
    return { httpStatus: success.httpStatus, body: successBody(success) }
  }
}

/** Errors hold no secret and are stored as they are. */
function sealed<Result>(
  { vault }: Context,
  instituteId: number,
  idempotency: Idempotency<Result>,
): Idempotency<Result> {
  const purpose = `stored answer ${instituteId} ${idempotency.key}`
  return {
    ...idempotency,
    answer(result) {
      const { httpStatus, body } = idempotency.answer(result)
      return { httpStatus, body: vault.seal(body, purpose).toString('base64') }
    },
    open: ({ httpStatus, body }) => ({
      httpStatus,
      body: httpStatus < 400 ? vault.open(Buffer.from(body, 'base64'), purpose) : body,
    }),
  }
}

type Exchange<Result> = {
  request: FastifyRequest
  reply: FastifyReply
  answerOf: (result: Result) => StoredAnswer
  takesKeyFirst?: true | undefined
}

/** Performs a command and answers it, or repeats the answer that its Idempotency-Key stands for. */
export async function answerCommand<Result>(
  ctx: Context,
  command: Command<Result>,
  { request, reply, answerOf, takesKeyFirst }: Exchange<Result>,
  perform: () => Promise<Result>,
): Promise<FastifyReply> {
  const replay = async (): Promise<void> => {
    if (command.idempotency !== undefined)
      await replayIfDone(ctx.db, command.instituteId, command.idempotency)
  }
  try {
    // Before anything is read: what was right when it was first sent is not judged again.
    if (takesKeyFirst === undefined) await replay()
    const { httpStatus, body } = answerOf(
      takesKeyFirst ? await performOrReplay(perform, replay) : await perform(),
    )
    return await send(reply, httpStatus, body)
  } catch (error) {
    return answerRepeat(ctx, command, { error, request, reply })
  }
}

/** A repeat that would be refused by now gets the first answer all the same. */
async function performOrReplay<Result>(
  perform: () => Promise<Result>,
  replay: () => Promise<void>,
): Promise<Result> {
  try {
    return await perform()
  } catch (error) {
    if (!(error instanceof AlreadyDone)) await replay()
    throw error
  }
}

async function answerRepeat<Result>(
  ctx: Context,
  command: Command<Result>,
  { error, request, reply }: { error: unknown; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  if (error instanceof AlreadyDone) return sendReplay(reply, error.answer)
  if (command.idempotency !== undefined && error instanceof BursarError && isRemembered(error)) {
    const answer = { httpStatus: error.httpStatus, body: errorBody(error, request.id) }
    const isStored = await rememberAnswer(ctx.db, command.instituteId, command.idempotency, answer)
    if (!isStored)
      return answerAgain(ctx, command.instituteId, command.idempotency, { error, request, reply })
  }
  throw error
}

/** The first answer came in the meantime: it is the answer to this one too. */
async function answerAgain(
  ctx: Context,
  instituteId: number,
  idempotency: Idempotency<never>,
  refused: { error: BursarError; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  try {
    await replayIfDone(ctx.db, instituteId, idempotency)
  } catch (error) {
    if (error instanceof AlreadyDone) return sendReplay(refused.reply, error.answer)
    throw error
  }
  throw refused.error
}

function sendReplay(reply: FastifyReply, { httpStatus, body }: StoredAnswer): FastifyReply {
  reply.header('idempotent-replayed', 'true')
  return send(reply, httpStatus, body)
}

/** Refusals that say something about the resource are repeated; those about the request or us are not. */
function isRemembered(error: BursarError): boolean {
  return error.code === 'HUE00001' || error.code === 'HUE00002'
}

export function send(reply: FastifyReply, httpStatus: number, body: string): FastifyReply {
  return reply.code(httpStatus).header('content-type', JSON_TYPE).send(body)
}

export function compileCall<Params, Query, Body>(
  shape: Pick<Shape<AnyInput, AnyInput, AnyInput>, 'params' | 'query' | 'body'>,
): (request: FastifyRequest) => SentRequest<Params, Query, Body> {
  const { params = NOTHING, query = NOTHING, body = NOTHING } = shape
  return request => ({
    params: params.read(request.params) as Params,
    query: query.read(request.query) as Query,
    body: body.read(parseBody(request)) as Body,
  })
}

const MAX_KEY_LENGTH = 255

/** Keys of different kinds of callers are told apart by what goes before them. */
export function readIdempotency<Result>(
  request: FastifyRequest,
  answer: Idempotency<Result>['answer'],
  before = '',
): Idempotency<Result> | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw badRequest(`Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`)
  }
  const fingerprint = createHash('sha256')
    .update(`${request.method} ${request.url}\n`)
    .update(bodyMark(request))
    .digest()
  return { key: before + key, fingerprint, answer }
}

/** Every operation with the schema that its route was added with, the console's too; the reference shows the API alone. */
export type ServedRoute = {
  method: string
  url: string
  schema: Readonly<Record<string, unknown>>
  /** What an API key needs for it; null: it takes no key. */
  scope: Scope | null
  /** The kind of file that is its body; null: its body is JSON, or empty. */
  file: FileKind | null
}

/** What the reference does not show: pages, forms, files, callbacks. */
export type ServedPage = {
  method: string
  url: string
  /** Read late: a hook of its scope, which runs after the route is added, may set a limit of its own. */
  readonly bodyLimit: number
}

declare module 'fastify' {
  interface FastifyInstance {
    routeTable: readonly ServedRoute[]
    pageTable: readonly ServedPage[]
  }
}

/**
 * Collects the operations added after this call. Their schemas are for the reference and the walks over all routes: requests
 * are read by reader.ts and answers are text already, so the framework gets none of them to compile.
 */
export function keepRouteTable(app: FastifyInstance): void {
  const table: ServedRoute[] = []
  const pages: ServedPage[] = []
  app.decorate('routeTable', table)
  app.decorate('pageTable', pages)
  app.addHook('onRoute', route => {
    const { method, url, schema, config } = route
    delete route.schema
    if (schema === undefined || !('response' in schema)) {
      if (typeof method === 'string')
        pages.push({
          method,
          url,
          get bodyLimit() {
            return route.bodyLimit ?? JSON_BODY.bytes
          },
        })
      return
    }
    const { 'x-deprecation': deprecation } = schema as { 'x-deprecation'?: Deprecation }
    if (deprecation !== undefined) {
      const headers = deprecationHeaders(deprecation)
      route.onRequest = async (_request, reply) => void reply.headers(headers)
    }
    for (const one of [method].flat())
      table.push({
        method: one,
        url,
        schema: schema as ServedRoute['schema'],
        scope: config?.scope ?? null,
        file: config?.file ?? null,
      })
  })
}
