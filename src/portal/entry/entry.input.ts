import { field, ifSent, input, optional, query } from '../../http/wire/input.ts'
import { SCHOOL_YEAR } from '../../students/student.input.ts'
import { PRODUCTS } from './entry.rules.ts'

/** What hosted entry takes. */
const product = field.oneOf(PRODUCTS, 'What to open: paying, instalments or a loan.').as('product')

const named = input(
  {
    identifier: field.identifier('Student identifier.', 'ADM-1042'),
    collector_code: ifSent(field.code('Branch code; chooses whose fetch-student endpoint is asked.', 'MAIN')),
    grade: ifSent(field.code('Grade code.', '5')),
    custom_identifier: ifSent(field.identifier('A second identifier of your own.', 'ROLL-17')),
    academic_year_start: ifSent(field.year('Start year.', 2026)),
    academic_year_end: ifSent(field.year('End year.', 2027)),
  },
  SCHOOL_YEAR,
)

const options = input({
  callback_url: optional(
    field.url('The pages offer a link back there; https in live mode.', 'https://erp.example.in/parent/home'),
  ),
  product_type: optional(product),
})

export const entryInput = input({
  student: field.object('Whom your fetch-student endpoint is asked for.', named).as('named'),
  options: optional(field.object('Where to lead the parent.', options), { callbackUrl: null, product: null }),
})

export const productsQuery = query({ product_type: optional(product) })
