import type { FastifyInstance } from 'fastify'
import { OffsetClock } from '../../src/platform/clock.ts'
import type { Context } from '../../src/platform/context.ts'
import { JobRunner } from '../../src/platform/jobs/job-runner.ts'
import type { Log } from '../../src/platform/log.ts'
import { rebalanceAll } from '../../src/flex/plans/rebalance.service.ts'
import type { Config } from '../../src/app/config.ts'
import { createContext } from '../../src/app/context.ts'
import { describeInstallation } from '../../src/app/installation.ts'
import { createJobs } from '../../src/app/jobs.ts'
import { createHttpServer } from '../../src/app/routes.ts'

type Key = { keyId: string; secret: string }
type Answer = { status: string; data: unknown; message?: string; errors?: unknown }

/**
 * The whole product under an earlier clock, without a socket: what is asked of it happened then, and time goes on from one
 * thing that falls due to the next. Nobody else may work on the same database meanwhile.
 */
export class PastSandbox {
  readonly #clock: OffsetClock
  readonly #worker: JobRunner
  readonly #server: FastifyInstance
  readonly #key: Key
  readonly #close: () => Promise<void>
  #session: Record<string, string> | undefined

  private constructor(parts: {
    clock: OffsetClock
    worker: JobRunner
    server: FastifyInstance
    key: Key
    close: () => Promise<void>
  }) {
    this.#clock = parts.clock
    this.#worker = parts.worker
    this.#server = parts.server
    this.#key = parts.key
    this.#close = parts.close
  }

  static async open(
    config: Config,
    base: Context,
    parts: { log: Log; key: Key; start: Date },
  ): Promise<PastSandbox> {
    // What it does in the past is not what an operator looks for in today's log.
    const log = parts.log.child({}, { level: 'error' })
    const clock = new OffsetClock(parts.start.getTime() - Date.now())
    const { ctx, simulators, closeErp, closeSenders } = await createContext(config, { ...base, clock }, log)
    if (simulators === null) throw new Error('only a sandbox has a past')
    const worker = new JobRunner(createJobs(config, ctx, simulators.bank), { clock, log })
    const server = await createHttpServer({
      ...config,
      ctx,
      log,
      sandbox: { db: ctx.db, clock, worker, ctx, beforeMove: () => rebalanceAll(ctx), ...simulators },
      readiness: { isDraining: false, warnings: () => [] },
      machine: null,
      installation: describeInstallation(config, worker, null),
      tls: undefined,
      examine: async () => [],
    })
    const close = async (): Promise<void> => {
      await server.close()
      await closeErp()
      closeSenders()
    }
    return new PastSandbox({ clock, worker, server, key: parts.key, close })
  }

  /** A call of the API; throws what it answered unless that is a success. */
  async call<Data = Record<string, unknown>>(
    method: 'POST' | 'PUT' | 'GET',
    path: string,
    body?: object,
  ): Promise<Data> {
    const { keyId, secret } = this.#key
    const authorization = `Basic ${Buffer.from(`${keyId}:${secret}`).toString('base64')}`
    return this.#send(method, `/api/v1/${path}`, { authorization }, body) as Promise<Data>
  }

  /** What somebody of the school's office does at the console, as its bursar. */
  async doAtConsole<Data = Record<string, unknown>>(
    method: 'POST' | 'GET',
    path: string,
    body?: object,
  ): Promise<Data> {
    this.#session ??= await this.#signIn()
    const url = `/console/api/institutes/sunrise-school/${path}`
    return this.#send(method, url, this.#session, body) as Promise<Data>
  }

  async #signIn(): Promise<Record<string, string>> {
    const url = '/console/api/session'
    const email = 'bursar@sunrise-school.example'
    const { cookies } = await this.#server.inject({ method: 'POST', url: `${url}/demo`, payload: { email } })
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const { csrf } = (await this.#send('GET', url, { cookie })) as { csrf: string }
    return { cookie, 'x-csrf': csrf }
  }

  async #send(
    method: 'POST' | 'PUT' | 'GET',
    url: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<unknown> {
    const payload = body === undefined ? {} : { payload: body }
    const answer = await this.#server.inject({ method, url, headers, ...payload })
    const { data, message, errors } = answer.json<Answer>()
    if (answer.statusCode < 300) return data
    throw new Error(`${method} ${url}: ${answer.statusCode} ${message} ${JSON.stringify(errors ?? [])}`)
  }

  now(): Date {
    return this.#clock.now()
  }

  /** Does on the way what falls due, beginning with what follows at once from what was asked, such as a message. */
  async goTo(moment: Date): Promise<void> {
    await this.#worker.finishAllDue()
    while (this.#clock.now() < moment) {
      const stop = await this.#worker.nextStop()
      const isPast = stop !== null && stop <= this.#clock.now()
      const next = stop === null || isPast || stop > moment ? moment : stop
      this.#clock.advanceTo(next.getTime() - Date.now())
      await this.#worker.finishAllDue()
    }
  }

  /** Does what follows at once from what was asked last. */
  async finishDue(): Promise<void> {
    await this.#worker.finishAllDue()
  }

  close(): Promise<void> {
    return this.#close()
  }
}
