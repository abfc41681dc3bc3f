import { field, input, optional, query } from '../../../http/wire/input.ts'
import { SEND_CHANNELS } from '../../../orders/link-messages.texts.ts'
import { SENT_DAYS } from '../../lists/columns.input.ts'
import { languageField } from '../order.input.ts'

const BATCH_ID = 'batch_01k9zq4m0ve8sbn6yt2hw3c5da'

export const uploadQuery = query({
  name: optional(field.text('What the file is called.', 'term-2.xlsx', 200)),
  columns: optional(
    field.text(
      'A JSON list: for each column of the file the field of a link, `fee:` and the code of a fee, or null. By their names when absent.',
      '["name","phone","email","identifier","fee:TUITION_FEE",null]',
      6_000,
    ),
  ),
  days: SENT_DAYS,
})

export const batchParams = input({ batch_id: field.resourceId('Id of the file of links.', BATCH_ID) })

export const listProblemsQuery = query({ limit: field.pageSize(), cursor: field.cursor('17-204') })

export const startInput = input({
  channels: optional(
    field.choices(
      'How each payer gets their link; nobody gets a message when absent.',
      field.oneOf(SEND_CHANNELS, 'E-mail or SMS.'),
    ),
    [],
  ),
  language: languageField,
})
