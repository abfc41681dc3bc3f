import type { FastifyInstance } from 'fastify'
import { addConsoleRead, addConsoleWrite, deskRoutes } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleFile, addDeskFile, addDeskUpload } from '../files.routes.ts'
import { addList } from '../lists/list.routes.ts'
import { applicationList, loanList } from './loan.list.ts'
import {
  cancelInput,
  confirmInput,
  letterVersionQuery,
  loanDetailOutput,
  loanParams,
  returnInput,
  approveInput,
  disburseInput,
  letterOutput,
  letterQuery,
  rejectInput,
  sanctionInput,
} from './loan.schemas.ts'
import { readLoan, readLoanAtDesk } from './loans.service.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'
import { one, pageOf } from '../../http/reply.ts'
import { field, input, optional, type Input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { LoanContext } from '../../loans/context.ts'
import { readLetter, attachLetter, recordAtDesk } from '../../loans/desk/desk.service.ts'
import { cancelApplication } from '../../loans/lender-sync.service.ts'
import type { LenderAccount } from '../../loans/lenders/lenders.rules.ts'
import { changeLenderOf, type LenderChoice, readLenderChoice } from '../../loans/lenders/lenders.service.ts'
import { confirmTransfer, returnTransfer } from '../../loans/transfers.service.ts'
import type { Context } from '../../platform/context.ts'
import { subtractPaise, toRupees, type Paise } from '../../platform/money.ts'
import { receiveFiles } from '../../http/upload.ts'
import type { DeskRequest } from '../../loans/desk/desk.rules.ts'
import { columnsOutput } from '../lists/list.schemas.ts'

/** The loans of an institute's families. */
export function loanConsoleRoutes(app: FastifyInstance, ctx: LoanContext): void {
  addList(app, ctx, { url: '/loans', list: loanList, of: ({ institute }) => ({ instituteId: institute.id }) })
  addConsoleRead(app, ctx, {
    url: '/loans/:application_id',
    roles: EVERYONE,
    params: loanParams,
    output: one(loanDetailOutput),
    answer: ({ institute, params }) => readLoan(ctx, institute, params.applicationId),
  })
  addConsoleFile(app, ctx, {
    url: '/loans/:application_id/letter',
    roles: MONEY_HANDLERS,
    params: loanParams,
    query: letterVersionQuery,
    mediaType: 'application/pdf',
    answer: async ({ institute, params: { applicationId }, query: { version } }) => ({
      name: `${applicationId}-sanction-letter.pdf`,
      content: await readLetter(ctx, { instituteId: institute.id, applicationId }, version),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/loans/:application_id/cancel',
    roles: MONEY_HANDLERS,
    params: loanParams,
    body: cancelInput,
    perform: (command, { institute, params }) =>
      cancelApplication(ctx, command, institute, params.applicationId),
    audit: ({ params, body }) => ({ what: 'loan.canceled', about: params.applicationId, why: body.reason }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/loans/:application_id/confirm',
    roles: MONEY_HANDLERS,
    params: loanParams,
    body: confirmInput,
    perform: (command, { institute, params: { applicationId }, body }) =>
      confirmTransfer(ctx, command, { instituteId: institute.id, applicationId }, body),
    audit: ({ params, body }, { reference, amountPaise, returnedPaise }) => ({
      what: body.isReceived ? 'loan.transfer_received' : 'loan.transfer_missing',
      about: params.applicationId,
      after: { utr: reference, amount: toRupees(subtractPaise(amountPaise, returnedPaise)) },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/loans/:application_id/return',
    roles: MONEY_HANDLERS,
    params: loanParams,
    body: returnInput,
    perform: (command, { institute, params: { applicationId }, body }) =>
      returnTransfer(ctx, command, { instituteId: institute.id, applicationId }, body),
    audit: ({ params, body }, { reference, returnedPaise }) => ({
      what: body.utr === null ? 'loan.confirmation_withdrawn' : 'loan.transfer_returned',
      about: params.applicationId,
      why: body.reason,
      after: { utr: reference, returned_by: body.utr, returned_amount: toRupees(returnedPaise) },
    }),
  })
}

const lender = outputOf<LenderAccount>()
const lenderOutput = lender.object({
  code: lender.text('Its short name.', 'sahakari'),
  title: lender.text('The name that parents know.', 'Sahakari Bank'),
  is_paused: lender.flag('Whether it takes no new applications.', false, ({ pausedAt }) => pausedAt !== null),
  least: lender.amount('The least it lends, in rupees.', 5000, ({ leastPaise }) => leastPaise),
  most: lender.amount('The most it lends, in rupees.', 300000, ({ mostPaise }) => mostPaise),
  yearly_rate_percent: lender.number(
    'Typical interest a year.',
    12,
    ({ yearlyRateBp }) => yearlyRateBp / 100,
  ),
  months: lender.integer('Typical number of EMIs.', 12),
})

const out = outputOf<LenderChoice>()
const choiceOutput = out.object({
  lender: out.optional.text(
    'Where new applications go; absent: nowhere.',
    'sahakari',
    ({ chosen }) => chosen,
  ),
  lenders: out.list('Lenders of this installation.', lenderOutput),
})
export type LenderChoiceAnswer = Shown<typeof choiceOutput>

const body = input({
  lender: optional(field.code('Where new applications go; null: nowhere.', 'sahakari')),
  reason: field.text('Why; stands in the audit log.', 'Decided by the management'),
})

/** Which lender an institute's families are offered. Their data go there, so only an owner decides it. */
export function lenderChoiceRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/lender',
    roles: EVERYONE,
    output: one(choiceOutput),
    answer: ({ institute }) => readLenderChoice(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/lender',
    roles: ['owner'],
    body,
    perform: (command, { institute, body: { lender: code } }) =>
      changeLenderOf(ctx, command, institute, code),
    audit: ({ institute, body: { reason } }, { before, after }) => ({
      what: 'lender.chosen',
      about: institute.code,
      why: reason,
      before: { lender: before },
      after: { lender: after },
    }),
  })
}

const PDF = 'application/pdf'

/** The desk of a lender without an API. Its people see its applications and nothing else. */
export async function lenderDeskRoutes(app: FastifyInstance, ctx: LoanContext): Promise<void> {
  const { desk, application } = deskRoutes(ctx)
  desk.read(app, ctx, {
    url: '/applications',
    query: applicationList.query,
    output: pageOf(applicationList.output),
    answer: ({ lender, query: { cursor, limit, ...filters } }) =>
      applicationList.page(ctx, { lender: lender.code }, filters, { cursor, limit }),
  })
  desk.read(app, ctx, {
    url: '/applications/columns',
    output: one(columnsOutput),
    answer: async () => applicationList,
  })
  application.read(app, ctx, {
    url: '',
    output: one(loanDetailOutput),
    answer: ({ institute, request }) => readLoanAtDesk(ctx, institute, applicationOf(request)),
  })
  const add = <Kind extends DeskRequest['kind']>(
    kind: Kind,
    body: Input<Omit<Extract<DeskRequest, { kind: Kind }>, 'kind'>>,
  ): void =>
    application.write(app, ctx, {
      method: 'POST',
      url: `/${kind}`,
      body,
      perform: (command, { institute, request, body: sent }) =>
        recordAtDesk(ctx, command, keyOf(institute, request), { kind, ...sent } as DeskRequest),
      audit: ({ request, body: sent, lender }) => ({
        what: RECORDED_AS[kind],
        about: applicationOf(request),
        after: { lender: lender.code, ...inRupees(sent) },
      }),
    })
  add('approve', approveInput)
  add('reject', rejectInput)
  add('sanction', sanctionInput)
  add('disburse', disburseInput)
  add('cancel', cancelInput)
  addDeskFile(app, ctx, {
    url: '/letter',
    mediaType: PDF,
    query: letterVersionQuery,
    async answer({ institute, request, query: { version } }) {
      const key = keyOf(institute, request)
      return {
        name: `${key.applicationId}-sanction-letter.pdf`,
        content: await readLetter(ctx, key, version),
      }
    },
  })
  await app.register(async scope => {
    receiveFiles(scope, 'letter')
    addDeskUpload(scope, ctx, {
      url: '/letter',
      query: letterQuery,
      mediaTypes: [PDF],
      output: one(letterOutput),
      perform: async (command, { institute, request, file }) =>
        attachLetter(ctx, command, keyOf(institute, request), await file.read(0, file.bytes)),
      audit: ({ digest, version, applicationId }) => ({
        what: 'loan.letter_attached',
        about: applicationId,
        after: { version, sha256: digest },
      }),
    })
  })
}

/** Names of the acts in the audit log. */
const RECORDED_AS: Record<DeskRequest['kind'], string> = {
  approve: 'loan.offer_made',
  reject: 'loan.rejected',
  sanction: 'loan.sanctioned',
  disburse: 'loan.transfer_recorded',
  cancel: 'loan.withdrawn',
}

type ApplicationRequest = { params: unknown }

function applicationOf({ params }: ApplicationRequest): string {
  return (params as { application_id: string }).application_id
}

function keyOf({ id: instituteId }: { id: number }, request: ApplicationRequest) {
  return { instituteId, applicationId: applicationOf(request) }
}

/** The log shows amounts as people read them: `amountPaise: 6000000` is `amount: 60000`. */
function inRupees(value: unknown): object {
  return JSON.parse(
    JSON.stringify(value, (_key, one: unknown) =>
      typeof one !== 'object' || one === null || Array.isArray(one)
        ? one
        : Object.fromEntries(
            Object.entries(one).map(([name, of]: [string, unknown]) =>
              name.endsWith('Paise') ? [name.slice(0, -'Paise'.length), toRupees(of as Paise)] : [name, of],
            ),
          ),
    ),
  ) as object
}
