import { field, ifSent, input, query } from '../../http/wire/input.ts'
import { PARTS } from './check.rules.ts'

export const checkInput = input({
  identifier: field.identifier('An active student of your test data.', 'ADM-1'),
  discontinued_identifier: ifSent(
    field.identifier('A student for whom your ERP answers student_discontinued.', 'ADM-2'),
  ),
  transferred_identifier: ifSent(
    field.identifier('A student for whom your ERP answers student_transferred.', 'ADM-3'),
  ),
  data_error_identifier: ifSent(field.identifier('A student for whom your ERP answers data_error.', 'ADM-4')),
  bookings_url: ifSent(
    field.url(
      'Where your test ERP shows what is booked of a payment: it is asked with `payment_id`, and with the credentials of the fetch-student endpoint, at the same host.',
      'http://127.0.0.1:4000/bookings',
    ),
  ),
  collector_code: ifSent(
    field.code('Branch code; required if the institute has more than one branch.', 'MAIN'),
  ),
  parts: ifSent(
    field.choices('What to check; everything if absent.', field.oneOf(PARTS, 'A part.', 'fetch'), { min: 1 }),
  ),
})

export const latestCheckQuery = query({
  collector_code: ifSent(
    field.code('Branch code; required if the institute has more than one branch.', 'MAIN'),
  ),
  outcome: ifSent(
    field.oneOf(['passed'], 'Only the last check that passed whole: the certificate.', 'passed'),
  ),
})
