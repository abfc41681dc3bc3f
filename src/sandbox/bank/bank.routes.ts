import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { formField, sendPage, sendWrongLink } from '../../portal/layout.ts'
import { describeBankPage, modeOf, readDeed, describeMandatePage, mandateActOf } from './bank-pages.ts'
import { actAtBank, actOnMandate, type SandboxPayments } from '../payments.service.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'

const PAYMENT_PATH = '/sandbox/bank/:institute_id/:ref'
const UPI_REFRESH_SECONDS = 20

/** The sandbox bank's own page, where a person plays the payer and the bank at once. */
export function bankRoutes(app: FastifyInstance, sandbox: SandboxPayments): void {
  bankMandateRoutes(app, sandbox)
  const find = async (request: FastifyRequest) => {
    const { institute_id: id, ref } = request.params as { institute_id: string; ref: string }
    return /^\d{1,9}$/.test(id) && isIdShaped(ref) ? sandbox.bank.find(Number(id), ref) : null
  }
  type Found = NonNullable<Awaited<ReturnType<typeof find>>>

  const show = async (
    reply: FastifyReply,
    payment: Found,
    { status, ...options }: { mode: ReturnType<typeof modeOf>; status?: number; isCardUnknown?: boolean },
  ): Promise<FastifyReply> => {
    const data = await describeBankPage(payment, options)
    return sendPage(reply, {
      template: 'bank',
      title: 'Sandbox bank',
      status: status ?? 200,
      language: 'en',
      hasSwitch: false,
      // A payer who scans the code with another device sees here that it is done.
      refreshSeconds: payment.state === 'open' && data['mode'] === 'upi' ? UPI_REFRESH_SECONDS : undefined,
      data,
    })
  }

  app.get(PAYMENT_PATH, async (request, reply) => {
    const payment = await find(request)
    if (payment === null) return sendWrongLink(request, reply)
    return show(reply, payment, { mode: modeOf((request.query as { mode?: unknown }).mode) })
  })

  app.post(PAYMENT_PATH, async (request, reply): Promise<FastifyReply> => {
    const payment = await find(request)
    const deed = readDeed(name => formField(request, name))
    if (payment === null || deed === 'unknown') return sendWrongLink(request, reply)
    const mode = modeOf(formField(request, 'mode'))
    if (deed === 'unknown card')
      return show(reply, payment, { mode: 'card', status: 422, isCardUnknown: true })
    try {
      await actAtBank(sandbox, payment, { ...deed, mode })
    } catch (error) {
      // Done already, in another tab or by a second click: the way back is the same.
      if (!(error instanceof BursarError && error.code === 'HUE00002')) throw error
    }
    return reply.redirect(payment.returnUrl, 303)
  })
}

const MANDATE_PATH = '/sandbox/bank/mandates/:institute_id/:ref'

/** Where the payer allows debits, or does not. */
function bankMandateRoutes(app: FastifyInstance, sandbox: SandboxPayments): void {
  const find = async (request: FastifyRequest) => {
    const { institute_id: id, ref } = request.params as { institute_id: string; ref: string }
    return /^\d{1,9}$/.test(id) && isIdShaped(ref) ? sandbox.bank.findMandate(Number(id), { ref }) : null
  }

  app.get(MANDATE_PATH, async (request, reply) => {
    const mandate = await find(request)
    if (mandate === null) return sendWrongLink(request, reply)
    const [institute] = await getInstitutesById(sandbox.ctx, [mandate.instituteId])
    return sendPage(reply, {
      template: 'bank-mandate',
      title: 'Sandbox bank',
      language: 'en',
      hasSwitch: false,
      data: await describeMandatePage(mandate, institute?.name ?? ''),
    })
  })

  app.post(MANDATE_PATH, async (request, reply) => {
    const mandate = await find(request)
    const act = mandateActOf(formField(request, 'act'))
    if (mandate === null || act === undefined) return sendWrongLink(request, reply)
    try {
      await actOnMandate(sandbox, mandate, act)
    } catch (error) {
      // Done already, in another tab or by a second click: the way back is the same.
      if (!(error instanceof BursarError && error.code === 'HUE00002')) throw error
    }
    return reply.redirect(mandate.returnUrl, 303)
  })
}
