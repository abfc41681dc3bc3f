import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callbackBody } from '../http/body.ts'
import { JSON_TYPE } from '../http/reply.ts'
import { isInstituteCode, type Institute } from '../institutes/institutes.rules.ts'
import { findInstitute } from '../institutes/institutes.service.ts'
import type { PaymentContext } from '../payments/context.ts'
import { BursarError } from '../platform/errors.ts'
import { AnswerError } from '../providers/http.ts'
import type { BillerAnswer, BillerUnit } from './biller-port.ts'
import { authenticate, type Biller } from './biller.service.ts'
import { fetchBill } from './bills.service.ts'
import { takePayOuts, takePosted } from './posted.service.ts'
import { FIRST_UNIT, unitOf } from './units/units.ts'

/** Where the unit of a school calls. It adds the rest of the path by itself, sometimes with a slash behind it. */
const UNIT_ADDRESS = '/bharat-connect'

const SIGNED = { config: { limitedBy: 'route' } } as const

export function addressOfUnit(
  ctx: Pick<PaymentContext, 'publicUrl'>,
  { code }: Pick<Institute, 'code'>,
): string {
  return `${ctx.publicUrl}${UNIT_ADDRESS}/${code}`
}

type Called = { institute: Institute; biller: Biller; unit: BillerUnit; body: Buffer }

/** Not operations of the API: no key, but the signature of the school's operating unit, in its own words. */
export function billerUnitRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  addCall(app, ctx, 'bills/fetch', async called => {
    // A school that stopped shows nothing; money that was on its way is taken all the same.
    if (!called.biller.isOn) return { kind: 'unknown_customer' }
    return fetchBill(ctx, called, called.unit.readQuestion(called.body))
  })
  addCall(app, ctx, 'bills/fetchReceipt', called =>
    takePosted(ctx, called, called.unit.readPosted(called.body)),
  )
  addCall(app, ctx, 'notifications', called => takePayOuts(ctx, called, called.unit.readPayOuts(called.body)))
}

function addCall(
  app: FastifyInstance,
  ctx: PaymentContext,
  path: string,
  act: (called: Called) => Promise<BillerAnswer>,
): void {
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { unit, answer } = await perform(ctx, request, act)
    const { httpStatus, body } = unit.answer(answer)
    // The signature may be tried as often as any other.
    if (answer.kind === 'not_signed') await app.publicLimit.admit(request)
    return reply
      .code(httpStatus)
      .header('content-type', JSON_TYPE)
      .header('cache-control', 'no-store')
      .send(body)
  }
  const url = `${UNIT_ADDRESS}/:institute/${path}`
  app.post(url, SIGNED, handle)
  app.post(`${url}/`, SIGNED, handle)
}

async function perform(
  ctx: PaymentContext,
  request: FastifyRequest,
  act: (called: Called) => Promise<BillerAnswer>,
): Promise<{ unit: BillerUnit; answer: BillerAnswer }> {
  const { institute: code } = request.params as { institute: string }
  const institute = isInstituteCode(code) ? await findInstitute(ctx, code) : null
  const body = callbackBody(request)
  const call = { headers: request.headers as Record<string, string | undefined>, body }
  const biller = institute === null ? null : await authenticate(ctx, institute.id, call)
  // A school that is no biller answers as one with other credentials.
  if (institute === null || biller === null) return { unit: FIRST_UNIT, answer: { kind: 'not_signed' } }
  const unit = unitOf(biller.unit)
  try {
    return { unit, answer: await act({ institute, biller, unit, body }) }
  } catch (error) {
    if (error instanceof AnswerError) return { unit, answer: { kind: 'unreadable', detail: error.message } }
    // Refusals of ours, such as of a school that is being moved, have their own answers.
    if (error instanceof BursarError) throw error
    request.log.error({ err: error }, 'a call of Bharat Connect failed')
    return { unit, answer: { kind: 'failed' } }
  }
}
