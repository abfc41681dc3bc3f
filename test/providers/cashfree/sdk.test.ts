import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  CreateOrderRequest,
  CreateSubscriptionPaymentRequest,
  CreateSubscriptionRefundRequest,
  CreateSubscriptionRequest,
  DisputesEntity,
  OrderCreateRefundRequest,
  OrderEntity,
  PaymentEntity,
  RefundEntity,
  SettlementReconEntityDataInner,
  SubscriptionEntity,
  SubscriptionPaymentEntity,
  SubscriptionPaymentRefundEntity,
} from 'cashfree-pg'
import type * as emulated from '../../../emulators/cashfree/entities.ts'
import { payOrder } from '../../../emulators/cashfree/orders.ts'
import { authorise, confirm, endCharge } from '../../../emulators/cashfree/subscriptions.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import {
  amountPaise,
  cashfree,
  fake,
  instituteId,
  mandate,
  mandates,
  order,
  orderId,
  paymentId,
  refundId,
  subscriptionId,
} from './support.ts'

/** What the emulator answers with is what the published SDK expects: the compiler holds one against the other. */
type Answers = {
  order: [emulated.Order, OrderEntity]
  payment: [emulated.Payment, PaymentEntity]
  refund: [emulated.Refund, RefundEntity]
  subscription: [emulated.Subscription, SubscriptionEntity]
  charge: [emulated.Charge, SubscriptionPaymentEntity]
  chargeRefund: [emulated.ChargeRefund, SubscriptionPaymentRefundEntity]
  dispute: [emulated.Dispute, DisputesEntity]
  recon: [emulated.ReconEvent, SettlementReconEntityDataInner]
}
type Fits<Pair> = Pair extends [infer Emulated, infer Published]
  ? Emulated extends Published
    ? [Exclude<keyof Emulated, keyof Published>] extends [never]
      ? true
      : Exclude<keyof Emulated, keyof Published>
    : 'another type'
  : never
const ANSWERS: { [Name in keyof Answers]: Fits<Answers[Name]> } = {
  order: true,
  payment: true,
  refund: true,
  subscription: true,
  charge: true,
  chargeRefund: true,
  dispute: true,
  recon: true,
}

/** The fields of the published requests. The compiler refuses one that is missing here or is not there. */
const fieldsOf = <Request>(fields: Record<keyof Request, true>): string[] => Object.keys(fields)
const REQUESTS: Record<string, string[]> = {
  '/pg/orders': fieldsOf<CreateOrderRequest>({
    order_id: true,
    order_amount: true,
    order_currency: true,
    cart_details: true,
    customer_details: true,
    terminal: true,
    order_meta: true,
    order_expiry_time: true,
    order_note: true,
    order_tags: true,
    order_splits: true,
    products: true,
  }),
  [`/pg/orders/${orderId}/refunds`]: fieldsOf<OrderCreateRefundRequest>({
    refund_amount: true,
    refund_id: true,
    refund_note: true,
    refund_speed: true,
    refund_splits: true,
  }),
  '/pg/subscriptions': fieldsOf<CreateSubscriptionRequest>({
    subscription_id: true,
    customer_details: true,
    plan_details: true,
    authorization_details: true,
    subscription_meta: true,
    subscription_expiry_time: true,
    subscription_first_charge_time: true,
    subscription_tags: true,
    subscription_payment_splits: true,
    cf_order_id: true,
  }),
  '/pg/subscriptions/pay': fieldsOf<CreateSubscriptionPaymentRequest>({
    subscription_id: true,
    subscription_session_id: true,
    payment_id: true,
    payment_amount: true,
    payment_schedule_date: true,
    payment_remarks: true,
    payment_type: true,
    payment_method: true,
  }),
  [`/pg/subscriptions/${subscriptionId}/refunds`]: fieldsOf<CreateSubscriptionRefundRequest>({
    cf_payment_id: true,
    subscription_id: true,
    payment_id: true,
    refund_id: true,
    refund_amount: true,
    refund_note: true,
    refund_speed: true,
  }),
}

test('requests and answers have the fields of the published SDK, and no others', async () => {
  assert.ok(Object.values(ANSWERS).every(Boolean))
  await cashfree.start(order)
  payOrder(fake.books, orderId)
  const refund = { instituteId, refundId, amountPaise: paiseOf(100) }
  await cashfree.refund({ ...refund, payment: { paymentId, providerRef: orderId } })
  await mandates().register(mandate)
  authorise(fake.books, subscriptionId)
  confirm(fake.books, subscriptionId)
  const debit = {
    ...order,
    mandateRef: subscriptionId,
    rail: 'enach' as const,
    announcedRef: null,
    amountPaise,
  }
  const { providerRef } = await mandates().present(debit)
  endCharge(fake.books, orderId, { isPaid: true })
  const payment = { paymentId, providerRef }
  await cashfree.refund({ ...refund, refundId: refundId.replace('2', '3'), payment })
  const posted = fake.seen.filter(({ method }) => method === 'POST')
  assert.deepEqual(
    posted.map(({ path }) => path),
    Object.keys(REQUESTS),
  )
  for (const { path, body } of posted)
    for (const field of Object.keys(body)) assert.ok(REQUESTS[path]?.includes(field), `${path} ${field}`)
})
