import { field, input, optional } from '../../http/wire/input.ts'
import { POST_DATED_ID } from './post-dated.list.ts'

export const postDatedParams = input({ cheque_id: field.resourceId('Id of the cheque.', POST_DATED_ID) })

const handedFields = {
  number: field.text('The number on it.', '004512', 40),
  bank: optional(field.text('The bank that it is drawn on.', 'HDFC Bank', 80)),
  date: field.day('The date on it, which lies ahead.', '2026-12-05'),
  deposit_on: optional(field.day('When it goes to the bank; on its date if absent.', '2026-12-05')),
  amount: field.positiveAmount('Rupees.', 12000),
}

export const registerInput = input({
  service_student_id: field.resourceId('For whom.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da').as('studentId'),
  cheques: field.list('All that are handed over.', input(handedFields), { min: 1, max: 24 }),
})

export const replaceInput = input({
  ...handedFields,
  reason: field.text('Why.', 'Wrong signature'),
})

export const bankInput = input({
  ids: field.list('Those whose day has come.', field.resourceId('Id of a cheque.', POST_DATED_ID), {
    min: 1,
    max: 100,
  }),
})

export const giveBackInput = input({ reason: field.text('Why.', 'The family paid online') })
