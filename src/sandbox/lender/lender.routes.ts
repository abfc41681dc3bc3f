import type { FastifyInstance, FastifyRequest } from 'fastify'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { formField, sendPage, sendWrongLink } from '../../portal/layout.ts'
import { describeLenderPage, lenderActOf } from './lender-page.ts'
import { actAtLender, type SandboxLoans } from './lender.service.ts'

const URL_PATH = '/sandbox/lender/:institute_id/:ref'

/** The sandbox lender's own pages, where a person plays the borrower and the lender at once. */
export function lenderPages(app: FastifyInstance, sandbox: SandboxLoans): void {
  const { ctx, lender } = sandbox
  const find = async (request: FastifyRequest) => {
    const { institute_id: id, ref } = request.params as { institute_id: string; ref: string }
    return /^\d{1,9}$/.test(id) && isIdShaped(ref) ? lender.find(Number(id), { ref }) : null
  }

  app.get(URL_PATH, async (request, reply) => {
    const loan = await find(request)
    if (loan === null) return sendWrongLink(request, reply)
    const [institute] = await getInstitutesById(ctx, [loan.instituteId])
    return sendPage(reply, {
      template: 'lender',
      title: 'Sandbox lender',
      language: 'en',
      hasSwitch: false,
      data: describeLenderPage(loan, institute?.name ?? ''),
    })
  })

  app.post(URL_PATH, async (request, reply) => {
    const loan = await find(request)
    const act = lenderActOf(formField(request, 'act'))
    if (loan === null || act === undefined) return sendWrongLink(request, reply)
    try {
      await actAtLender(sandbox, loan, act)
    } catch (error) {
      // Done already, in another tab or by a second click: the way on is the same.
      if (!(error instanceof BursarError && error.code === 'HUE00002')) throw error
    }
    // What the borrower did leads on, or back; what the lender decides is seen here first.
    const isBorrowers = act.kind === 'sign' || act.kind === 'cancel'
    return reply.redirect(isBorrowers ? loan.returnUrl : request.url, 303)
  })
}
