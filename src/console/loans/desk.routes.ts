import type { FastifyInstance } from 'fastify'
import { one, pageOf } from '../../http/reply.ts'
import { receiveFiles } from '../../http/upload.ts'
import type { Input } from '../../http/wire/input.ts'
import type { LoanContext } from '../../loans/context.ts'
import type { DeskRequest } from '../../loans/desk/desk.rules.ts'
import { attachLetter, readLetter, recordAtDesk } from '../../loans/desk/desk.service.ts'
import { toRupees, type Paise } from '../../platform/money.ts'
import { deskRoutes } from '../auth/access.routes.ts'
import { addDeskFile, addDeskUpload } from '../files.routes.ts'
import {
  approveInput,
  cancelInput,
  disburseInput,
  letterOutput,
  letterQuery,
  letterVersionQuery,
  loanDetailOutput,
  rejectInput,
  sanctionInput,
} from './loan.schemas.ts'
import { loanList } from './loan.list.ts'
import { columnsOutput } from '../lists/list.schemas.ts'
import { readLoanAtDesk } from './loans.service.ts'

const PDF = 'application/pdf'

/** The desk of a lender without an API. Its people see its applications and nothing else. */
export async function lenderDeskRoutes(app: FastifyInstance, ctx: LoanContext): Promise<void> {
  const { desk, application } = deskRoutes(ctx)
  desk.read(app, ctx, {
    url: '/applications',
    query: loanList.query,
    output: pageOf(loanList.output),
    answer: ({ lender, query: { cursor, limit, ...filters } }) =>
      loanList.page(ctx, { lender: lender.code }, filters, { cursor, limit }),
  })
  desk.read(app, ctx, {
    url: '/applications/columns',
    output: one(columnsOutput),
    answer: async () => loanList,
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
