import type { FastifyInstance } from 'fastify'
import { SECOND_IDENTIFIERS, type BillerAnswer } from '../../bharat-connect/biller-port.ts'
import {
  findBiller,
  renewCredentials,
  setBiller,
  type BillerChange,
  type NewCredentials,
  type ShownBiller,
} from '../../bharat-connect/biller.service.ts'
import {
  listUnpaidRefunds,
  payRefund,
  type UnpaidRefund,
} from '../../bharat-connect/bill-payments.service.ts'
import { tryBill } from '../../bharat-connect/try-bill.service.ts'
import { AMOUNT_RULES } from '../../bharat-connect/bills.rules.ts'
import { addressOfUnit } from '../../bharat-connect/unit.routes.ts'
import { all, created, one } from '../../http/reply.ts'
import { field, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE, KEEPERS } from '../console.rules.ts'
import { MONEY_HANDLERS } from '../orders/orders.rules.ts'

const PAGE = '/bharat-connect'

const REFUND_ID = 'rfd_01k9zq4m0ve8sbn6yt2hw3c5da'

type BillerPage = { biller: ShownBiller | null; baseUrl: string }

const out = outputOf<BillerPage>()
const billerOutput = out.object({
  state: out.oneOf(
    ['none', 'off', 'waiting', 'on'],
    'none: the school is no biller. off: no bills are shown. waiting: the unit has not called yet. on: it has.',
    ({ biller }) => {
      if (biller === null) return 'none'
      if (!biller.isOn) return 'off'
      return biller.heardAt === null ? 'waiting' : 'on'
    },
    'on',
  ),
  second_identifier: out.oneOf(
    SECOND_IDENTIFIERS,
    'What an app asks for beside the admission number.',
    ({ biller }) => biller?.secondIdentifier ?? 'date_of_birth',
  ),
  amount_rule: out.oneOf(
    AMOUNT_RULES,
    'How much apps take of a bill.',
    ({ biller }) => biller?.amountRule ?? 'part_payments',
  ),
  base_url: out.text(
    'Where the unit calls.',
    'https://fees.example.in/bharat-connect/sunrise',
    page => page.baseUrl,
  ),
  scheme_id: out.optional.text(
    'What the unit names the school by in its tokens.',
    '8f47e41c-4684-4af1-b1b8-246c83112033',
    ({ biller }) => biller?.schemeId ?? null,
  ),
  heard_at: out.optional.moment(
    'When the unit last called.',
    '2026-12-19T05:30:00.000Z',
    ({ biller }) => biller?.heardAt ?? null,
  ),
})
export type BillerPageAnswer = Shown<typeof billerOutput>

const changed = outputOf<BillerChange>()
const changedOutput = changed.object({
  scheme_id: changed.text(
    'What the unit names the school by in its tokens.',
    '8f47e41c-4684-4af1-b1b8-246c83112033',
    ({ after }) => after.schemeId,
  ),
})

const fresh = outputOf<NewCredentials>()
const credentialsOutput = fresh.object({
  scheme_id: fresh.text(
    'For the field of the same name.',
    '8f47e41c-4684-4af1-b1b8-246c83112033',
    c => c.schemeId,
  ),
  secret: fresh.text('Shown this once.', '7c2e036c-908f-48ba-abe3-cd8745a6fa99'),
})
export type CredentialsAnswer = Shown<typeof credentialsOutput>

const billerInput = input({
  is_on: field.flag('Whether apps are shown bills.'),
  second_identifier: field.oneOf(SECOND_IDENTIFIERS, 'What an app asks for beside the admission number.'),
  amount_rule: field.oneOf(
    AMOUNT_RULES,
    'part_payments: as the rule for part payments has it. exact: the whole bill. at_least: the least part, or the bill, or more. any: any amount.',
  ),
  reason: field.text('Why.', 'Families asked for it.'),
})

const tried = outputOf<BillerAnswer>()
const triedOutput = tried.object({
  outcome: tried.oneOf(
    ['bill', 'nothing_due', 'unknown_customer'],
    'What the app gets.',
    ({ kind }) => (kind === 'bill' || kind === 'nothing_due' ? kind : 'unknown_customer'),
    'bill',
  ),
  customer_name: tried.optional.text('Whose bill the app shows.', 'Kabir Rao', said =>
    said.kind === 'bill' ? said.bill.student.name : said.kind === 'nothing_due' ? said.customerName : null,
  ),
  exactness: tried.optional.oneOf(['exact', 'at_least', 'any'], 'How much the app takes.', said =>
    said.kind === 'bill' ? said.bill.exactness : null,
  ),
  amount: tried.optional.amount('The amount that the app shows.', 5000, said =>
    said.kind === 'bill' ? said.bill.amountPaise : null,
  ),
  total: tried.optional.amount('All that is due.', 5000, said =>
    said.kind === 'bill' ? said.bill.totalPaise : null,
  ),
  lines: tried.optional.texts('The fees on it.', ['Tuition fee'], said =>
    said.kind === 'bill' ? said.bill.lines.map(({ name }) => name) : null,
  ),
})
export type TriedAnswer = Shown<typeof triedOutput>

const waiting = outputOf<UnpaidRefund>()
const refundOutput = waiting.object({
  refund_id: waiting.text('Id of the refund.', REFUND_ID),
  order_id: waiting.text('Id of the order that the payment paid.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
  student_name: waiting.optional.text('Whose fees were paid.', 'Kabir Rao'),
  payer_name: waiting.text('The family as it is registered.', 'Asha Rao'),
  payer_phone: waiting.text('Its phone.', '+91 98765 43210'),
  amount: waiting.amount('To be transferred.', 500),
  asked_at: waiting.moment('When it was asked for.', '2026-12-19T05:30:00.000Z'),
})
export type UnpaidRefundAnswer = Shown<typeof refundOutput>

const refundParams = input({ refund_id: field.resourceId('Id of the refund.', REFUND_ID) })

/** The school as a biller of Bharat Connect, and what the office has to send back of what came by it. */
export function bharatConnectRoutes(app: FastifyInstance, ctx: PaymentContext): void {
  const page = (institute: Institute, biller: ShownBiller | null): BillerPage => ({
    biller,
    baseUrl: addressOfUnit(ctx, institute),
  })
  addConsoleRead(app, ctx, {
    url: PAGE,
    roles: EVERYONE,
    output: one(billerOutput),
    answer: async ({ institute }) => page(institute, await findBiller(ctx, institute)),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: PAGE,
    roles: KEEPERS,
    body: billerInput,
    output: one(changedOutput),
    perform: (command, { institute, who, body: { reason: _reason, ...wanted } }) =>
      setBiller(ctx, command, { institute, by: who.email }, wanted),
    audit: ({ institute, body }, { before, after }) => ({
      what: 'bharat_connect.changed',
      about: institute.code,
      why: body.reason,
      before: before === null ? null : settingsOf(before),
      after: settingsOf(after),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${PAGE}/credentials`,
    roles: KEEPERS,
    hasSecret: true,
    output: created(credentialsOutput),
    perform: (command, { institute, who }) => renewCredentials(ctx, command, { institute, by: who.email }),
    audit: ({ institute }) => ({ what: 'bharat_connect.credentials_made', about: institute.code }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${PAGE}/try`,
    roles: MONEY_HANDLERS,
    body: input({
      admission_number: field.text('As the family would type it.', 'ADM-1042', 64),
      second: field.text('The date of birth or the phone, as the family would type it.', '20-06-2015', 64),
    }),
    output: one(triedOutput),
    perform: (command, { institute, body }) => tryBill(ctx, command, institute, body),
    audit: ({ institute }) => ({ what: 'bharat_connect.tried', about: institute.code }),
  })
  addConsoleRead(app, ctx, {
    url: `${PAGE}/refunds`,
    roles: EVERYONE,
    output: all(refundOutput),
    answer: ({ institute }) => listUnpaidRefunds(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: `${PAGE}/refunds/:refund_id/pay`,
    roles: MONEY_HANDLERS,
    params: refundParams,
    body: input({ utr: field.text('The reference of the bank transfer.', 'HDFCR52026121900042', 64) }),
    perform: (command, { institute, params, body }) =>
      payRefund(ctx, command, { institute, refundId: params.refundId }, body),
    audit: ({ params, body }) => ({
      what: 'bharat_connect.refund_paid',
      about: params.refundId,
      after: { utr: body.utr },
    }),
  })
}

function settingsOf({
  isOn,
  secondIdentifier,
  amountRule,
}: Pick<ShownBiller, 'isOn' | 'secondIdentifier' | 'amountRule'>) {
  return { is_on: isOn, second_identifier: secondIdentifier, amount_rule: amountRule }
}
