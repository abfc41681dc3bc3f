import { defineEvent } from '../events/define-event.ts'
import { SETTLED_AT } from '../events/payment-block.output.ts'
import { outputOf } from '../http/wire/output.ts'
import { ofOrder } from '../orders/order.events.ts'
import { PAID_ORDER, payment, type PaidInEvent } from '../payments/payment.events.ts'
import { PAGE_ID } from './page.schemas.ts'

const out = outputOf<PaidInEvent & { pageId: string }, Date>()
const payload = out.object({ page_id: out.text('Id of the page.', PAGE_ID), ...ofOrder, payment })

export const pageEvents = {
  'page.payment.debited': defineEvent(
    'A public page is paid; pay.payment.debited comes beside it with the same payment.id.',
    payload,
    PAID_ORDER.debited,
  ),
  'page.payment.settled': defineEvent(
    "A public page's payment reached the institute; pay.payment.settled comes beside it.",
    payload,
    PAID_ORDER.settled,
    SETTLED_AT,
  ),
}
