import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static, type TObject } from 'typebox'
import type { Caller } from '../institutes/institutes.rules.ts'
import { BursarError, badRequest } from '../platform/errors.ts'
import type { Ground } from '../platform/ground.ts'
import { AlreadyDone, rememberAnswer, replayIfDone, type Act, type Once } from '../platform/idempotency.ts'
import { callerOf } from './auth.ts'
import { parseBody, rawBody } from './body.ts'
import { errorBody, JSON_TYPE, successBody, type Success } from './envelope.ts'
import { documentEndpoint, type EndpointDocs } from './openapi.ts'
import { compileReader } from './reader.ts'

/**
 * An operation of the API in one definition: where it is, what it takes, what it answers, what it says of
 * itself in the reference. Reading, idempotency, envelope and documentation follow from it.
 */
type Shape<Params extends TObject, Query extends TObject, Body extends TObject> = {
  url: string
  docs: EndpointDocs
  params?: Params
  query?: Query
  body?: Body
}

type Call<Params, Query, Body> = {
  params: Params
  query: Query
  body: Body
  caller: Caller
}

export type ReadEndpoint<Params extends TObject, Query extends TObject> = Shape<Params, Query, TObject> & {
  answer(call: Call<Static<Params>, Static<Query>, unknown>): Promise<Success>
}

export type WriteEndpoint<
  Params extends TObject,
  Query extends TObject,
  Body extends TObject,
  Result,
> = Shape<Params, Query, Body> & {
  method: 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  /** Does it, in a transaction that stores `present`'s answer when the act is to be done once. */
  perform(act: Act<Result>, call: Call<Static<Params>, Static<Query>, Static<Body>>): Promise<Result>
  present(result: Result): Success
}

const NOTHING = Type.Object({})

export function addRead<Params extends TObject = typeof NOTHING, Query extends TObject = typeof NOTHING>(
  app: FastifyInstance,
  endpoint: ReadEndpoint<Params, Query>,
): void {
  const readCall = compileCall<Static<Params>, Static<Query>, unknown>(endpoint)
  app.get(endpoint.url, {
    config: { scope: 'read' },
    schema: documentEndpoint(endpoint),
    handler: async (request, reply) => {
      const success = await endpoint.answer(readCall(request))
      return send(reply, success.httpStatus, successBody(success))
    },
  })
}

export function addWrite<
  Result,
  Params extends TObject = typeof NOTHING,
  Query extends TObject = typeof NOTHING,
  Body extends TObject = typeof NOTHING,
>(app: FastifyInstance, ground: Ground, endpoint: WriteEndpoint<Params, Query, Body, Result>): void {
  const readCall = compileCall<Static<Params>, Static<Query>, Static<Body>>(endpoint)
  const answerOf = (result: Result) => {
    const success = endpoint.present(result)
    return { httpStatus: success.httpStatus, body: successBody(success) }
  }
  app.route({
    method: endpoint.method,
    url: endpoint.url,
    config: { scope: 'write' },
    schema: documentEndpoint(endpoint),
    handler: async (request, reply) => {
      const once = readOnce(request, answerOf)
      const act: Act<Result> = { instituteId: callerOf(request).institute.id, once }
      try {
        // Before anything is read: what was right when it was first sent is not judged again.
        if (once !== undefined) await replayIfDone(ground.db, act.instituteId, once)
        const { httpStatus, body } = answerOf(await endpoint.perform(act, readCall(request)))
        return await send(reply, httpStatus, body)
      } catch (error) {
        return answerRepeat(ground, act, { error, request, reply })
      }
    },
  })
}

async function answerRepeat<Result>(
  ground: Ground,
  act: Act<Result>,
  { error, request, reply }: { error: unknown; request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  if (error instanceof AlreadyDone) {
    reply.header('idempotent-replayed', 'true')
    return send(reply, error.answer.httpStatus, error.answer.body)
  }
  if (act.once !== undefined && error instanceof BursarError && isRemembered(error)) {
    const answer = { httpStatus: error.httpStatus, body: errorBody(error, request.id) }
    await rememberAnswer(ground.db, act.instituteId, act.once, answer)
  }
  throw error
}

/** Refusals that say something about the resource are repeated; those about the request or us are not. */
function isRemembered(error: BursarError): boolean {
  return error.code === 'HUE00001' || error.code === 'HUE00002'
}

function send(reply: FastifyReply, httpStatus: number, body: string): FastifyReply {
  return reply.code(httpStatus).header('content-type', JSON_TYPE).send(body)
}

function compileCall<Params, Query, Body>(shape: Shape<TObject, TObject, TObject>) {
  const readParams = compileReader(shape.params ?? NOTHING)
  const readQuery = compileReader(shape.query ?? NOTHING)
  const readBody = compileReader(shape.body ?? NOTHING)
  return (request: FastifyRequest): Call<Params, Query, Body> => ({
    params: readParams(request.params) as Params,
    query: readQuery(request.query) as Query,
    body: readBody(parseBody(request)) as Body,
    caller: callerOf(request),
  })
}

const MAX_KEY_LENGTH = 255

function readOnce<Result>(request: FastifyRequest, answer: Once<Result>['answer']): Once<Result> | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw badRequest(`Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`)
  }
  const fingerprint = createHash('sha256')
    .update(`${request.method} ${request.url}\n`)
    .update(rawBody(request))
    .digest()
  return { key, fingerprint, answer }
}
