import { Type } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { PRODUCTS } from './entry.rules.ts'

/** What hosted entry takes and answers. */
export const UserParams = Type.Object({
  registration_id: field.registrationId({
    description: 'Your unique id of the user, 1 to 128 characters.',
    examples: ['parent-77'],
  }),
})

const productType = Type.Optional(
  field.oneOf(PRODUCTS, { description: 'What to open: paying, instalments or a loan.' }),
)

export const InitBody = Type.Object({
  student: Type.Object(
    {
      identifier: field.identifier({ description: 'Student identifier.', examples: ['ADM-1042'] }),
      collector_code: Type.Optional(
        field.code({ description: 'Branch code; chooses whose fetch-student endpoint is asked.' }),
      ),
      grade: Type.Optional(field.code({ description: 'Grade code.' })),
      custom_identifier: Type.Optional(field.identifier({ description: 'A second identifier of your own.' })),
      academic_year_start: Type.Optional(field.year({ description: 'Start year.' })),
      academic_year_end: Type.Optional(field.year({ description: 'End year.' })),
    },
    {
      'x-ascending': ['academic_year_start', 'academic_year_end'],
      description: 'Whom your fetch-student endpoint is asked for.',
    },
  ),
  options: Type.Optional(
    Type.Object(
      {
        callback_url: Type.Optional(
          field.url({ description: 'The pages offer a link back there; https in live mode.' }),
        ),
        product_type: productType,
      },
      { description: 'Where to lead the parent.' },
    ),
  ),
})

const expiresAt = shown.moment({ description: 'Until when it can be used: 15 minutes from now.' })

export const AccessTokenView = Type.Object({
  access_token: shown.text({ description: 'Opens one hosted session at /login-redirect, once.' }),
  expires_at: expiresAt,
})

export const InitView = Type.Object({
  redirect_url: shown.text({ description: "Send the parent's browser there, now." }),
  expires_at: expiresAt,
})

export const ProductsQuery = Type.Object({ product_type: productType })

export const ProductView = Type.Object({
  product_type: shown.oneOf(PRODUCTS, { description: 'Which product.' }),
  id: shown.text({ description: 'Of the order, plan or application.' }),
  status: shown.text({
    description: 'pay: `unpaid`, `paid` or `closed`; flex: as in the plan; cred: as in the application.',
  }),
  amount: Type.Optional(shown.amount({ description: 'Rupees in all; absent while it is not known.' })),
  paid_amount: Type.Optional(shown.amount({ description: 'Rupees paid so far; not for cred.' })),
  created_at: shown.moment({ description: 'When it was made.' }),
})
