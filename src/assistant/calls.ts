import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { onBehalf, type OnBehalf } from '../console/auth/on-behalf.ts'
import type { TokenScope } from '../console/tokens/tokens.rules.ts'
import { badRequest, BursarError, type ErrorCode, type FieldProblem } from '../platform/errors.ts'

/** The key or personal token that an assistant came with, and what it may do. */
export type Holder = {
  id: string
  behalf: OnBehalf
  scopes: readonly TokenScope[]
  ip: string
}

/** A request of the console's API. */
export type Call = Pick<InjectOptions, 'payload' | 'headers'> & { method: 'GET' | 'POST'; url: string }

export type Answered = {
  data?: unknown
  message?: string
  has_more?: boolean
  next_cursor?: string
}
type Envelope = Answered & {
  status: 'success' | 'error'
  code: ErrorCode
  errors?: readonly FieldProblem[]
}

const MOST_MS = 20_000
const DOTS = /\/\.{1,2}(?:[/?]|$)/

/** Calls the console's API as whom the assistant works for, inside this process. */
export async function callConsole(app: FastifyInstance, holder: Holder, call: Call): Promise<Answered> {
  // An id of dots would lead to another operation than the tool's.
  if (DOTS.test(call.url)) throw badRequest('An id cannot be . or ..')
  // The request begins when it is awaited, which has to be in here.
  const asked = onBehalf.run(
    holder.behalf,
    async () => await app.inject({ ...call, remoteAddress: holder.ip }),
  )
  const answered = await Promise.race([asked, late()])
  const { status, code, errors, ...answer } = answered.json<Envelope>()
  if (status === 'success') return answer
  // The message is the first of them.
  const others = errors?.slice(1).map(({ key, message }) => `${key} ${message}`) ?? []
  throw new BursarError(code, [answer.message, ...others].filter(Boolean).join('; '))
}

/** It goes on for as long as the database lets it; nobody waits for it. */
async function late(): Promise<never> {
  await wait(MOST_MS, undefined, { ref: false })
  const text = `No answer within ${MOST_MS / 1_000} seconds. Ask for less; an act may be sent again as it is, it is done once.`
  throw new BursarError('SYE00001', text)
}
