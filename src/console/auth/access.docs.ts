import { documentParts } from '../../http/openapi/operation.ts'
import type { AnyInput } from '../../http/wire/input.ts'
import type { ConsoleRole, LENDER_ROLE } from '../console.rules.ts'
import type { Reply } from '../../http/reply.ts'

/** Who may: roles at the institute, people of the lender, anyone who is signed in, or anyone. Stands in the route table as `x-roles`. */
export type Reach = readonly (ConsoleRole | typeof LENDER_ROLE)[] | 'signed in' | 'anyone'

type Documented = {
  method?: string
  params?: AnyInput | undefined
  query?: AnyInput
  body?: AnyInput
}

/** What the walks over all routes (roles, tenants, hostile input) read; the reference shows the API alone. */
export function documentConsole(
  { method, params, query, body }: Documented,
  { answers }: Pick<Reply<never>, 'answers'>,
  reach: Reach,
): Record<string, unknown> {
  const schema = documentParts({
    answers,
    errors: [404, 409],
    ...(method === undefined ? {} : { method }),
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
  })
  return { ...schema, 'x-roles': reach }
}
