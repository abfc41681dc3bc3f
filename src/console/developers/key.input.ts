import { field, ifSent, input } from '../../http/wire/input.ts'
import { SCOPE_NAMES } from '../../institutes/institutes.rules.ts'

const MOST_REQUESTS = 1_000_000
const requests = (description: string, example: number) =>
  ifSent(field.wholeNumber(description, example, [1, MOST_REQUESTS]))

export const newKeyInput = input({
  label: field.code('What it is for; two of a label may be active.', 'Fee module'),
  scopes: field.choices('What it may do.', field.oneOf(SCOPE_NAMES, 'A scope; write: all but read.'), {
    min: 1,
  }),
  rate_per_second: requests('Requests a second; standard 1000.', 100),
  burst: requests('Requests at once; standard twice the rate.', 200),
})

export const keyParams = input({ key_id: field.resourceId('Id of the key.', 'key_test_demo') })
