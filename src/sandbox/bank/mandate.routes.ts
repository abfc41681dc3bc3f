import type { FastifyInstance, FastifyRequest } from 'fastify'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { formField, sendPage, sendWrongLink } from '../../portal/layout.ts'
import { describeMandatePage, mandateActOf } from './mandate-page.ts'
import { actOnMandate, type SandboxPayments } from '../payments.service.ts'

const URL_PATH = '/sandbox/bank/mandates/:institute_id/:ref'

/** Where the payer allows debits, or does not. */
export function bankMandateRoutes(app: FastifyInstance, sandbox: SandboxPayments): void {
  const find = async (request: FastifyRequest) => {
    const { institute_id: id, ref } = request.params as { institute_id: string; ref: string }
    return /^\d{1,9}$/.test(id) && isIdShaped(ref) ? sandbox.bank.findMandate(Number(id), { ref }) : null
  }

  app.get(URL_PATH, async (request, reply) => {
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

  app.post(URL_PATH, async (request, reply) => {
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
