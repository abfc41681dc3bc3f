import { field, input, optional } from '../../http/wire/input.ts'
import { SEND_CHANNELS } from '../../orders/link-messages.texts.ts'
import { LANGUAGES } from '../../platform/languages.ts'
import { ORDER_ID, orderFields, SCHOOL_YEAR } from '../../orders/order.input.ts'
import { refundFields } from '../../payments/refund.input.ts'
import { MOST_AT_ONCE } from '../lists/bulk.rules.ts'

/** What the console's operations on orders and links take beyond those of the API. */
const reason = field.text('Why; stands in the audit log.', 'Asked for by the parent')
export const reasonInput = input({ reason })

export const refundParams = input({
  order_id: field.resourceId('The order.', ORDER_ID),
  refund_id: field.resourceId('A refund of it.', 'rfd_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

export const createInput = input(
  {
    kind: field.oneOf(['link', 'order'], 'A payment link, or a pay order.'),
    ...orderFields,
    new_fee: optional(
      field.flag('Whether a fee that the catalogue does not have is meant to be added.', false),
      false,
    ).as('hasNewFee'),
  },
  SCHOOL_YEAR,
)

const channelsField = field.choices('How to send it.', field.oneOf(SEND_CHANNELS, 'E-mail or SMS.'), {
  min: 1,
})
export const languageField = optional(field.oneOf(LANGUAGES, "The family's own when absent."))

export const sendInput = input({ channels: channelsField, language: languageField })

const orderIds = field.list('Which orders and links.', field.resourceId('An order.', ORDER_ID), {
  min: 1,
  max: MOST_AT_ONCE,
})
export const cancelPickedInput = input({ order_ids: orderIds, reason })
export const sendPickedInput = input({
  order_ids: orderIds,
  ...sendInput.fields,
  is_forced: optional(field.flag('Also to those who were told within the last day.', false), false),
})

export const refundInput = input({ ...refundFields, reason })
