import { field, input } from '../http/input.ts'
import { ORDER_ID } from '../orders/order.input.ts'

const PAGE_ID = 'page_01k9zq4m0ve8sbn6yt2hw3c5da'

export const pagePaymentParams = input({
  page_id: field.resourceId('The id returned at creation.', PAGE_ID),
  order_id: field.resourceId('Id of the order that the payer made on it.', ORDER_ID),
})
